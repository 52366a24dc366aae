import { measureDeliveries } from '../delivery/measure-deliveries.ts'
import type { Figure } from '../figure.ts'

const shape = { webhooks: 1, inFlight: 4, leastRatio: 0.6 }

export const deliveriesOverOneWebhook: Figure = {
  name: 'deliveries-1',
  limit:
    'The same with all events for one webhook. Of its backlog 256 deliveries are in memory; the webhook is parked, and the rest is read back from the log.',
  aim: `ratio ≥ ${shape.leastRatio}`,
  measure: (pace) => measureDeliveries(shape, pace),
}
