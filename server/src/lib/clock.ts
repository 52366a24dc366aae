/** A timer that can be taken back. */
export interface Timer {
  cancel(): void
}

/**
 * The one source of time. Everything that reads the time or waits for it does so here, so that a test,
 * or an integrator through the operator endpoint, can move it by hand.
 *
 * There are two: the wall clock (`now`, `at`) may be set back or forth by whoever corrects the machine's, and is for what has a date;
 * elapsed time (`elapsed`, `after`) only grows, and is for every timeout, window and age.
 */
export interface Clock {
  /** The wall clock: milliseconds since 1970, as Postern sees them. It may go back. */
  now(): number
  /** Milliseconds that only grow, for deadlines and ages. The zero is arbitrary; `advance` moves them, a step of the wall clock does not. */
  elapsed(): number
  /** Milliseconds that only grow, for measuring how long something took. Never moved by hand. */
  monotonic(): number
  /** Calls `run` once `delayMs` have elapsed. A timer does not keep the process alive. */
  after(delayMs: number, run: () => void): Timer
  /** Calls `run` once the wall clock has reached `dateMs`, in milliseconds since 1970. A step of it is noticed within ten seconds. */
  at(dateMs: number, run: () => void): Timer
  /** Moves both clocks forward and runs, in order, every timer that came due on the way. */
  advance(ms: number): void
  /** Puts the wall clock alone `offsetMs` ahead of the machine's. For the start, for a reset, and to step it as a correction would. */
  setOffset(offsetMs: number): void
  /** How far the wall clock is ahead of the machine's, in milliseconds. */
  offset(): number
}

/** setTimeout counts in signed 32-bit milliseconds; a longer wait is taken in steps. */
const LONGEST_WAIT_MS = 2 ** 31 - 1
/** How often a timer that waits for a date looks at the wall clock, which may have been set meanwhile. */
const WALL_LOOK_MS = 10_000

interface Entry {
  /** When it is due, in elapsed milliseconds, while these are `shiftMs` ahead of the wall clock. */
  dueMs(shiftMs: number): number
  order: number
  run(): void
  arm(): void
}

/** What timers look at. */
interface Hands {
  elapsed(): number
  now(): number
}

/** The timers of a clock. */
function createTimers({ elapsed, now }: Hands) {
  let order = 0
  const waiting = new Set<Entry>()

  const leftOf = (entry: Entry) => {
    const elapsedMs = elapsed()
    return entry.dueMs(elapsedMs - now()) - elapsedMs
  }

  /** `longestMs` is how long it waits before it looks at the clock again. */
  const wait = (dueMs: Entry['dueMs'], longestMs: number, run: () => void): Timer => {
    let handle: NodeJS.Timeout | undefined
    const cancel = () => {
      waiting.delete(entry)
      clearTimeout(handle)
    }
    const fire = () => {
      if (!waiting.has(entry)) return
      if (leftOf(entry) > 0) entry.arm()
      else entry.run()
    }
    const entry: Entry = {
      dueMs,
      order: order++,
      run() {
        cancel()
        run()
      },
      arm() {
        clearTimeout(handle)
        handle = setTimeout(fire, Math.min(longestMs, Math.max(0, leftOf(entry))))
        handle.unref()
      },
    }
    waiting.add(entry)
    entry.arm()
    return { cancel }
  }

  const earliestUntil = (elapsedMs: number) => {
    const shiftMs = elapsed() - now()
    let found: { entry: Entry; dueMs: number } | undefined
    for (const entry of waiting) {
      const dueMs = entry.dueMs(shiftMs)
      if (dueMs > elapsedMs) continue
      if (!found || dueMs < found.dueMs || (dueMs === found.dueMs && entry.order < found.entry.order)) found = { entry, dueMs }
    }
    return found?.entry
  }

  return { waiting, leftOf, wait, earliestUntil }
}

/** A clock that runs with the machine's, `offsetMs` ahead of it. A test may give it another wall clock, and step that. */
export function createClock(offsetMs = 0, wall: () => number = Date.now): Clock {
  let offset = offsetMs
  let advancedMs = 0
  const now = () => wall() + offset
  const elapsed = () => Math.floor(performance.now()) + advancedMs
  const timers = createTimers({ elapsed, now })

  const move = (ms: number) => {
    if (ms <= 0) return
    offset += ms
    advancedMs += ms
  }

  return {
    now,
    elapsed,
    monotonic: () => performance.now(),
    after(delayMs, run) {
      const dueMs = elapsed() + Math.ceil(Math.max(0, delayMs))
      return timers.wait(() => dueMs, LONGEST_WAIT_MS, run)
    },
    at: (dateMs, run) => timers.wait((shiftMs) => Math.ceil(dateMs) + shiftMs, WALL_LOOK_MS, run),
    advance(ms) {
      const target = elapsed() + Math.round(ms)
      for (let entry = timers.earliestUntil(target); entry; entry = timers.earliestUntil(target)) {
        move(timers.leftOf(entry))
        entry.run()
      }
      move(target - elapsed())
      for (const entry of timers.waiting) entry.arm()
    },
    setOffset(ms) {
      offset = ms
    },
    offset: () => offset,
  }
}

/** Resolves once everything that came in at the same time has been looked at: what waits for it can be done together. */
export const thisRoundIsOver = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
