import type { Step } from './explain-error.ts'

/** The steps whose beginning is told, in order. The first begins with the request. */
const TOLD = ['connecting', 'handshaking', 'waiting', 'reading'] as const

/** The step of a request, and when each began. */
export interface Steps {
  step: Step
  /** Forgets the steps of the request before. */
  restart(): void
  /** Whole milliseconds from a moment until each of `TOLD` began: `2,5,12,40`. Empty for one that was not needed or not come to. */
  timing(sinceMs: number): string
}

export function createSteps(monotonic: () => number): Steps {
  const begun: Partial<Record<Step, number>> = {}
  let step: Step = 'resolving'
  return {
    get step() {
      return step
    },
    set step(next) {
      step = next
      begun[next] = monotonic()
    },
    restart() {
      for (const name of TOLD) begun[name] = undefined
    },
    timing(sinceMs) {
      const told = TOLD.map((name) => (begun[name] === undefined ? '' : Math.max(0, Math.round(begun[name] - sinceMs))))
      return told.join(',').replace(/,+$/, '')
    },
  }
}
