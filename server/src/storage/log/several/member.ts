import type { Clock, Timer } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import { checkedTransitions } from '../../../lib/transitions.ts'
import type { StorageLog } from '../../storage-log.ts'
import { asUnavailable, DeletedMeanwhile, isUnavailable, Unavailable } from '../../unavailable.ts'
import type { PostgresLog } from '../postgres/open-postgres-log.ts'

/** How often a log that is away is looked for. */
const LOOK_MS = SECOND_MS

/** Timeouts of statements and locks, and deadlocks: the server answers. */
const ANSWERS = /^(57014|55P03|25P03|40001|40P01)$/

/** Whether an error of a log means that it cannot be used by anybody. */
export function meansAway(error: unknown): boolean {
  const mapped = asUnavailable(error)
  if (mapped === error || mapped instanceof DeletedMeanwhile) return false
  return !ANSWERS.test(String((error as { code?: unknown }).code))
}

/** A log is away. Nothing was asked of it. */
export class LogAway extends Unavailable {
  constructor(logs: readonly number[], consequence: string) {
    super(`The event ${logs.length === 1 ? `log ${logs[0]} is` : `logs ${logs.join(' and ')} are`} away. ${consequence}`)
  }
}

const RETRY = 'Nothing was changed; retry in a moment.'

/**
 * there   it can be used
 * away    it was not opened since the start, or did not answer since: it is looked for every second
 */
type State = 'there' | 'away' | 'closed'

const transition = checkedTransitions<State>('an event log', { there: ['away', 'closed'], away: ['there', 'closed'], closed: [] })

export interface MemberOptions {
  log: number
  place: string
  /** Opens the log. `lost` is to be called with each error that means that it is away. */
  open(lost: (error: unknown) => void): Promise<PostgresLog>
  clock: Clock
  logger: StorageLog | undefined
  /** It can be used again, or for the first time, since when it was away. */
  returned(sinceMs: number): void
}

/** One of several logs, which may be away. */
export interface Member {
  readonly log: number
  readonly place: string
  /** Since when it is away; undefined while it is there. */
  awaySinceMs(): number | undefined
  isAway(): boolean
  /** Throws `LogAway` while it is away. */
  use(): PostgresLog
  /** The log, away or not; undefined before it was opened. */
  opened(): PostgresLog | undefined
  /** Opens it for the first time. If it cannot be reached it is away. */
  start(): Promise<void>
  close(): Promise<void>
}

export function createMember({ log, place, open, clock, logger, returned }: MemberOptions): Member {
  let state: State = 'away'
  let sinceMs = clock.now()
  let opened: PostgresLog | undefined
  let looking: Promise<void> | undefined
  let timer: Timer | undefined
  let told = ''

  /** Once for each reason: it is tried every second. */
  const tell = (error: Error) => {
    if (error.message === told) return
    told = error.message
    logger?.error({ err: error, log, place }, 'an event log cannot be opened')
  }

  const later = () => {
    timer ??= clock.after(
      LOOK_MS,
      () => {
        timer = undefined
        look()
      },
      { isUpkeep: true },
    )
  }

  const lost = (error: unknown) => {
    if (state !== 'there' || !meansAway(error)) return
    state = transition(state, 'away')
    sinceMs = clock.now()
    logger?.warn({ log, place }, 'an event log is away: events for its webhooks are refused until it is back')
    look()
  }

  const find = async () => {
    opened ??= await open(lost)
    await opened.probe()
  }

  const found = () => {
    if (state !== 'away') return
    state = transition(state, 'there')
    logger?.info({ log, place, away_ms: Math.round(clock.now() - sinceMs) }, 'an event log is there')
    returned(sinceMs)
  }

  function look() {
    looking ??= find()
      .then(found, (error) => {
        if (!isUnavailable(asUnavailable(error))) tell(error as Error)
      })
      .finally(() => {
        looking = undefined
        // It may have been lost again meanwhile.
        if (state === 'away') later()
      })
  }

  return {
    log,
    place,
    awaySinceMs: () => (state === 'away' ? sinceMs : undefined),
    isAway: () => state !== 'there',
    use() {
      if (state !== 'there') throw new LogAway([log], RETRY)
      return opened!
    },
    opened: () => opened,
    async start() {
      try {
        await find()
        state = transition(state, 'there')
      } catch (error) {
        if (!isUnavailable(asUnavailable(error))) throw error
        logger?.warn({ log, place }, 'an event log is away: events for its webhooks are refused until it is back')
        later()
      }
    },
    async close() {
      const wasThere = state === 'there'
      state = transition(state, 'closed')
      timer?.cancel()
      await looking?.catch(() => {})
      await opened?.close().catch((error) => {
        // What it held is taken over by others, or by the next start.
        if (wasThere || !isUnavailable(asUnavailable(error))) throw error
      })
    },
  }
}
