import { isDeepStrictEqual } from 'node:util'
import { invalidRequest, type Mistake } from './problem.ts'

/** A mistake in a parameter: its name as it is declared, and the value that was sent, where that could be read. */
export interface Doubt {
  name: string
  value: unknown
  mistake: Mistake
}

/** What is left of the doubts beside a thing as it stands. */
export interface Findings {
  /** Whether none of these parameters is wrong. */
  areRight(names: readonly string[]): boolean
  /** Throws 400 with every mistake, and with those that were found in the whole. */
  settle(found?: readonly Mistake[]): void
}

/** Mistakes in the parameters of a call, for a handler that judges the thing as a whole: what it finds is named beside them. */
export interface Doubts {
  /** Every mistake that there may be; once they are settled, those that there are. */
  readonly mistakes: readonly Mistake[]
  /** Whether a handler has settled them. */
  readonly areSettled: boolean
  /** A value that is sent as it stands is no mistake, for clients send whole objects back. */
  beside(standing?: object): Findings
}

export function createDoubts(doubts: readonly Doubt[] = []): Doubts {
  let left = doubts
  let areSettled = false
  return {
    get mistakes() {
      return left.map(({ mistake }) => mistake)
    },
    get areSettled() {
      return areSettled
    },
    beside(standing = {}) {
      const standingValue = (name: string) => (standing as Record<string, unknown>)[name]
      const wrong = doubts.filter(({ name, value }) => value === undefined || !isDeepStrictEqual(value, standingValue(name)))
      const names = new Set(wrong.map(({ name }) => name))
      return {
        areRight: (asked) => !asked.some((name) => names.has(name)),
        settle(found = []) {
          left = wrong
          areSettled = true
          if (left.length + found.length > 0) throw invalidRequest([...left.map(({ mistake }) => mistake), ...found])
        },
      }
    },
  }
}
