import { type Coverage, wasCalled, wasRun } from './coverage.ts'
import type { Mutant } from './find-mutants.ts'

/** A test file that passes without a mutant. */
export interface TestFile {
  path: string
  durationMs: number
  coverage: Coverage
}

const wordsOf = (path: string) =>
  new Set(
    path
      .replace(/^server\/(src|test)\//, '')
      .replace(/(\.test)?\.ts$/, '')
      .split(/[/-]/)
      .map((word) => word.replace(/s$/, '')),
  )

const likeness = (one: string, other: string) => wordsOf(one).intersection(wordsOf(other)).size

/** The test files that run the mutated place: those that have killed a mutant of its file first, then those with a name like it, then the fast ones. */
export function rankTests(mutant: Mutant, tests: readonly TestFile[], killers: ReadonlyMap<string, number>): TestFile[] {
  const rank = ({ path, durationMs, coverage }: TestFile) =>
    (killers.get(path) ?? 0) * 100 + likeness(path, mutant.file) * 10 + (wasCalled(coverage, mutant.file) ? 5 : 0) - durationMs / 1000
  const ranks = new Map(tests.map((test) => [test, rank(test)]))
  return tests
    .filter(({ coverage }) => wasRun(coverage, mutant.file, mutant.start))
    .toSorted((one, other) => ranks.get(other)! - ranks.get(one)!)
}
