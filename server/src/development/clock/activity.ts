import { AsyncLocalStorage } from 'node:async_hooks'
import type { Outgoing, Sender } from '../../delivery/send/sender.ts'
import type { Activity, DatedHappening, Patience } from '../../lib/activity.ts'
import { type Clock, endOfTurn, realTimer } from '../../lib/clock.ts'

/** How long one wait for background work may last in real milliseconds, although more and more begins. */
interface Waits {
  /** While no client calls. */
  aloneMs: number
  /** While clients call, whose calls may leave more work than ever ends. */
  besideCallsMs: number
  /** When an earlier wait of the same advance was too long already. */
  hurriedMs: number
}

/** Long enough for a database and for work that uses the processor. */
const PATIENCE: Patience = { ms: 10_000 }

const WAITS: Waits = { aloneMs: 30_000, besideCallsMs: 2000, hurriedMs: 20 }

interface Work {
  patience: Patience
  startedMs: number
  /** Not before the call that began it is answered. */
  isCounted: boolean
  ended?: () => void
}

/** The call of a client that is being answered, and its work under way. */
interface Call {
  isAnswered: boolean
  works: Set<Work>
}

/** Two turns of the event loop: what has ended may have begun something else through a batch of the next turn. */
const TURNS = 2

/** Whether this count stays the same for so many turns of the event loop. */
async function isUnchanged(count: () => number, turns: number): Promise<boolean> {
  const before = count()
  for (let turn = 0; turn < turns && count() === before; turn += 1) await endOfTurn()
  return count() === before
}

function createHappenings(clock: Clock): Pick<Activity, 'happened' | 'collect'> {
  let collected: { happened: DatedHappening[]; more: number; limit: number } | undefined
  return {
    happened(happening) {
      if (!collected) return
      if (collected.happened.length === collected.limit) collected.more += 1
      else collected.happened.push({ at: new Date(clock.now()).toISOString(), ...happening })
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

export function createActivity(clock: Clock, { aloneMs, besideCallsMs, hurriedMs }: Waits = WAITS): Activity {
  /** What counts, without what has used up its patience. */
  const underWay = new Set<Work>()
  const calls = new AsyncLocalStorage<Call | undefined>()
  let callsBegun = 0
  let changes = 0
  const { happened, collect } = createHappenings(clock)

  const count = (work: Work) => {
    work.isCounted = true
    underWay.add(work)
    changes += 1
  }

  const giveUp = (work: Work) => {
    underWay.delete(work)
    const name = work.patience.name?.()
    if (name)
      happened({ kind: 'not_awaited', request: name, outcome: `no answer within ${work.patience.ms} ms of real time: the clock moved on` })
  }

  const leftMs = ({ startedMs, patience }: Work) => startedMs + patience.ms - clock.monotonic()

  /** Resolves when the work with the least patience has ended, or has used it up. */
  const firstEnded = (works: readonly Work[]) => {
    const first = works.reduce((one, other) => (leftMs(other) < leftMs(one) ? other : one))
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

  return {
    happened,
    collect,
    track(work, patience = PATIENCE) {
      const entry: Work = { patience, startedMs: clock.monotonic(), isCounted: false }
      const call = calls.getStore()
      if (call && !call.isAnswered) call.works.add(entry)
      else count(entry)
      const end = () => {
        call?.works.delete(entry)
        underWay.delete(entry)
        if (entry.isCounted) changes += 1
        entry.ended?.()
      }
      work.then(end, end)
      return work
    },
    async answer(run) {
      const call: Call = { isAnswered: false, works: new Set() }
      callsBegun += 1
      try {
        return await calls.run(call, run)
      } finally {
        call.isAnswered = true
        for (const work of call.works) count(work)
      }
    },
    apart: (run) => calls.run(undefined, run),
    async quiet({ isHurried } = { isHurried: false }) {
      const [beganMs, before] = [clock.monotonic(), callsBegun]
      const limitMs = () => (isHurried ? hurriedMs : callsBegun === before ? aloneMs : besideCallsMs)
      for (let turns = 1; ; turns = TURNS) {
        const awaited = [...underWay].filter(({ startedMs }) => startedMs < beganMs + limitMs())
        if (awaited.length > 0) await firstEnded(awaited)
        else if (underWay.size === 0 && (await isUnchanged(() => changes, turns))) return true
        else if (clock.monotonic() >= beganMs + limitMs()) break
      }
      const outcome = `more and more began for ${limitMs()} ms of real time: the clock moved on`
      if (!isHurried) happened({ kind: 'not_awaited', request: 'work in the background', outcome })
      return false
    },
  }
}

/**
 * Advances the clock timer by timer. After each it waits until what that started has ended, so that nothing is skipped: an attempt that
 * fails makes a retry, which is due later, and runs as well. Once a wait was too long, the later ones are short.
 */
export async function advanceAndWait(clock: Clock, activity: Activity, ms: number): Promise<void> {
  const untilMs = clock.elapsed() + Math.round(ms)
  let isHurried = false
  const wait = async () => {
    if (!(await activity.quiet({ isHurried }))) isHurried = true
  }
  do await wait()
  while (clock.runNext(untilMs))
  await wait()
}

/** A moved clock does not wait longer for one answer, in real time: its deadline is a timer too. */
const PATIENCE_MS = 1000

const nameOf = ({ method, to }: Outgoing) => `${method} ${typeof to === 'string' ? to : to.origin + to.path}`.replace(/\?.*/, '')

/** The same sender, whose requests count as work under way. */
export const trackSender =
  (activity: Activity) =>
  (sender: Sender): Sender => ({ ...sender, send: (out) => activity.track(sender.send(out), { ms: PATIENCE_MS, name: () => nameOf(out) }) })
