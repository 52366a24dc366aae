import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { checkedTransitions } from '../lib/transitions.ts'
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

/** One timer that stands at the earliest date it was set to. */
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
 * idle    nothing is being taken
 * taking  a page is being taken, which serves whoever asked before it began
 * again   a page is being taken, and there may be more since it began
 */
type State = 'idle' | 'taking' | 'again'

const transition = checkedTransitions<State>('taking retries', {
  idle: ['taking'],
  taking: ['again', 'idle'],
  again: ['taking', 'idle'],
})

/**
 * Takes retries from the log as they come due. A webhook that holds as many as it may is passed over until it holds fewer, so
 * that its retries keep nobody else's waiting.
 */
export function createDueRetries({ log, clock, logger, hold, mayHoldMore }: DueRetriesOptions): DueRetries {
  const passedOver = new Set<string>()
  const alarm = createAlarm(clock, () => void take())
  let state: State = 'idle'
  let taking: Promise<void> = Promise.resolve()
  let again: Timer | undefined
  let stopped = false

  const wakeAt = (atMs: number) => {
    if (!stopped) alarm.set(atMs)
  }

  /** After a failure: measured in elapsed time, because the failure has no date. */
  const takeLater = () => {
    again ??= clock.after(AGAIN_MS, () => {
      again = undefined
      void take()
    })
  }

  const hasBeenAsked = () => state === 'again'

  /** True when the page was full, so that there may be more. */
  const takePage = async (): Promise<boolean> => {
    const due = await log.takeDue(clock.now(), PAGE, [...passedOver])
    for (const delivery of due) hold(delivery)
    for (const { webhookId } of due) if (!mayHoldMore(webhookId)) passedOver.add(webhookId)
    if (due.length === PAGE || hasBeenAsked()) return due.length === PAGE
    const nextAtMs = await log.nextDueMs([...passedOver])
    if (nextAtMs !== undefined) wakeAt(nextAtMs)
    return false
  }

  const takePages = async () => {
    try {
      let isMore = true
      while (isMore && !stopped) {
        if (state !== 'taking') state = transition(state, 'taking')
        const isFull = await takePage()
        // Whoever asks between the end of the page and this moment is served too.
        isMore = isFull || hasBeenAsked()
      }
    } catch (error) {
      if (!isUnavailable(error)) logger.error({ err: error }, 'could not read due retries')
      takeLater()
    } finally {
      if (state !== 'idle') state = transition(state, 'idle')
    }
  }

  /** Whoever asks while something is being taken is served by that too. */
  const take = (): Promise<void> => {
    if (state === 'idle') taking = takePages()
    else if (state === 'taking') state = transition(state, 'again')
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
      alarm.cancel()
    },
    stop() {
      stopped = true
      again?.cancel()
      alarm.cancel()
    },
  }
}
