import type { Dispatcher } from '../delivery/dispatcher.ts'
import { createSharedRead } from '../lib/shared-read.ts'
import { HOUR_MS } from '../lib/time.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import type { Gauges } from '../metrics/gauges.ts'
import { does } from '../settings/roles.ts'
import type { Base } from './parts.ts'

/** Retries that are due in the event log are counted so far. */
const MAX_DUE = 10_000
/** Webhooks are counted at most so often. */
const WEBHOOKS_KEPT_MS = 10_000

/** Looks at the queues: in memory, in the log by one indexed query that has a limit, and at the webhooks. */
export function createQueues({ settings, eventLog, storage, clock }: Base, dispatcher: Pick<Dispatcher, 'backlog'>): () => Promise<Gauges> {
  const countWebhooks = createSharedRead(clock, WEBHOOKS_KEPT_MS, () => storage.webhooks.countAll())
  return async () => {
    const nowMs = clock.now()
    const { inFlight, waiting, oldestDueMs } = dispatcher.backlog()
    const asked = [
      withTimeout(clock, eventLog.dueRetries(nowMs, MAX_DUE)),
      withTimeout(clock, eventLog.plannedRetries(nowMs, nowMs + HOUR_MS, MAX_DUE)),
      withTimeout(clock, countWebhooks()),
      // Where nothing is sent, what waits for a process that sends is the queue.
      does(settings.roles, 'sending') ? undefined : withTimeout(clock, eventLog.unclaimedSinceMs()),
    ] as const
    const [due, retriesPlanned, webhooks, unclaimedSinceMs] = await Promise.all(asked)
    const oldest = [oldestDueMs, due?.sinceMs, unclaimedSinceMs].filter((ms) => ms !== undefined)
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
