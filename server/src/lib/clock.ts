/** A timer that can be cancelled. */
export interface Timer {
  cancel(): void
}

export interface TimerOptions {
  /** It keeps something alive while real time passes, such as a lease. `runNext` leaves it out. */
  isUpkeep?: boolean
}

/**
 * The one source of time. Everything that reads the time or waits for it does so here, so that a test,
 * or an integrator through the operator endpoint, can move it by hand.
 *
 * There are two: the wall clock (`now`, `at`) is for dates, and may step back or forward when the system's clock is corrected. Elapsed time
 * (`elapsed`, `after`) is monotonic, and is for every timeout, window and age.
 */
export interface Clock {
  /** The wall clock: milliseconds since 1970. It may step back. */
  now(): number
  /** Monotonic milliseconds for deadlines and ages. The zero is arbitrary. `advance` moves them; a step of the wall clock does not. */
  elapsed(): number
  /** Monotonic milliseconds for measuring durations. Never moved by hand. */
  monotonic(): number
  /** Calls `run` once `delayMs` have elapsed. A timer does not keep the process alive. */
  after(delayMs: number, run: () => void, options?: TimerOptions): Timer
  /** Calls `run` once the wall clock has reached `dateMs`, in milliseconds since 1970. A step of the clock is noticed within ten seconds. */
  at(dateMs: number, run: () => void): Timer
  /** Moves both clocks forward and runs, in order, every timer that falls due in between. */
  advance(ms: number): void
  /**
   * Moves both clocks forward to the next timer that is due by `untilMs`, in elapsed milliseconds, and runs it. Without such a timer it moves
   * them to `untilMs` and returns false. Timers of upkeep are left out: they run once the clock has arrived.
   */
  runNext(untilMs: number): boolean
  /** Sets the wall clock, but not elapsed time, `offsetMs` ahead of the system's. For the start, for a reset, and to simulate a step. */
  setOffset(offsetMs: number): void
  /** How far the wall clock is ahead of the system's, in milliseconds. */
  offset(): number
}

/** The maximum of setTimeout, a signed 32-bit integer. Longer waits are split. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1
/** How often a timer for a date checks the wall clock, which may have stepped. */
const WALL_CHECK_MS = 10_000

interface Entry {
  /** When it is due, in elapsed milliseconds, if elapsed time is `shiftMs` ahead of the wall clock. */
  dueMs(shiftMs: number): number
  order: number
  isUpkeep: boolean
  run(): void
  arm(): void
}

/** The two clocks. */
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

  /** Checks the clock again after at most `maxMs`. */
  const wait = (dueMs: Entry['dueMs'], maxMs: number, run: () => void, { isUpkeep = false }: TimerOptions = {}): Timer => {
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
      isUpkeep,
      run() {
        cancel()
        run()
      },
      arm() {
        clearTimeout(handle)
        handle = setTimeout(fire, Math.min(maxMs, Math.max(0, leftOf(entry))))
        handle.unref()
      },
    }
    waiting.add(entry)
    entry.arm()
    return { cancel }
  }

  const earliestUntil = (elapsedMs: number, withUpkeep = true) => {
    const shiftMs = elapsed() - now()
    let found: { entry: Entry; dueMs: number } | undefined
    for (const entry of waiting) {
      const dueMs = entry.dueMs(shiftMs)
      if (dueMs > elapsedMs || (entry.isUpkeep && !withUpkeep)) continue
      if (!found || dueMs < found.dueMs || (dueMs === found.dueMs && entry.order < found.entry.order)) found = { entry, dueMs }
    }
    return found?.entry
  }

  return { waiting, leftOf, wait, earliestUntil }
}

/** A clock `offsetMs` ahead of the system's. A test can pass another wall clock and step it. */
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

  const arriveAt = (elapsedMs: number) => {
    move(elapsedMs - elapsed())
    for (const entry of timers.waiting) entry.arm()
  }

  return {
    now,
    elapsed,
    monotonic: () => performance.now(),
    after(delayMs, run, options) {
      const dueMs = elapsed() + Math.ceil(Math.max(0, delayMs))
      return timers.wait(() => dueMs, MAX_TIMEOUT_MS, run, options)
    },
    at: (dateMs, run) => timers.wait((shiftMs) => Math.ceil(dateMs) + shiftMs, WALL_CHECK_MS, run),
    advance(ms) {
      const target = elapsed() + Math.round(ms)
      for (let entry = timers.earliestUntil(target); entry; entry = timers.earliestUntil(target)) {
        move(timers.leftOf(entry))
        entry.run()
      }
      arriveAt(target)
    },
    runNext(untilMs) {
      const entry = timers.earliestUntil(untilMs, false)
      if (entry) {
        move(timers.leftOf(entry))
        entry.run()
      } else arriveAt(untilMs)
      return entry !== undefined
    },
    setOffset(ms) {
      offset = ms
    },
    offset: () => offset,
  }
}

/** A timer of real time, which no move of a clock reaches. Only for waiting for what real sockets and disks do. */
export function realTimer(delayMs: number, run: () => void): Timer {
  const handle = setTimeout(run, delayMs)
  return { cancel: () => clearTimeout(handle) }
}

/** Calls `run` at the end of this turn of the event loop. */
export const afterTurn = (run: () => void): void => void setImmediate(run)

/** Resolves at the end of this turn of the event loop, so that everything that arrived in it can be batched. */
export const endOfTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Keeps this process alive until it is disposed of: the timers of a server do not, nor do its threads while no call waits. */
export function holdProcess(): Disposable {
  const hold = setInterval(() => {}, 2 ** 30)
  return { [Symbol.dispose]: () => clearInterval(hold) }
}
