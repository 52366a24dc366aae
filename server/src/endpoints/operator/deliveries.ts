import { operatorOrPortal } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest } from '../../api/declare/problem.ts'
import { id, matching, oneOf, optional } from '../../api/declare/words.ts'
import { publicId, sequenceAt, sequenceOf } from '../../lib/ids.ts'
import { deliveryStates, type EventLog } from '../../storage/event-log.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { type DeliveryViewServices, deliverySchema, deliveryView, ofApp, withWebhooks } from './delivery-view.ts'
import { operatorPage } from './operator-page.ts'
import { windowOf, windowTime } from './time-window.ts'

const page = operatorPage('before', id, deliverySchema)

interface ListServices extends DeliveryViewServices {
  eventLog: EventLog
  webhooks: WebhookStore
}

/** Without either, the whole log would be searched for what is of one app. */
const namesNeither = () =>
  invalidRequest([{ message: '$.webhook_id: the portal of an app needs webhook_id or event_uuid', parameters: { webhook_id: [''] } }])

const BEGINNING = '1970-01-01T00:00:00Z'
const END = '9999-12-31T23:59:59.999Z'

/** When the next attempt is to be, if that is asked for. */
const nextTryOf = ({ next_try_from: from, next_try_to: to }: { next_try_from?: string; next_try_to?: string }) =>
  from === undefined && to === undefined ? undefined : windowOf(from ?? BEGINNING, to ?? END, 'next_try_')

/** Below which number the page begins; undefined for the newest. */
function beginningOf({ before, accepted_to: to }: { before?: string; accepted_to?: string }): number | undefined {
  const place = before === undefined ? undefined : sequenceOf(before)
  if (to === undefined) return place
  return Math.min(place ?? Number.POSITIVE_INFINITY, sequenceAt(Date.parse(to)))
}

export const listDeliveries = endpoint({
  name: 'listDeliveries',
  route: 'GET /operator/deliveries',
  section: '§6',
  summary: 'List deliveries with their attempts, newest first.',
  description:
    'A page never splits the deliveries of one event, so it may be a little longer than `max_results`. With `state` or a time of the next attempt a call looks at 10,000 events at most: a page may be short, or empty, and still have `next_before`. The portal of an app names a webhook or an event.',
  auth: operatorOrPortal({
    webhook_id: 'webhook?',
    event_uuid: 'any',
    state: 'any',
    next_try_from: 'any',
    next_try_to: 'any',
    accepted_to: 'any',
    before: 'any',
    max_results: 'any',
  }),
  params: {
    webhook_id: optional(id()),
    event_uuid: optional(matching('^-?[0-9]{1,19}$', { mustBe: 'a whole number of at most 19 digits' })),
    state: optional(oneOf(deliveryStates)),
    next_try_from: optional(windowTime('Only those that are retrying, whose next attempt is due then or later.')),
    next_try_to: optional(windowTime('Only those that are retrying, whose next attempt is due before.')),
    accepted_to: optional(windowTime('Only those of events that were accepted before.')),
    ...page.params,
  },
  answer: page.answer,
  handle({ params, caller: { app } }, { eventLog, webhooks, ...shown }: ListServices) {
    let next: number | null = null
    return page.read(params.max_results, {
      async rows(limit) {
        const { webhook_id, event_uuid } = params
        if (app && webhook_id === undefined && event_uuid === undefined) throw namesNeither()
        const nextTry = nextTryOf(params)
        const state = params.state ?? (nextTry && 'retrying')
        const before = beginningOf(params)
        const found = await eventLog.reportPage({ webhookId: webhook_id, eventUuid: event_uuid, state, nextTry, before, limit })
        // The deliveries of one event are one page: what follows would tell a portal that another app has some.
        next = app && webhook_id === undefined ? null : found.next
        return ofApp(await withWebhooks(webhooks, found.reports), app)
      },
      view: (row) => deliveryView(row, shown, app !== undefined),
      placeOf: ({ report }) => publicId(report.sequence),
      next: () => (next === null ? undefined : publicId(next)),
    })
  },
})
