import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import type { Delivery, EventLog } from '../storage/event-log.ts'
import { isUnavailable } from '../storage/unavailable.ts'

/** How many are taken from the log at once. */
const PAGE = 256

/** How long to wait before asking a database again that did not answer. */
export const AGAIN_MS = 1000

export interface DueRetriesOptions {
  log: Pick<EventLog, 'takeDue' | 'nextDueMs'>
  clock: Clock
  logger: Logger
  /** Is given each retry that is due. */
  hold(delivery: Delivery): void
  mayHoldMore(webhookId: string): boolean
}

export interface DueRetries {
  /** Takes what is due of every webhook that may hold more, and wakes again when the next is due. Never rejects. */
  take(): Promise<void>
  /** Takes what is due at this moment, in milliseconds since 1970. For a retry that is committed: before that the log would not find it. */
  wakeAt(atMs: number): void
  /** The webhook may hold more again. */
  acknowledged(webhookId: string): void
  /** Forgets everything: the log was wiped. */
  clear(): void
  stop(): void
}

/**
 * Takes retries from the log as they come due. A webhook that holds as many as it may is passed over until it holds fewer, so
 * that its retries keep nobody else's waiting.
 */
export function createDueRetries({ log, clock, logger, hold, mayHoldMore }: DueRetriesOptions): DueRetries {
  const passedOver = new Set<string>()
  let asked = false
  let taking: Promise<void> | undefined
  let timer: Timer | undefined
  let again: Timer | undefined
  let wakesAtMs = Number.POSITIVE_INFINITY
  let stopped = false

  const sleep = () => {
    timer?.cancel()
    wakesAtMs = Number.POSITIVE_INFINITY
  }

  const wakeAt = (atMs: number) => {
    if (stopped || atMs >= wakesAtMs) return
    sleep()
    wakesAtMs = atMs
    timer = clock.at(atMs, () => {
      sleep()
      void take()
    })
  }

  /** After a failure: measured in elapsed time, because the failure has no date. */
  const takeLater = () => {
    again ??= clock.after(AGAIN_MS, () => {
      again = undefined
      void take()
    })
  }

  const takePage = async () => {
    const due = await log.takeDue(clock.now(), PAGE, [...passedOver])
    for (const delivery of due) hold(delivery)
    for (const { webhookId } of due) if (!mayHoldMore(webhookId)) passedOver.add(webhookId)
    if (due.length === PAGE) asked = true
    const nextAtMs = asked ? undefined : await log.nextDueMs([...passedOver])
    if (nextAtMs !== undefined) wakeAt(nextAtMs)
  }

  const takePages = async () => {
    try {
      while (asked && !stopped) {
        asked = false
        await takePage()
      }
    } catch (error) {
      if (!isUnavailable(error)) logger.error({ err: error }, 'due retries could not be read')
      takeLater()
    } finally {
      taking = undefined
    }
  }

  /** Whoever asks while something is being taken is served by that too. */
  const take = (): Promise<void> => {
    asked = true
    taking ??= takePages()
    return taking
  }

  return {
    take,
    wakeAt,
    acknowledged(webhookId) {
      if (mayHoldMore(webhookId) && passedOver.delete(webhookId)) void take()
    },
    clear() {
      passedOver.clear()
      sleep()
    },
    stop() {
      stopped = true
      again?.cancel()
      sleep()
    },
  }
}
