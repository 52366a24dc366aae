import type { Step } from './explain-error.ts'

/** The step of a request, and when each began. */
export interface Steps {
  step: Step
  /** Forgets the steps of the request before. */
  restart(): void
  /**
   * Whole milliseconds from a moment until the steps `connecting`, `handshaking`, `waiting` and `reading` began: `2,5,12,40`. Empty for one
   * that was not needed or not come to.
   */
  timing(sinceMs: number): string
}

export function createSteps(monotonic: () => number): Steps {
  let step: Step = 'resolving'
  /** NaN for a step that has not begun. */
  const begun: Record<Step, number> = { resolving: NaN, connecting: NaN, handshaking: NaN, waiting: NaN, reading: NaN }
  const since = (at: number, sinceMs: number) => (Number.isNaN(at) ? '' : Math.max(0, Math.round(at - sinceMs)))
  return {
    get step() {
      return step
    },
    set step(next) {
      step = next
      begun[next] = monotonic()
    },
    restart() {
      begun.connecting = begun.handshaking = begun.waiting = begun.reading = NaN
    },
    timing(sinceMs) {
      const { connecting, handshaking, waiting, reading } = begun
      const all = `${since(connecting, sinceMs)},${since(handshaking, sinceMs)},${since(waiting, sinceMs)},${since(reading, sinceMs)}`
      return Number.isNaN(reading) ? all.replace(/,+$/, '') : all
    },
  }
}
