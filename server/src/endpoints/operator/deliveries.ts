import { operator } from '../../access/operator.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { id, matching, oneOf, optional } from '../../api/declare/words.ts'
import { publicId, sequenceOf } from '../../lib/ids.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { deliverySchema, deliveryStates, deliveryView, withWebhooks } from './delivery-view.ts'
import { operatorPage } from './operator-page.ts'

const page = operatorPage('before', id, deliverySchema)

interface ListServices {
  eventLog: EventLog
  webhooks: WebhookStore
  dialect: Dialect
}

export const listDeliveries = endpoint({
  name: 'listDeliveries',
  route: 'GET /operator/deliveries',
  section: '§6',
  summary: 'List deliveries with their attempts, newest first.',
  description: 'A page never splits the deliveries of one event, so it may be a little longer than `max_results`.',
  auth: operator,
  params: {
    webhook_id: optional(id()),
    event_uuid: optional(matching('^-?[0-9]{1,19}$', { mustBe: 'a whole number of at most 19 digits' })),
    state: optional(oneOf(deliveryStates)),
    ...page.params,
  },
  answer: page.answer,
  handle: ({ params }, { eventLog, webhooks, dialect }: ListServices) =>
    page.read(params.max_results, {
      async rows(limit) {
        const { webhook_id, event_uuid, state, before } = params
        const sequence = before === undefined ? undefined : sequenceOf(before)
        const reports = await eventLog.report({ webhookId: webhook_id, eventUuid: event_uuid, state, before: sequence, limit })
        return withWebhooks(webhooks, reports)
      },
      view: (row) => deliveryView(row, dialect),
      placeOf: ({ report }) => publicId(report.sequence),
    }),
})
