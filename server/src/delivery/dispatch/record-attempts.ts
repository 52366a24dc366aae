import type { Logger } from 'pino'
import { traceIdOf } from '../../lib/traceparent.ts'
import type { Attempt, Delivery, EventLog } from '../../storage/event-log.ts'
import { logUnlessUnavailable } from '../../storage/unavailable.ts'
import type { Destination, NoDestination } from '../destinations.ts'
import type { WorkKind } from '../lanes/lane.ts'

export interface RecorderOptions {
  log: Pick<EventLog, 'acknowledge' | 'flush'>
  logger: Logger
  /**
   * In development: what else the log line of a failed attempt says, such as what the callback answered. Then each failed attempt is a
   * warning, not only the last one of a delivery.
   */
  explains?: (attempt: Attempt) => Record<string, string>
  /** Called with the due time of a retry, once that is committed. The log would not find it earlier. */
  retryAt(atMs: number): void
}

/** What the log line of an attempt contains besides the delivery and the attempt. */
export interface Attempted {
  kind: WorkKind
  destination: Destination | NoDestination
  nextAtMs: number | null
}

/** The members of the log line of an attempt. Never a secret, a signature or a body that was sent. */
const attemptLine = (delivery: Delivery, attempt: Attempt, { kind, destination, nextAtMs }: Attempted, more: Record<string, string>) => ({
  event_uuid: delivery.eventUuid,
  event_type: delivery.eventType,
  webhook_id: delivery.webhookId,
  app_id: typeof destination === 'string' ? null : destination.appId,
  kind,
  attempt: delivery.attempts + 1,
  outcome: attempt.outcome,
  status: attempt.status,
  latency_ms: attempt.latencyMs,
  ...(attempt.error !== '' && { error: attempt.error }),
  next_try_at: nextAtMs === null ? null : new Date(nextAtMs).toISOString(),
  ...(delivery.traceparent !== undefined && { trace_id: traceIdOf(delivery.traceparent) }),
  ...more,
})

/** Under load most attempts go well, or are one of many to a callback that is down: a log has one line for each delivery that failed. */
function levelOf(outcome: Attempt['outcome'], isRetried: boolean): 'debug' | 'info' | 'warn' {
  if (outcome === 'delivered' || isRetried) return 'debug'
  return outcome === 'failed' ? 'warn' : 'info'
}

const NOTHING_MORE = {}

/** Records attempts in the event log and in the process log. */
export function createRecorder({ log, logger, explains, retryAt }: RecorderOptions) {
  /** The commit of the last attempt, whose failure is logged. Attempts of one commit share a promise. */
  let watched: Promise<void> | undefined

  const failed = (error: unknown) => logUnlessUnavailable(logger, error, 'could not record attempts')

  return {
    note(delivery: Delivery, attempt: Attempt, about: Attempted) {
      const isFailed = attempt.outcome === 'failed'
      const level = levelOf(attempt.outcome, about.nextAtMs !== null && !explains)
      const more = (isFailed && explains?.(attempt)) || NOTHING_MORE
      if (logger.isLevelEnabled(level)) logger[level](attemptLine(delivery, attempt, about, more), 'attempt')
    },
    acknowledge(delivery: Delivery, attempt: Attempt, nextAtMs: number | null) {
      const committed = log.acknowledge(delivery, attempt, nextAtMs)
      if (nextAtMs !== null) committed.then(() => retryAt(nextAtMs), failed)
      else if (committed !== watched) committed.catch(failed)
      watched = committed
    },
    /** Resolves once everything is committed or the commit has failed. */
    flush: () => log.flush().catch(failed),
  }
}
