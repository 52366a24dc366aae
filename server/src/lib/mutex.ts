/** Too many wait already. */
export class TooManyWaiting extends Error {}

/** Lets at most `atOnce` run at the same time and at most `mostWaiting` wait; whoever comes beyond is refused with `TooManyWaiting`. */
export function createSemaphore(atOnce: number, mostWaiting: number) {
  const waiting: (() => void)[] = []
  let running = 0

  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running += 1
    else if (waiting.length >= mostWaiting) throw new TooManyWaiting('too many wait already')
    else await new Promise<void>((begin) => void waiting.push(begin))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/**
 * Runs what has one key one after the other, in the order in which it came; what has different keys runs side by side. Of one key at most
 * `mostWaiting` wait; whoever comes beyond is refused with `TooManyWaiting`.
 */
export function createKeyedMutex(mostWaiting = Number.POSITIVE_INFINITY) {
  const queues = new Map<string, { last: Promise<unknown>; length: number }>()

  return async <T>(key: string, run: () => Promise<T>): Promise<T> => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 }
    if (queue.length > mostWaiting) throw new TooManyWaiting('too many wait already')
    const turn = queue.last.then(run)
    queue.last = turn.catch(() => {})
    queue.length += 1
    queues.set(key, queue)
    try {
      return await turn
    } finally {
      queue.length -= 1
      if (queue.length === 0) queues.delete(key)
    }
  }
}
