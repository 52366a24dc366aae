import type { Published, PublishedEvent } from '../../../delivery/publish.ts'
import { type WhyNobodyServices, whyNobody } from './why-nobody.ts'

/** So many events of one call are explained at most. */
const MOST_EXPLAINED = 20

/** What came of an event that reached no callback, and why. */
export interface NotDelivered {
  subscriptions: number
  deliveries: number
  reasons: string[]
}

const REPEATED = 'an event with this event_uuid was published before: nothing is delivered again'

/** Why deliveries are kept back, as sentences. */
const keptBackReasons = ({ keptBack }: Published): string[] =>
  keptBack.map(({ webhookId, reason }) =>
    reason === 'webhook invalid'
      ? `webhook ${webhookId} is invalid: PUT /2/webhooks/${webhookId} challenges it again, and a replay brings what was kept back`
      : `nothing is sent to webhook ${webhookId}: ${reason}`,
  )

const isDelivered = ({ deliveries, keptBack }: Published) => deliveries > keptBack.length

/** For each published event that reached no callback why; undefined for all others, and for those beyond the first 20. */
export async function whyNotDelivered(
  events: readonly PublishedEvent[],
  published: readonly Published[],
  services: WhyNobodyServices,
): Promise<(NotDelivered | undefined)[]> {
  const failed = published.flatMap((one, index) => (isDelivered(one) ? [] : [index])).slice(0, MOST_EXPLAINED)
  const unmatched = failed.filter((index) => !published[index]!.repeated && published[index]!.deliveries === 0)
  const sentences =
    unmatched.length === 0
      ? []
      : await whyNobody(
          unmatched.map((index) => events[index]!),
          services,
        )
  const reasonsOf = (index: number) => {
    const one = published[index]!
    return one.repeated ? [REPEATED] : (sentences[unmatched.indexOf(index)] ?? keptBackReasons(one))
  }
  return published.map(({ subscriptions, deliveries }, index) =>
    failed.includes(index) ? { subscriptions, deliveries, reasons: reasonsOf(index) } : undefined,
  )
}
