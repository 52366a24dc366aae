import type { Delivery, EventLog } from '../../../server/src/storage/event-log.ts'

export interface HeldBackLog extends EventLog {
  /** Hands out everything that was kept back, at once; resolves when all of it is acknowledged. Rejects when anything was not delivered. */
  release(): Promise<void>
}

/** How long a backlog may take. */
const MOST_MS = 60_000

/** The event log, but deliveries of accepted events are kept back until they are released together: a backlog. */
export function holdBack(log: EventLog): HeldBackLog {
  let kept: Delivery[] = []
  let hand: (deliveries: Delivery[]) => void = () => {}
  let left = 0
  let drained: PromiseWithResolvers<void> | undefined

  return {
    ...log,
    onHeld(listener) {
      hand = listener
      log.onHeld((deliveries) => {
        for (const delivery of deliveries) kept.push(delivery)
      })
    },
    acknowledge(delivery, attempt, retryAtMs) {
      if (attempt.outcome !== 'delivered') drained?.reject(new Error(`a delivery failed: ${attempt.error}`))
      left -= 1
      if (left === 0) drained?.resolve()
      return log.acknowledge(delivery, attempt, retryAtMs)
    },
    async release() {
      const backlog = kept
      kept = []
      left = backlog.length
      const acknowledged = Promise.withResolvers<void>()
      drained = acknowledged
      const late = setTimeout(
        () => acknowledged.reject(new Error(`${left} of ${backlog.length} deliveries are not acknowledged after ${MOST_MS / 1000} s`)),
        MOST_MS,
      )
      hand(backlog)
      await acknowledged.promise.finally(() => clearTimeout(late))
    },
  }
}
