import { measureDeliveries } from '../delivery/measure-deliveries.ts'
import type { Figure } from '../figure.ts'

const shape = { webhooks: 1000, inFlight: 64, leastRatio: 0.7 }

export const deliveriesOver1000Webhooks: Figure = {
  name: 'deliveries-1000',
  limit:
    'A backlog of 1 KB events, accepted durably while nothing is sent, drains through the real parts (SQLite log, dispatcher, sender) until its last attempt is committed: accepting is a figure of its own. The limit is a loop over undici `dispatch` that signs and sends the same bytes to the same receiver, with as many in flight. Log level warn.',
  aim: `ratio ≥ ${shape.leastRatio}`,
  measure: (pace) => measureDeliveries(shape, pace),
}
