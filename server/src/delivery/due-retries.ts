import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { checkedTransitions } from '../lib/transitions.ts'
import { type Delivery, type EventLog, RANGE_PAGE_BYTES } from '../storage/event-log.ts'
import { isUnavailable } from '../storage/unavailable.ts'

/** How many retries are read from the log at once. */
const PAGE = 256

/** Delay before the next try when the database did not answer. */
export const RETRY_DELAY_MS = 1000

export interface DueRetriesOptions {
  log: Pick<EventLog, 'takeDue' | 'nextDueMs'>
  clock: Clock
  logger: Logger
  /** Called with each due retry. */
  hold(delivery: Delivery): void
  mayHoldMore(webhookId: string): boolean
}

export interface DueRetries {
  /** Takes the due retries of every webhook that may hold more, and again when the next one is due. Never rejects. */
  take(): Promise<void>
  /** Takes due retries at this time, in milliseconds since 1970. Call it for a committed retry: the log would not find it earlier. */
  wakeAt(atMs: number): void
  /** Finds out when the next retry is due, because another process may have planned some: if it is frozen then, nobody else would take them. Never rejects. */
  lookAhead(): Promise<void>
  /** Called after an acknowledgement: the webhook may hold more again. */
  acknowledged(webhookId: string): void
  /** Whether the webhook holds its maximum: what else is due of it stays in the log. */
  isSkipped(webhookId: string): boolean
  /** Drops all state, because the log was wiped. */
  clear(): void
  stop(): void
}

/** One timer for the earliest of the dates that were set. */
function createAlarm(clock: Clock, ring: () => void) {
  let timer: Timer | undefined
  let atMs = Number.POSITIVE_INFINITY

  const cancel = () => {
    timer?.cancel()
    atMs = Number.POSITIVE_INFINITY
  }

  const set = (dateMs: number) => {
    if (dateMs >= atMs) return
    cancel()
    atMs = dateMs
    timer = clock.at(dateMs, () => {
      cancel()
      ring()
    })
  }

  return { set, cancel }
}

/**
 * idle    no page is being read
 * taking  a page is being read, for all calls before it began
 * again   a page is being read, and there was a call since it began: another one is read
 */
type State = 'idle' | 'taking' | 'again'

const transition = checkedTransitions<State>('taking retries', {
  idle: ['taking'],
  taking: ['again', 'idle'],
  again: ['taking', 'idle'],
})

/**
 * Takes retries from the log when they are due. A webhook that holds its maximum is skipped until it holds fewer, so that it does not delay
 * the retries of others.
 */
export function createDueRetries({ log, clock, logger, hold, mayHoldMore }: DueRetriesOptions): DueRetries {
  const skipped = new Set<string>()
  const alarm = createAlarm(clock, () => void take())
  let state: State = 'idle'
  let taking: Promise<void> = Promise.resolve()
  let again: Timer | undefined
  let stopped = false

  const wakeAt = (atMs: number) => {
    if (!stopped) alarm.set(atMs)
  }

  /** Tries again after a failure, in elapsed time. */
  const takeLater = () => {
    again ??= clock.after(RETRY_DELAY_MS, () => {
      again = undefined
      void take()
    })
  }

  const lookAhead = async () => {
    const nextAtMs = await log.nextDueMs([...skipped])
    if (nextAtMs !== undefined) wakeAt(nextAtMs)
  }

  const calledAgain = () => state === 'again'

  /** Returns true if the page was full, so that there may be more. */
  const takePage = async (): Promise<boolean> => {
    const due = await log.takeDue(clock.now(), PAGE, [...skipped])
    for (const delivery of due) hold(delivery)
    for (const { webhookId } of due) if (!mayHoldMore(webhookId)) skipped.add(webhookId)
    const bytes = due.reduce((sum, { content }) => sum + content.length, 0)
    const isFull = due.length === PAGE || bytes >= RANGE_PAGE_BYTES
    if (isFull || calledAgain()) return isFull
    await lookAhead()
    return false
  }

  const failed = (error: unknown) => {
    if (!isUnavailable(error)) logger.error({ err: error }, 'could not read due retries')
    takeLater()
  }

  const takePages = async () => {
    try {
      let isMore = true
      while (isMore && !stopped) {
        if (state !== 'taking') state = transition(state, 'taking')
        const isFull = await takePage()
        // Also serves a call between the end of the page and this line.
        isMore = isFull || calledAgain()
      }
    } catch (error) {
      failed(error)
    } finally {
      if (state !== 'idle') state = transition(state, 'idle')
    }
  }

  /** A call while pages are being read is served by them or by one more page. */
  const take = (): Promise<void> => {
    if (state === 'idle') taking = takePages()
    else if (state === 'taking') state = transition(state, 'again')
    return taking
  }

  return {
    take,
    wakeAt,
    async lookAhead() {
      if (!stopped) await lookAhead().catch(failed)
    },
    isSkipped: (webhookId) => skipped.has(webhookId),
    acknowledged(webhookId) {
      if (mayHoldMore(webhookId) && skipped.delete(webhookId)) void take()
    },
    clear() {
      skipped.clear()
      alarm.cancel()
    },
    stop() {
      stopped = true
      again?.cancel()
      alarm.cancel()
    },
  }
}
