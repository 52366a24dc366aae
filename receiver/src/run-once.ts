/**
 * Runs something once for each id, remembering the last `remember` ids that succeeded.
 *
 * An id is unknown, running or remembered. Unknown becomes running when it is first asked for; running becomes
 * remembered when the run succeeds and unknown when it throws; whoever asks meanwhile shares that end. Remembered
 * becomes unknown when `remember` other ids were asked for or remembered later. Answers whether `run` ran for this caller.
 */
export function createRunOnce(remember: number): (id: string, run: () => Promise<void>) => Promise<boolean> {
  const running = new Map<string, Promise<void>>()
  const remembered = new Set<string>()

  const touch = (id: string) => {
    remembered.delete(id)
    remembered.add(id)
    for (const oldest of remembered) {
      if (remembered.size <= remember) break
      remembered.delete(oldest)
    }
  }

  return async (id, run) => {
    if (remembered.has(id)) {
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
