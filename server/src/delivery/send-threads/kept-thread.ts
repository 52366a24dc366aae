import type { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/time.ts'
import { checkedTransitions } from '../../lib/transitions.ts'

/** A thread that has run for this long starts again at once. */
const LONG_RUN_MS = MINUTE_MS
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 5 * SECOND_MS
/** How long a thread may take to close. */
const CLOSE_MS = 2 * SECOND_MS

/** `Message` is what the thread sends. */
export interface KeptThreadOptions<Message> {
  start: () => Worker
  clock: Clock
  logger: Logger
  /** Called when a thread has started; messages to it wait until it reads them. */
  started(): void
  message(message: Message): void
  /** Called when the thread has ended by itself, and will start again. */
  failed?: (() => void) | undefined
  /** Called when the thread has ended: nothing that was sent to it is answered any more. */
  ended(): void
}

/** A thread that is started again whenever it ends. */
export interface KeptThread {
  /** Undefined between an end and the next start. */
  running(): Worker | undefined
  /** Ends the thread, which then starts again. */
  restart(): void
  /** Ends it for good with a message that asks for that, or after two seconds without. `ended` is called if it was running. */
  close(request: unknown): Promise<void>
}

type State = 'running' | 'waiting' | 'closed'

const transition = checkedTransitions<State>('a sender thread', {
  running: ['waiting', 'closed'],
  waiting: ['running', 'closed'],
  closed: ['closed'],
})

/**
 * running → waiting: the thread ended, by an error or because it did not respond.
 * waiting → running: at once after a run of a minute, else after a delay that doubles with each short run, up to 5 s.
 * any → closed: `close`.
 */
export function keepThread<Message>({ start, clock, logger, started, message, failed, ended }: KeptThreadOptions<Message>): KeptThread {
  let state: State = 'running'
  let thread: Worker | undefined
  let startedMs = 0
  let delayMs = 0

  const run = () => {
    let failure: unknown
    startedMs = clock.elapsed()
    thread = start()
    thread.on('message', message)
    thread.once('error', (error) => {
      failure = error
    })
    thread.once('exit', () => {
      thread = undefined
      if (state !== 'closed') again(failure)
      ended()
    })
    started()
  }

  const again = (failure: unknown) => {
    state = transition(state, 'waiting')
    failed?.()
    const wasLong = clock.elapsed() - startedMs >= LONG_RUN_MS
    if (wasLong) delayMs = 0
    logger.error({ err: failure, restart_in_ms: delayMs }, 'a sender thread has ended: its requests have failed, and it starts again')
    clock.after(delayMs, () => {
      if (state !== 'waiting') return
      state = transition(state, 'running')
      run()
    })
    delayMs = Math.min(MAX_DELAY_MS, Math.max(FIRST_DELAY_MS, delayMs * 2))
  }

  run()
  return {
    running: () => thread,
    restart: () => void thread?.terminate(),
    async close(request) {
      state = transition(state, 'closed')
      if (!thread) return
      const closing = thread
      const exited = new Promise((resolve) => closing.once('exit', resolve))
      closing.postMessage(request)
      const patience = clock.after(CLOSE_MS, () => void closing.terminate())
      await exited
      patience.cancel()
    },
  }
}
