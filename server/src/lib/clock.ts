/** A timer that can be taken back. */
export interface Timer {
  cancel(): void
}

/**
 * The one source of time. Everything that reads the time or waits for it does so here, so that a test,
 * or an integrator through the operator endpoint, can move it by hand.
 */
export interface Clock {
  /** Milliseconds since 1970, as Postern sees them. */
  now(): number
  /** Milliseconds that only grow, for measuring how long something took. Never moved by hand. */
  monotonic(): number
  /** Calls `run` once `delayMs` have passed on this clock. A timer does not keep the process alive. */
  after(delayMs: number, run: () => void): Timer
  /** Moves the clock forward and runs, in order, every timer that came due on the way. */
  advance(ms: number): void
  /** Puts the clock `offsetMs` ahead of the machine's; timers keep what they have left to wait. For the start and for a reset. */
  setOffset(offsetMs: number): void
  /** How far this clock is ahead of the machine's, in milliseconds. */
  offset(): number
}

/** setTimeout counts in signed 32-bit milliseconds; a longer wait is taken in steps. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

interface Entry {
  dueMs: number
  order: number
  run: () => void
}

/** A clock that runs with the machine's, `offsetMs` ahead of it. */
export function createClock(offsetMs = 0): Clock {
  let offset = offsetMs
  let order = 0
  const waiting = new Set<Entry & { arm: () => void }>()

  const now = () => Date.now() + offset

  const after = (delayMs: number, run: () => void): Timer => {
    let handle: NodeJS.Timeout | undefined
    const entry = {
      dueMs: now() + Math.ceil(Math.max(0, delayMs)),
      order: order++,
      run,
      arm() {
        clearTimeout(handle)
        handle = setTimeout(fire, Math.min(LONGEST_WAIT_MS, Math.max(0, entry.dueMs - now())))
        handle.unref()
      },
    }
    const cancel = () => {
      waiting.delete(entry)
      clearTimeout(handle)
    }
    const fire = () => {
      if (!waiting.has(entry)) return
      if (entry.dueMs > now()) return entry.arm()
      cancel()
      run()
    }
    entry.run = () => {
      cancel()
      run()
    }
    waiting.add(entry)
    entry.arm()
    return { cancel }
  }

  const earliestUntil = (ms: number) => {
    let found: Entry | undefined
    for (const entry of waiting) {
      if (entry.dueMs > ms) continue
      if (!found || entry.dueMs < found.dueMs || (entry.dueMs === found.dueMs && entry.order < found.order)) found = entry
    }
    return found
  }

  const advance = (ms: number) => {
    const target = now() + Math.round(ms)
    for (let entry = earliestUntil(target); entry; entry = earliestUntil(target)) {
      if (entry.dueMs > now()) offset += entry.dueMs - now()
      entry.run()
    }
    if (target > now()) offset += target - now()
    for (const entry of waiting) entry.arm()
  }

  return {
    now,
    monotonic: () => performance.now(),
    after,
    advance,
    setOffset(ms) {
      const shiftMs = ms - offset
      offset = ms
      for (const entry of waiting) {
        entry.dueMs += shiftMs
        entry.arm()
      }
    },
    offset: () => offset,
  }
}

/** Resolves once everything that came in at the same time has been looked at: what waits for it can be done together. */
export const thisRoundIsOver = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
