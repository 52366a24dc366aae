import { operatorOrPortal } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { Problem } from '../../../api/declare/problem.ts'
import { anyObject, iso, listOf, matching, object, optional, text, timestamp } from '../../../api/declare/words.ts'
import { createMayStillReceive, needsConsent } from '../../../delivery/consent.ts'
import type { Clock } from '../../../lib/clock.ts'
import { readExactJson } from '../../../lib/numbers.ts'
import type { Consents } from '../../../storage/consents.ts'
import type { EventLog, LoggedEvent } from '../../../storage/event-log.ts'
import type { WebhookStore } from '../../../storage/webhooks.ts'
import { type DeliveryRow, type DeliveryViewServices, deliveryMembers, deliveryView, ofApp, withWebhooks } from '../delivery-view.ts'

const eventDelivery = object({
  ...deliveryMembers,
  filter: anyObject({ description: 'The filter of the subscription that matched, as it was then: the oldest, where several did.' }),
  tag: optional(text({ min: 0, description: 'Its tag.' })),
})

export const eventUuid = matching('^-?[0-9]{1,19}$', { mustBe: 'a whole number of at most 19 digits', example: '1997712707928100864' })

interface Content {
  payload: Record<string, unknown>
  includes?: Record<string, unknown>
}

interface Match {
  filter: Record<string, unknown>
  tag?: string
}

/** The log keeps an event as pieces of the JSON that is sent (`delivery/envelope.ts`): all that follows the first members of `data`. */
export const contentOf = ({ content }: LoggedEvent) => (readExactJson(`{"data":{${content}`) as { data: Content }).data

export const matchesOf = ({ targets }: LoggedEvent) =>
  new Map(targets.map(({ webhookId, match }) => [webhookId, readExactJson(`{${match}}`) as Match]))

interface Services extends DeliveryViewServices {
  eventLog: EventLog
  webhooks: WebhookStore
  consents: Consents
  clock: Clock
}

export const noSuchEvent = (uuid: string) =>
  new Problem('not-found', { detail: `There is no event ${uuid}: it was never accepted, or is no longer kept.` })

/** The deliveries to an app's own webhooks; none where the app may not have the event (any more): a delivery would not be sent either. */
async function rowsForPortal(event: LoggedEvent, rows: DeliveryRow[], app: { id: string }, { consents, clock }: Services) {
  const own = ofApp(rows, app)
  const match = event.targets.find(({ webhookId }) => webhookId === own[0]?.report.webhookId)?.match
  if (match === undefined) return []
  if (!needsConsent(event.eventType)) return own
  return (await createMayStillReceive(consents, clock)({ eventType: event.eventType, match }, app.id)) ? own : []
}

/** A page of the log never splits an event: one delivery brings all. */
const ALL = 1

export const getEvent = endpoint({
  name: 'getEvent',
  route: 'GET /operator/events/:event_uuid',
  section: '§6',
  summary: 'Get an event with what it carries, which subscriptions matched, and its deliveries.',
  description:
    'Events are kept for 24 hours and a little more; later it is 404, as is an event that was never accepted. The portal of an app sees those that go to its webhooks, while its user lets the app have them.',
  auth: operatorOrPortal({ event_uuid: 'any' }),
  params: { event_uuid: eventUuid },
  answer: object({
    data: object({
      event_uuid: text(),
      event_type: text(),
      user_id: text({ description: 'The user whom it is about.' }),
      accepted_at: timestamp(),
      payload: anyObject(),
      includes: optional(anyObject()),
      deliveries: listOf(eventDelivery),
    }),
  }),
  problems: ['not-found'],
  async handle({ params: { event_uuid }, caller: { app } }, services: Services) {
    const { eventLog, webhooks } = services
    const event = await eventLog.find(event_uuid)
    if (!event) throw noSuchEvent(event_uuid)
    const all = await withWebhooks(webhooks, await eventLog.report({ eventUuid: event_uuid, limit: ALL }))
    const rows = app ? await rowsForPortal(event, all, app, services) : all
    if (app && rows.length === 0) throw noSuchEvent(event_uuid)
    const matches = matchesOf(event)
    return {
      data: {
        event_uuid: event.eventUuid,
        event_type: event.eventType,
        user_id: event.userId,
        accepted_at: iso(event.acceptedAtMs),
        ...contentOf(event),
        deliveries: rows.map((row) => ({ ...deliveryView(row, services, app !== undefined), ...matches.get(row.report.webhookId)! })),
      },
    }
  },
})
