import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { id, integer, listOf, nullable, object, text } from '../../../api/declare/words.ts'
import type { EventLog } from '../../../storage/event-log.ts'
import type { Subscription } from '../../../storage/subscriptions.ts'
import { contentOf, eventUuid, matchesOf, noSuchEvent } from './get-event.ts'
import { type Explained, nearestFirst, reasonOf, subscribedTo, type WhyNobodyServices } from './why-not-delivered.ts'

/** So many are explained. */
const MOST = 10

const NEW = 'was created after the event was accepted'

/** Whether an event went to the webhook of a subscription by the filter that this has. */
function hasBrought(matches: ReturnType<typeof matchesOf>, { webhookId, filter: { userId, keyword, direction } }: Subscription): boolean {
  const by = webhookId === null ? undefined : matches.get(webhookId)?.filter
  return by !== undefined && by.user_id === userId && by.keyword === keyword && by.direction === direction
}

interface Services extends WhyNobodyServices {
  eventLog: EventLog
}

export const listNearMisses = endpoint({
  name: 'listNearMisses',
  route: 'GET /operator/events/:event_uuid/near_misses',
  section: '§6',
  summary: "List subscriptions to an event's type that did not bring it to a webhook, and why.",
  description: `Those for its user first, at most ${MOST}. Subscriptions, consents and apps are looked at as they are now, which may differ from when the event was accepted; of the first 200 apps, and of each the first 1,000 subscriptions.`,
  auth: operator,
  params: { event_uuid: eventUuid },
  answer: object({
    data: listOf(
      object({
        subscription_id: id(),
        app_id: id(),
        webhook_id: nullable(id({ description: 'Null for one whose events go to the activity stream alone.' })),
        reason: text({ description: 'Reads on after the words "The subscription".' }),
      }),
    ),
    meta: object({ result_count: integer({ min: 0 }), more: integer({ min: 0, description: 'How many others there are.' }) }),
  }),
  problems: ['not-found'],
  async handle({ params: { event_uuid }, giveWay }, { eventLog, ...services }: Services) {
    const logged = await eventLog.find(event_uuid)
    if (!logged) throw noSuchEvent(event_uuid)
    const { eventType, userId, acceptedAtMs } = logged
    const event: Explained = { eventType, userId, ...contentOf(logged), isLogged: true }
    const matches = matchesOf(logged)
    const subscribed = await subscribedTo(new Set([eventType]), services)
    await giveWay()
    const others = nearestFirst(subscribed, event).filter(({ subscription }) => !hasBrought(matches, subscription))
    const near = await Promise.all(
      others.slice(0, MOST).map(async (one) => ({
        one,
        reason: one.subscription.createdAtMs > acceptedAtMs ? NEW : await reasonOf(one, event, services),
      })),
    )
    return {
      data: near.map(({ one: { app, subscription }, reason }) => ({
        subscription_id: subscription.id,
        app_id: app.id,
        webhook_id: subscription.webhookId,
        reason,
      })),
      meta: { result_count: near.length, more: others.length - near.length },
    }
  },
})
