import { operatorOrPortal } from '../../access/operator.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest, Problem, webhookProblem } from '../../api/declare/problem.ts'
import { exactlyOne, mutuallyExclusive, requires } from '../../api/declare/rules.ts'
import { id, integer, matching, moment, object, oneOf, optional } from '../../api/declare/words.ts'
import { MAX_RESENT, type Resender, type Resent } from '../../delivery/resend.ts'
import { publicId, sequenceOf } from '../../lib/ids.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { deliverySchema, deliveryStates, deliveryView, ofApp, withWebhooks } from './delivery-view.ts'
import { operatorPage } from './operator-page.ts'
import { type WebhookServices, webhookOfApp } from './webhooks.ts'

const page = operatorPage('before', id, deliverySchema)

interface ListServices {
  eventLog: EventLog
  webhooks: WebhookStore
  dialect: Dialect
}

/** Without either, the whole log would be searched for what is of one app. */
const namesNeither = () =>
  invalidRequest([{ message: '$.webhook_id: the portal of an app needs webhook_id or event_uuid', parameters: { webhook_id: [''] } }])

export const listDeliveries = endpoint({
  name: 'listDeliveries',
  route: 'GET /operator/deliveries',
  section: '§6',
  summary: 'List deliveries with their attempts, newest first.',
  description:
    'A page never splits the deliveries of one event, so it may be a little longer than `max_results`. The portal of an app names a webhook or an event.',
  auth: operatorOrPortal({ webhook_id: 'webhook?', event_uuid: 'any', state: 'any', before: 'any', max_results: 'any' }),
  params: {
    webhook_id: optional(id()),
    event_uuid: optional(matching('^-?[0-9]{1,19}$', { mustBe: 'a whole number of at most 19 digits' })),
    state: optional(oneOf(deliveryStates)),
    ...page.params,
  },
  answer: page.answer,
  handle: ({ params, caller: { app } }, { eventLog, webhooks, dialect }: ListServices) =>
    page.read(params.max_results, {
      async rows(limit) {
        const { webhook_id, event_uuid, state, before } = params
        if (app && webhook_id === undefined && event_uuid === undefined) throw namesNeither()
        const sequence = before === undefined ? undefined : sequenceOf(before)
        const reports = await eventLog.report({ webhookId: webhook_id, eventUuid: event_uuid, state, before: sequence, limit })
        return ofApp(await withWebhooks(webhooks, reports), app)
      },
      view: (row) => deliveryView(row, dialect),
      placeOf: ({ report }) => publicId(report.sequence),
    }),
})

interface ResendServices extends WebhookServices {
  resender: Resender
}

const time = (description: string) =>
  moment('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z$', {
    description,
    example: '2026-03-01T12:00:00Z',
    mustBe: 'a time in UTC like 2026-03-01T12:00:00Z',
  })

function windowOf(from: string, to: string): { fromMs: number; toMs: number } {
  const window = { fromMs: Date.parse(from), toMs: Date.parse(to) }
  if (window.fromMs < window.toMs) return window
  throw invalidRequest([{ message: '$.from: must be before to, which is exclusive', parameters: { from: [from] } }])
}

const invalid = (id: string) =>
  webhookProblem(
    'CrcValidationFailed',
    `the webhook ${id} is invalid and receives nothing: have its app validate it first with PUT /2/webhooks/${id}`,
  )

const view = ({ count, next }: Resent) => ({
  data: { resent: count },
  meta: { ...(next !== undefined && { next_after: publicId(next) }) },
})

export const resendDeliveries = endpoint({
  name: 'resendDeliveries',
  route: 'POST /operator/deliveries/resend',
  section: '§6',
  summary: 'Send deliveries of a webhook again that have ended.',
  description: `One delivery (\`event_uuid\`), or those that ended in a \`state\`, of events accepted from \`from\` (inclusive) to \`to\` (exclusive), oldest first; at most ${MAX_RESENT} a call. A delivery that is pending, in flight or retrying is not counted and not sent twice. A resend is a retry: it goes on in the retry plan where the delivery had come, and one whose plan has ended is tried once more. The webhook must be valid, and its app not suspended.`,
  auth: operatorOrPortal({ webhook_id: 'webhook', event_uuid: 'any', state: 'any', from: 'any', to: 'any', after: 'any' }),
  params: {
    webhook_id: id(),
    event_uuid: optional(matching('^-?[0-9]{1,19}$', { mustBe: 'a whole number of at most 19 digits' })),
    state: optional(oneOf(['given_up', 'not_sent', 'delivered'])),
    from: optional(time('When the first event was accepted, inclusive.')),
    to: optional(time('When the last event was accepted, exclusive.')),
    after: optional(id({ description: '`meta.next_after` of the previous call.' })),
  },
  rules: [
    exactlyOne('event_uuid', 'state'),
    requires('state', 'from'),
    requires('state', 'to'),
    mutuallyExclusive('event_uuid', 'from'),
    mutuallyExclusive('event_uuid', 'to'),
    mutuallyExclusive('event_uuid', 'after'),
  ],
  answer: object({
    data: object({ resent: integer({ min: 0, description: 'How many deliveries are sent again.' }) }),
    meta: object({ next_after: optional(id({ description: 'There may be more: send this as `after` to resend the next.' })) }),
  }),
  problems: ['not-found', 'CrcValidationFailed', 'conflict'],
  async handle({ params: { webhook_id, event_uuid, state, from, to, after } }, { resender, ...services }: ResendServices) {
    const window = state && windowOf(from!, to!)
    const { webhook } = await webhookOfApp(services, webhook_id)
    if (!webhook.valid) throw invalid(webhook_id)
    const place = after === undefined ? undefined : sequenceOf(after)
    const resent = window
      ? await resender.matching({ webhookId: webhook_id, state: state!, ...window, after: place })
      : await resender.one(webhook_id, event_uuid!)
    if (!resent) throw new Problem('not-found', { detail: `The webhook ${webhook_id} has no delivery of the event ${event_uuid}.` })
    return view(resent)
  },
})
