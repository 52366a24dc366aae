import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { integer, listOf, object } from '../../../api/declare/words.ts'
import type { EventLog } from '../../../storage/event-log.ts'
import type { Subscription } from '../../../storage/subscriptions.ts'
import { contentOf, eventUuid, matchesOf, noSuchEvent } from './get-event.ts'
import { MOST_NEAR_MISSES, moreNearMisses, nearMissesOf, nearMissSchema } from './near-misses.ts'
import { type Explained, subscribedTo, type WhyNobodyServices } from './why-not-delivered.ts'

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
  description: `Those for its user first, at most ${MOST_NEAR_MISSES}. Subscriptions, consents and apps are looked at as they are now, which may differ from when the event was accepted; of the first 200 apps, and of each the first 1,000 subscriptions.`,
  auth: operator,
  params: { event_uuid: eventUuid },
  answer: object({
    data: listOf(nearMissSchema),
    meta: object({ result_count: integer({ min: 0 }), more: moreNearMisses }),
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
    const others = subscribed.filter(({ subscription }) => !hasBrought(matches, subscription))
    const { near, more } = await nearMissesOf(others, event, acceptedAtMs, services)
    return { data: near, meta: { result_count: near.length, more } }
  },
})
