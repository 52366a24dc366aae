import { type Clock, endOfTurn, realTimer } from './clock.ts'

/** Something that happened while the clock was moved. */
export interface Happening {
  kind: string
  outcome: string
  /** Ids and what else tells it from others. */
  [about: string]: string | number | null
}

export interface DatedHappening extends Happening {
  /** ISO 8601. */
  at: string
}

export interface Collected<T> {
  result: T
  /** Oldest first. */
  happened: DatedHappening[]
  /** How many more there were. */
  more: number
}

/** How long work is waited for, in real milliseconds, and its name if it takes longer. */
export interface Patience {
  ms: number
  name?: () => string
}

/** The work under way, and what happened. Whoever moves the clock waits for the first and reads the second. */
export interface Activity {
  /** Counts a promise until it has settled. Returns it unchanged. */
  track<T>(work: Promise<T>, patience?: Patience): Promise<T>
  happened(happening: Happening): void
  /** Resolves once nothing is under way but what has used up its patience. */
  quiet(): Promise<void>
  /** Collects what happens during `run`, at most `limit` things. One at a time. */
  collect<T>(limit: number, run: () => Promise<T>): Promise<Collected<T>>
}

/** Counts nothing, for production. */
export const noActivity: Activity = {
  track: (work) => work,
  happened() {},
  quiet: async () => {},
  collect: async (_limit, run) => ({ result: await run(), happened: [], more: 0 }),
}

/** Long enough for a database and for work that uses the processor. */
const PATIENCE: Patience = { ms: 10_000 }

interface Work {
  patience: Patience
  startedMs: number
  ended?: () => void
}

/** Two turns of the event loop: what has ended may have begun something else through a batch of the next turn. */
const TURNS = 2

export function createActivity(clock: Clock): Activity {
  /** Without what has used up its patience. */
  const underWay = new Set<Work>()
  let changes = 0
  let collected: { happened: DatedHappening[]; more: number; limit: number } | undefined

  const happened = (happening: Happening) => {
    if (!collected) return
    if (collected.happened.length === collected.limit) collected.more += 1
    else collected.happened.push({ at: new Date(clock.now()).toISOString(), ...happening })
  }

  const giveUp = (work: Work) => {
    underWay.delete(work)
    const name = work.patience.name?.()
    if (name)
      happened({ kind: 'not_awaited', request: name, outcome: `no answer within ${work.patience.ms} ms of real time: the clock moved on` })
  }

  const leftMs = ({ startedMs, patience }: Work) => startedMs + patience.ms - clock.monotonic()

  /** Resolves when the work with the least patience has ended, or has used it up. */
  const firstEnded = () => {
    const first = [...underWay].reduce((one, other) => (leftMs(other) < leftMs(one) ? other : one))
    return new Promise<void>((resolve) => {
      const timer = realTimer(Math.max(0, leftMs(first)), () => {
        giveUp(first)
        resolve()
      })
      first.ended = () => {
        timer.cancel()
        resolve()
      }
    })
  }

  /** Whether nothing began or ended within so many turns of the event loop. */
  const isUnchanged = async (turns: number) => {
    const before = changes
    for (let turn = 0; turn < turns && changes === before; turn += 1) await endOfTurn()
    return changes === before
  }

  return {
    happened,
    track(work, patience = PATIENCE) {
      const entry: Work = { patience, startedMs: clock.monotonic() }
      underWay.add(entry)
      changes += 1
      const end = () => {
        underWay.delete(entry)
        changes += 1
        entry.ended?.()
      }
      work.then(end, end)
      return work
    },
    async quiet() {
      let turns = 1
      while (underWay.size > 0 || !(await isUnchanged(turns))) {
        turns = TURNS
        if (underWay.size > 0) await firstEnded()
      }
    },
    async collect(limit, run) {
      const mine = { happened: [], more: 0, limit }
      collected = mine
      try {
        return { result: await run(), happened: mine.happened, more: mine.more }
      } finally {
        collected = undefined
      }
    },
  }
}

/**
 * Advances the clock timer by timer. After each it waits until what that started has ended, so that nothing is skipped: an attempt that
 * fails makes a retry, which is due later, and runs as well.
 */
export async function advanceAndWait(clock: Clock, activity: Activity, ms: number): Promise<void> {
  const untilMs = clock.elapsed() + Math.round(ms)
  do await activity.quiet()
  while (clock.runNext(untilMs))
  await activity.quiet()
}
