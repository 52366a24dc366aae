import type { Delivery, EventLog } from '../../../server/src/storage/event-log.ts'

export interface BufferedLog extends EventLog {
  /** Passes all buffered deliveries on at once; resolves when all are acknowledged. Rejects when one fails. */
  release(): Promise<void>
}

/** How long delivering a backlog may take. */
const TIMEOUT_MS = 60_000

/** An event log that buffers the deliveries of committed events until they are released together, as a backlog. */
export function bufferDeliveries(log: EventLog): BufferedLog {
  let buffered: Delivery[] = []
  let passOn: (deliveries: Delivery[]) => void = () => {}
  let left = 0
  let drained: PromiseWithResolvers<void> | undefined

  return {
    ...log,
    onHeld(listener) {
      passOn = listener
      log.onHeld((deliveries) => {
        for (const delivery of deliveries) buffered.push(delivery)
      })
    },
    acknowledge(delivery, attempt, retryAtMs) {
      if (attempt.outcome !== 'delivered') drained?.reject(new Error(`a delivery failed: ${attempt.error}`))
      left -= 1
      if (left === 0) drained?.resolve()
      return log.acknowledge(delivery, attempt, retryAtMs)
    },
    async release() {
      const backlog = buffered
      buffered = []
      left = backlog.length
      const acknowledged = Promise.withResolvers<void>()
      drained = acknowledged
      const timeout = setTimeout(
        () => acknowledged.reject(new Error(`${left} of ${backlog.length} deliveries are not acknowledged after ${TIMEOUT_MS / 1000} s`)),
        TIMEOUT_MS,
      )
      passOn(backlog)
      await acknowledged.promise.finally(() => clearTimeout(timeout))
    },
  }
}
