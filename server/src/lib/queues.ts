import { TooManyWaiting } from './turns.ts'

/**
 * Runs what has one key one after the other, in the order in which it came; what has different keys runs side by side. Of one key at most
 * `mostWaiting` wait; whoever comes beyond is refused with `TooManyWaiting`.
 */
export function createQueues(mostWaiting = Number.POSITIVE_INFINITY) {
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
