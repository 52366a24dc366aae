import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, listOf, object, text } from '../../api/declare/words.ts'
import { MOST_NEAR_MISSES, moreNearMisses, nearMissesOf, nearMissSchema } from '../../endpoints/operator/events/near-misses.ts'
import { subscribedTo, type WhyNobodyServices } from '../../endpoints/operator/events/why-not-delivered.ts'
import type { Ledger } from './ledger.ts'
import { mustFindCall } from './request-endpoints.ts'

interface Services extends WhyNobodyServices {
  ledger: Ledger
}

export const listCallNearMisses = endpoint({
  name: 'listCallNearMisses',
  route: 'GET /operator/requests/:sequence/near_misses',
  section: '§6',
  summary: 'List the events that a call would have caused, with subscriptions to their types and why these did not match.',
  description: `Development only. An event to which nobody has subscribed is not made: a call tells of these in \`unmatched\`. Those for its user first, at most ${MOST_NEAR_MISSES} for each event. Consents are those at the time of the call. Subscriptions and apps are looked at as they are now; of the first 200 apps, and of each the first 1,000 subscriptions.`,
  auth: operator,
  params: { sequence: integer({ min: 1, example: 1 }) },
  answer: object({
    data: listOf(
      object({
        event_type: text(),
        user_id: text({ description: 'The user whom it would have been about.' }),
        near_misses: listOf(nearMissSchema),
        more: moreNearMisses,
      }),
    ),
  }),
  problems: ['not-found'],
  async handle({ params: { sequence }, giveWay }, { ledger, ...services }: Services) {
    const { answer, atMs } = mustFindCall(ledger, sequence)
    const events = answer.unmatched ?? []
    if (events.length === 0) return { data: [] }
    const subscribed = await subscribedTo(new Set(events.map(({ eventType }) => eventType)), services)
    const data = []
    for (const event of events) {
      await giveWay()
      // Nobody has asked an action that stores nothing what its events say.
      const isLogged = event.text === undefined && event.direction === undefined
      const { near, more } = await nearMissesOf(subscribed, { ...event, isLogged }, atMs, services)
      data.push({ event_type: event.eventType, user_id: event.userId, near_misses: near, more })
    }
    return { data }
  },
})
