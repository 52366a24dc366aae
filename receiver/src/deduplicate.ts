/**
 * Runs a function once per id, and caches the last `cacheSize` ids that succeeded (LRU).
 *
 * An id is new, running or done. New becomes running with its first call. Running becomes done when the run succeeds,
 * and new again when it throws; concurrent calls with the id share that result. Done becomes new again when `cacheSize`
 * other ids were called or done later. Returns whether `run` ran for this call.
 */
export function createDeduplicator(cacheSize: number): (id: string, run: () => Promise<void>) => Promise<boolean> {
  const running = new Map<string, Promise<void>>()
  const done = new Set<string>()

  const touch = (id: string) => {
    done.delete(id)
    done.add(id)
    for (const oldest of done) {
      if (done.size <= cacheSize) break
      done.delete(oldest)
    }
  }

  return async (id, run) => {
    if (done.has(id)) {
      touch(id)
      return false
    }
    const earlier = running.get(id)
    if (earlier) {
      await earlier
      return false
    }
    const mine = run()
    running.set(id, mine)
    try {
      await mine
      touch(id)
      return true
    } finally {
      running.delete(id)
    }
  }
}
