import type { Delivery, EventLog } from '../../../server/src/storage/event-log.ts'

export interface HeldBackLog extends EventLog {
  /** Hands out everything that was kept back, at once; resolves when all of it is settled. Rejects when anything was not delivered. */
  release(): Promise<void>
}

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
    settle(delivery, attempt, retryAtMs) {
      if (attempt.outcome !== 'delivered') drained?.reject(new Error(`a delivery failed: ${attempt.error}`))
      left -= 1
      if (left === 0) drained?.resolve()
      return log.settle(delivery, attempt, retryAtMs)
    },
    async release() {
      const backlog = kept
      kept = []
      left = backlog.length
      drained = Promise.withResolvers()
      hand(backlog)
      await drained.promise
    },
  }
}
