import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { Clock } from '../lib/clock.ts'
import { createSharedRead } from '../lib/shared-read.ts'
import { HOUR_MS } from '../lib/time.ts'
import type { Gauges } from '../metrics/gauges.ts'
import type { Base } from './parts.ts'

/** Retries that are due in the event log are counted so far. */
const MAX_DUE = 10_000
/** Webhooks are counted at most so often. */
const WEBHOOKS_KEPT_MS = 10_000
/** What the database does not answer within this is left out, so that there is an answer while the database hangs. */
const PATIENCE_MS = 1000

/** Undefined when it fails, or takes too long. */
const inTime = <T>(clock: Clock, asked: Promise<T>): Promise<T | undefined> =>
  new Promise((resolve) => {
    const timer = clock.after(PATIENCE_MS, () => resolve(undefined))
    asked.then(resolve, () => resolve(undefined)).finally(() => timer.cancel())
  })

/** Looks at the queues: in memory, in the log by one indexed query that has a limit, and at the webhooks. */
export function createQueues({ eventLog, storage, clock }: Base, dispatcher: Pick<Dispatcher, 'backlog'>): () => Promise<Gauges> {
  const countWebhooks = createSharedRead(clock, WEBHOOKS_KEPT_MS, () => storage.webhooks.countAll())
  return async () => {
    const nowMs = clock.now()
    const { inFlight, waiting, oldestDueMs } = dispatcher.backlog()
    const asked = [
      inTime(clock, eventLog.dueRetries(nowMs, MAX_DUE)),
      inTime(clock, eventLog.plannedRetries(nowMs, nowMs + HOUR_MS, MAX_DUE)),
      inTime(clock, countWebhooks()),
    ] as const
    const [due, retriesPlanned, webhooks] = await Promise.all(asked)
    const oldest = [oldestDueMs, due?.sinceMs].filter((ms) => ms !== undefined)
    const isKnown = due !== undefined || oldest.length > 0
    return {
      inFlight,
      queued: waiting,
      webhooks,
      queueAgeMs: isKnown ? Math.max(0, nowMs - Math.min(nowMs, ...oldest)) : undefined,
      retriesPlanned,
      retriesDue: due && due.count + waiting.retry,
    }
  }
}
export type Queues = ReturnType<typeof createQueues>
