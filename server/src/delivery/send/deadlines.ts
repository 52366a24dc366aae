import type { Clock, Timer } from '../../lib/clock.ts'

/** Something that must end by `dueMs`, in elapsed milliseconds of the clock. */
export interface Due {
  readonly dueMs: number
}

export interface Deadlines<Item> {
  add(item: Item): void
  /** Returns whether it was waiting. */
  remove(item: Item): boolean
  count(): number
  /** Every item that has not been removed, in the order in which they were added. */
  all(): Iterable<Item>
}

/**
 * Calls `expire` for every item that was not removed by its deadline. There is one timer, for the earliest known deadline. It is set again
 * only when it fires and items are left. So an item that ends in time costs no timer, and an idle process has none.
 */
export function createDeadlines<Item extends Due>(clock: Clock, expire: (item: Item) => void): Deadlines<Item> {
  const waiting = new Set<Item>()
  let armedMs = Number.POSITIVE_INFINITY
  let timer: Timer | undefined

  const arm = (dueMs: number) => {
    timer?.cancel()
    armedMs = dueMs
    timer = clock.after(dueMs - clock.elapsed(), sweep)
  }

  const sweep = () => {
    armedMs = Number.POSITIVE_INFINITY
    const nowMs = clock.elapsed()
    let nextMs = Number.POSITIVE_INFINITY
    for (const item of waiting) {
      if (item.dueMs > nowMs) nextMs = Math.min(nextMs, item.dueMs)
      else {
        waiting.delete(item)
        expire(item)
      }
    }
    if (nextMs < armedMs) arm(nextMs)
  }

  return {
    add(item) {
      waiting.add(item)
      if (item.dueMs < armedMs) arm(item.dueMs)
    },
    remove: (item) => waiting.delete(item),
    count: () => waiting.size,
    all: () => waiting,
  }
}
