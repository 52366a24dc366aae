/** Runs what has one key one after the other, in the order in which it came; what has different keys runs side by side. */
export function createQueues() {
  const lasts = new Map<string, Promise<unknown>>()

  return async <T>(key: string, run: () => Promise<T>): Promise<T> => {
    const turn = (lasts.get(key) ?? Promise.resolve()).then(run)
    const last = turn.catch(() => {})
    lasts.set(key, last)
    try {
      return await turn
    } finally {
      if (lasts.get(key) === last) lasts.delete(key)
    }
  }
}
