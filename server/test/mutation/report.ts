import { nameOf } from './choose-mutants.ts'
import type { Mutant } from './find-mutants.ts'
import { isKilled, type Outcome } from './outcomes.ts'
import { reasonFor } from './survivors.ts'

const KILLED_SHARE = 0.95

const MAX_REASON_LENGTH = 80

function describe({ test, pages, survivedFiles }: Outcome): string {
  if (test) return `killed by ${test.file} (${test.test}: ${test.why.split('\n')[0]!.slice(0, MAX_REASON_LENGTH)})`
  return `${survivedFiles} test files${pages ? ', not the printed pages' : ''}`
}

/** A mutant and its outcome in one line. */
export const lineOf = (mutant: Mutant, outcome: Outcome): string =>
  `${mutant.file}:${mutant.line} ${mutant.change}: ${isKilled(mutant, outcome) ? '' : 'SURVIVED '}${describe(outcome)}`

const survivorsOf = (outcomes: ReadonlyMap<Mutant, Outcome>) =>
  [...outcomes].filter(([mutant, outcome]) => !isKilled(mutant, outcome)).map(([mutant]) => mutant)

/** Whether 95 % were killed, and each survivor has its reason. */
export function wasEnough(outcomes: ReadonlyMap<Mutant, Outcome>): boolean {
  const survived = survivorsOf(outcomes)
  return survived.length <= outcomes.size * (1 - KILLED_SHARE) && survived.every((mutant) => reasonFor(mutant) !== undefined)
}

/** How many were killed by what, and the survivors. */
export function summary(outcomes: ReadonlyMap<Mutant, Outcome>): string {
  const survived = survivorsOf(outcomes)
  const all = outcomes.size
  const byTests = [...outcomes.values()].filter(({ test }) => test).length
  const share = (count: number) => `${((count / all) * 100).toFixed(1)} %`
  return [
    `\n${all - survived.length} of ${all} killed (${share(all - survived.length)})`,
    `${byTests} by tests (${share(byTests)}), ${all - survived.length - byTests} of the documentation by the printed pages`,
    ...survived.map((mutant) => `survived: ${nameOf(mutant)} (line ${mutant.line}): ${reasonFor(mutant) ?? 'NO REASON GIVEN'}`),
  ].join('\n')
}
