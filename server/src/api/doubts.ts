import { isDeepStrictEqual } from 'node:util'
import type { Mistake } from './problem.ts'

/** A mistake in a parameter: its name as it is declared, and the value that was sent, where that could be read. */
export interface Doubt {
  name: string
  value: unknown
  mistake: Mistake
}

/** What is left of the doubts. */
export interface Findings {
  mistakes: readonly Mistake[]
  /** Whether none of these parameters is wrong. */
  areRight(names: readonly string[]): boolean
}

/** Mistakes in the parameters of a call, for a handler that judges the thing as a whole: what it finds is named beside them. */
export interface Doubts {
  /** Every mistake that there may be. */
  readonly mistakes: readonly Mistake[]
  /** Whether a handler has judged them. */
  readonly areSettled: boolean
  /** A value that is sent as it stands is no mistake, for clients send whole objects back. */
  settle(standing?: object): Findings
}

export function createDoubts(doubts: readonly Doubt[]): Doubts {
  let areSettled = false
  return {
    mistakes: doubts.map(({ mistake }) => mistake),
    get areSettled() {
      return areSettled
    },
    settle(standing = {}) {
      areSettled = true
      const standingValue = (name: string) => (standing as Record<string, unknown>)[name]
      const wrong = doubts.filter(({ name, value }) => value === undefined || !isDeepStrictEqual(value, standingValue(name)))
      const names = new Set(wrong.map(({ name }) => name))
      return { mistakes: wrong.map(({ mistake }) => mistake), areRight: (asked) => !asked.some((name) => names.has(name)) }
    },
  }
}

export const noDoubts: Doubts = createDoubts([])
