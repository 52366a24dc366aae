import type { Clock } from '../../lib/clock.ts'

/** Waits of faults. They follow the clock, so that moving it ends them, and they end when all data are replaced and when the server stops. */
export interface Pauses {
  /** Resolves after so long, or when the function that `begun` is given is called. False: the data are others now than when it began. */
  pause(ms: number, begun?: (end: () => void) => void): Promise<boolean>
  /** Ends all, because the data are replaced. */
  dropAll(): void
  /** Ends all, and lets no other begin. */
  endAll(): void
}

export function createPauses(clock: Pick<Clock, 'after'>): Pauses {
  const waiting = new Set<(isSame: boolean) => void>()
  let isOver = false
  const end = (isSame: boolean) => {
    for (const one of [...waiting]) one(isSame)
  }
  return {
    pause: (ms, begun) =>
      new Promise((resolve) => {
        if (isOver) return resolve(true)
        const endOne = (isSame: boolean) => {
          timer.cancel()
          waiting.delete(endOne)
          resolve(isSame)
        }
        const timer = clock.after(ms, () => endOne(true))
        waiting.add(endOne)
        begun?.(() => endOne(true))
      }),
    dropAll: () => end(false),
    endAll() {
      isOver = true
      end(true)
    },
  }
}
