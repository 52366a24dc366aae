import type { Clock } from '../../../server/src/lib/clock.ts'

interface Waiting {
  dueMs: number
  order: number
  run: (() => void) | undefined
}

export interface HandMovedClock extends Clock {
  /** Moves to the next date that something waits for, by `untilMs` of elapsed time, and runs all that is due then. False if nothing is. */
  next(untilMs: number): boolean
}

/** A binary heap by date, then by order: half a million timers wait at times. */
function createHeap() {
  const entries: Waiting[] = []
  const isBefore = (one: Waiting, other: Waiting) => one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order)
  const swap = (one: number, other: number) => {
    const entry = entries[one]!
    entries[one] = entries[other]!
    entries[other] = entry
  }
  return {
    first: () => entries[0],
    push(entry: Waiting) {
      let at = entries.push(entry) - 1
      for (let above = (at - 1) >> 1; at > 0 && isBefore(entries[at]!, entries[above]!); above = (at - 1) >> 1) {
        swap(at, above)
        at = above
      }
    },
    take() {
      const [first] = entries
      const last = entries.pop()!
      if (entries.length === 0) return first!
      entries[0] = last
      for (let at = 0; ; ) {
        const left = 2 * at + 1
        if (left >= entries.length) return first!
        const least = left + 1 < entries.length && isBefore(entries[left + 1]!, entries[left]!) ? left + 1 : left
        if (!isBefore(entries[least]!, entries[at]!)) return first!
        swap(at, least)
        at = least
      }
    },
  }
}

/** A clock that stands still until it is moved. It begins at the machine's time, because the databases have that. */
export function createHandMovedClock(): HandMovedClock {
  const startedMs = Date.now()
  const heap = createHeap()
  let elapsedMs = 0
  let order = 0

  const wait = (dueMs: number, run: () => void) => {
    const entry: Waiting = { dueMs: Math.max(elapsedMs, Math.ceil(dueMs)), order: order++, run }
    heap.push(entry)
    return {
      cancel() {
        entry.run = undefined
      },
    }
  }

  const next = (untilMs: number) => {
    while (heap.first() && !heap.first()!.run) heap.take()
    const first = heap.first()
    if (!first || first.dueMs > untilMs) {
      elapsedMs = Math.max(elapsedMs, untilMs)
      return false
    }
    elapsedMs = first.dueMs
    while (heap.first()?.dueMs === elapsedMs) heap.take().run?.()
    return true
  }

  const now = () => startedMs + elapsedMs
  return {
    now,
    elapsed: () => elapsedMs,
    monotonic: () => elapsedMs,
    after: (delayMs, run) => wait(elapsedMs + Math.max(0, delayMs), run),
    at: (dateMs, run) => wait(dateMs - startedMs, run),
    next,
    advance(ms) {
      const untilMs = elapsedMs + ms
      while (next(untilMs));
    },
    runNext: next,
    setOffset() {},
    offset: () => now() - Date.now(),
  }
}
