import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { checkedTransitions } from '../lib/transitions.ts'
import type { Delivery, EventLog } from '../storage/event-log.ts'
import { isUnavailable } from '../storage/unavailable.ts'
import { RETRY_DELAY_MS } from './due-retries.ts'

export interface ReadBackOptions {
  log: Pick<EventLog, 'read'>
  clock: Clock
  logger: Logger
  /** Called with each delivery that was read. */
  hold(delivery: Delivery): void
  /** How many deliveries are read at once. */
  pageSize(): number
}

/** Reads back the deliveries of parked webhooks from the log. */
export interface ReadBack {
  /** The webhook's deliveries wait in the log from now on. */
  park(webhookId: string): void
  isParked(webhookId: string): boolean
  /** Whether deliveries of any webhook wait in the log. */
  isAnyParked(): boolean
  /** Reads the webhook's next page, unless one is being read. An empty page means that it has caught up. Never rejects. */
  next(webhookId: string): Promise<void>
  /** Reads the next page of every parked webhook, because what was held of them is gone. */
  nextOfAll(): void
  /** Drops all state, because the log was wiped. */
  clear(): void
  stop(): void
}

/**
 * caught up  no deliveries of the webhook wait in the log; it has no entry here
 * parked     its deliveries wait in the log, and no page is being read
 * reading    a page is being read; if it is empty, the webhook has caught up
 * reparked   a page is being read, and the webhook was parked again meanwhile; an empty page means nothing
 * cleared    a page is being read, and the log was wiped meanwhile
 */
type State = 'caught up' | 'parked' | 'reading' | 'reparked' | 'cleared'

const transition = checkedTransitions<State>('a parked webhook', {
  'caught up': ['parked'],
  parked: ['parked', 'reading', 'caught up'],
  reading: ['parked', 'reparked', 'cleared', 'caught up'],
  reparked: ['parked', 'reparked', 'cleared'],
  cleared: ['reparked', 'cleared', 'caught up'],
})

const whenParked: Record<State, State> = {
  'caught up': 'parked',
  parked: 'parked',
  reading: 'reparked',
  reparked: 'reparked',
  cleared: 'reparked',
}

export function createReadBack({ log, clock, logger, hold, pageSize }: ReadBackOptions): ReadBack {
  const states = new Map<string, State>()
  let stopped = false
  /** How often the log was wiped. */
  let wipes = 0

  const stateOf = (webhookId: string) => states.get(webhookId) ?? 'caught up'

  const change = (webhookId: string, to: State) => {
    if (transition(stateOf(webhookId), to) === 'caught up') states.delete(webhookId)
    else states.set(webhookId, to)
  }

  /** Returns true if the page was empty but the webhook was parked again meanwhile: another page has to be read at once. */
  const readPage = async (webhookId: string): Promise<boolean> => {
    change(webhookId, 'reading')
    const wipesBefore = wipes
    const page = await log.read(webhookId, pageSize()).catch((error) => {
      change(webhookId, stateOf(webhookId) === 'cleared' ? 'caught up' : 'parked')
      throw error
    })
    const state = stateOf(webhookId)
    const caughtUp = state === 'cleared' || (page.length === 0 && state === 'reading')
    change(webhookId, caughtUp ? 'caught up' : 'parked')
    // A page of the log before is dropped, like what was held.
    const isOld = wipes !== wipesBefore
    if (!isOld) for (const delivery of page) hold(delivery)
    return (page.length === 0 || isOld) && !caughtUp
  }

  const failed = (error: unknown, webhookId: string) => {
    if (!isUnavailable(error)) logger.error({ err: error, webhook_id: webhookId }, 'could not read pending deliveries from the event log')
    clock.after(RETRY_DELAY_MS, () => void next(webhookId))
  }

  async function next(webhookId: string): Promise<void> {
    try {
      while (stateOf(webhookId) === 'parked' && !stopped) if (!(await readPage(webhookId))) return
    } catch (error) {
      failed(error, webhookId)
    }
  }

  const isParked = (webhookId: string) => {
    const state = stateOf(webhookId)
    return state !== 'caught up' && state !== 'cleared'
  }

  return {
    park: (webhookId) => change(webhookId, whenParked[stateOf(webhookId)]),
    isParked,
    isAnyParked: () => [...states.keys()].some(isParked),
    next,
    nextOfAll() {
      for (const webhookId of [...states.keys()]) void next(webhookId)
    },
    clear() {
      wipes += 1
      for (const [webhookId, state] of states) change(webhookId, state === 'parked' ? 'caught up' : 'cleared')
    },
    stop() {
      stopped = true
    },
  }
}
