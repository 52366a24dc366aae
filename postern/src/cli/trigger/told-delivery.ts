import type { TriggeredDelivery } from '../../kit/trigger.ts'
import { sayAttempt, sayMend } from '../deliveries/delivery.ts'

/** A delivery, as `POST /operator/trigger` tells of it. */
export type ToldDelivery = TriggeredDelivery

/** How its last attempt ended. */
const sayResult = ({ status, duration_ms: latency_ms = 0, error = '', response = '', hint }: ToldDelivery) =>
  sayAttempt({ status, latency_ms, error, response, hint })

/** One line about a delivery: where it went, and how that ended. Of another event than the one that was asked for it says which. */
export function sayTold(delivery: ToldDelivery, askedUuid: string | undefined): string {
  const { webhook_id, url, outcome, error, reason, next_try_at, event_uuid, event_type } = delivery
  const of = event_uuid === askedUuid ? '' : `${event_type} ${event_uuid} `
  const to = `${url ?? 'a deleted webhook'} (webhook ${webhook_id})`
  if (outcome === 'delivered') return `${of}delivered to ${to}: ${sayResult(delivery)}`
  if (outcome === 'not_sent') return `${of}not sent to ${to}: ${error}${sayMend(error, webhook_id)}`
  if (outcome === 'under_way') return `${of}not tried yet: ${to}${reason === undefined ? '' : `: ${reason}`}`
  const then = next_try_at === undefined ? 'given up' : `to be tried again at ${next_try_at}`
  return `${of}${then}: ${to}: ${sayResult(delivery)}`
}
