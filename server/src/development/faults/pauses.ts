import type { Clock } from '../../lib/clock.ts'

/** Waits of faults. They follow the clock, so that moving it ends them, and they end when the server stops. */
export interface Pauses {
  /** Resolves after so long, when `ended` is called, or when the function that `begun` is given is called. */
  pause(ms: number, begun?: (end: () => void) => void): Promise<void>
  endAll(): void
}

export function createPauses(clock: Pick<Clock, 'after'>): Pauses {
  const waiting = new Set<() => void>()
  let isOver = false
  return {
    pause: (ms, begun) =>
      new Promise((resolve) => {
        if (isOver) return resolve()
        const end = () => {
          timer.cancel()
          waiting.delete(end)
          resolve()
        }
        const timer = clock.after(ms, end)
        waiting.add(end)
        begun?.(end)
      }),
    endAll() {
      isOver = true
      for (const end of [...waiting]) end()
    },
  }
}
