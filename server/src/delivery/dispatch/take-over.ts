import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { checkedTransitions } from '../../lib/transitions.ts'
import { isUnavailable } from '../../storage/unavailable.ts'
import { RETRY_DELAY_MS } from '../due-retries.ts'

export interface TakeOverOptions {
  /** Takes over everything that no live process holds. */
  takeOver(): Promise<void>
  clock: Clock
  logger: Logger
}

/**
 * idle     no takeover is running
 * taking   a takeover is running
 * again    a takeover is running, and there may be more work since it began: it runs once more
 * waiting  it failed, and is retried in a second
 */
type State = 'idle' | 'taking' | 'again' | 'waiting' | 'stopped'

const transition = checkedTransitions<State>('taking over', {
  idle: ['taking', 'stopped'],
  taking: ['idle', 'again', 'waiting', 'stopped'],
  again: ['taking', 'waiting', 'stopped'],
  waiting: ['taking', 'stopped'],
  stopped: [],
})

/** Takes over the deliveries that no live process holds, whenever there may be some. */
export function createTakeOver({ takeOver, clock, logger }: TakeOverOptions) {
  let state: State = 'idle'

  const change = (to: State) => {
    state = transition(state, to)
  }

  const failed = (error: unknown) => {
    if (!isUnavailable(error)) logger.error({ err: error }, 'could not take over the deliveries of a dead process')
    if (state === 'stopped') return
    change('waiting')
    clock.after(RETRY_DELAY_MS, () => state === 'waiting' && take())
  }

  const ended = () => {
    if (state === 'again') take()
    else if (state === 'taking') change('idle')
  }

  function take() {
    change('taking')
    takeOver().then(ended, failed)
  }

  return {
    /** Called when there may be something to take over. */
    wake() {
      if (state === 'idle' || state === 'waiting') take()
      else if (state === 'taking') change('again')
    },
    stop() {
      if (state !== 'stopped') change('stopped')
    },
  }
}
