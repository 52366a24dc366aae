/** Lets a test wait until something that is counted elsewhere has happened often enough. */
export function createSignal() {
  const waiting = new Set<{ isMet: () => boolean; resolve: () => void }>()
  return {
    /** Something happened: whoever waits looks again. */
    changed() {
      for (const waiter of waiting) {
        if (!waiter.isMet()) continue
        waiting.delete(waiter)
        waiter.resolve()
      }
    },
    until: (isMet: () => boolean): Promise<void> =>
      isMet() ? Promise.resolve() : new Promise((resolve) => void waiting.add({ isMet, resolve })),
  }
}
