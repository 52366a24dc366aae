/** Too many tasks wait for a semaphore or a mutex. */
export class TooManyWaiting extends Error {}

const MESSAGE = 'too many wait already'

/** A semaphore: at most `permits` tasks run at the same time, and at most `maxWaiting` wait. @throws TooManyWaiting beyond that. */
export function createSemaphore(permits: number, maxWaiting: number) {
  const waiters: (() => void)[] = []
  let acquired = 0

  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (acquired < permits) acquired += 1
    else if (waiters.length >= maxWaiting) throw new TooManyWaiting(MESSAGE)
    else await new Promise<void>((resume) => void waiters.push(resume))
    try {
      return await task()
    } finally {
      // The permit goes to the next waiter, or back.
      const resume = waiters.shift()
      if (resume) resume()
      else acquired -= 1
    }
  }
}

export type Semaphore = ReturnType<typeof createSemaphore>

/**
 * A mutex for each key: tasks of one key run one at a time, first come, first served; those of different keys run side by side. At most
 * `maxWaiting` tasks of a key wait. @throws TooManyWaiting beyond that.
 */
export function createKeyedMutex(maxWaiting = Number.POSITIVE_INFINITY) {
  const queues = new Map<string, { last: Promise<unknown>; length: number }>()

  return async <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 }
    if (queue.length > maxWaiting) throw new TooManyWaiting(MESSAGE)
    const result = queue.last.then(task)
    queue.last = result.catch(() => {})
    queue.length += 1
    queues.set(key, queue)
    try {
      return await result
    } finally {
      queue.length -= 1
      if (queue.length === 0) queues.delete(key)
    }
  }
}
