import { wasCalled, wasRun } from './coverage.ts'
import type { Mutant } from './find-mutants.ts'
import type { TestFile } from './measure-tests.ts'

const wordsOf = (path: string) =>
  new Set(
    path
      .replace(/^server\/(src|test)\//, '')
      .replace(/(\.test)?\.ts$/, '')
      .split(/[/-]/)
      .map((word) => word.replace(/s$/, '')),
  )

const likeness = (one: string, other: string) => wordsOf(one).intersection(wordsOf(other)).size

/**
 * By what a test calls the endpoints that a source file declares: each path up to its last parameter, or the part after that which is long
 * enough to be told from others.
 */
export function calledPaths(source: string): string[] {
  const routes = [...source.matchAll(/['`](?:GET|PUT|POST|PATCH|DELETE) (\/[^'`]+)['`]/g)].map(([, path]) => path!)
  const parts = routes.map((path) => path.split(/\/:\w+|\$\{\w+\}/).findLast((part) => part.length > 1)!)
  return [...new Set(parts.filter((part) => part.length >= 6))]
}

/** How telling the words of a mutant are that a test file has: one that few files have counts for more. */
function mentionsOf(mutant: Mutant, tests: readonly { text: string }[]): (test: { text: string }) => number {
  const weights = mutant.words.map((word) => {
    const files = tests.filter(({ text }) => text.includes(word)).length
    return { word, weight: files > 0 ? Math.log2(tests.length / files) : 0 }
  })
  return ({ text }) => weights.reduce((sum, { word, weight }) => (text.includes(word) ? sum + weight : sum), 0)
}

/**
 * The test files that run the mutated place, the likeliest to notice first: those that have killed a mutant of the same file, that have
 * words of the changed place, that have a name like the file's; of the others the fast ones.
 */
export function rankTests(mutant: Mutant, tests: readonly TestFile[], killers: ReadonlyMap<string, number>): TestFile[] {
  const mentions = mentionsOf(mutant, tests)
  const rank = (test: TestFile) =>
    Math.min(killers.get(test.path) ?? 0, 3) * 10 +
    mentions(test) * 3 +
    likeness(test.path, mutant.file) * 5 +
    (wasCalled(test.coverage, mutant.file) ? 5 : 0) -
    (test.durationMs / 1000) * 2.5
  const running = tests.filter(({ coverage }) => wasRun(coverage, mutant.file, mutant.start))
  const ranks = new Map(running.map((test) => [test, rank(test)]))
  return running.toSorted((one, other) => ranks.get(other)! - ranks.get(one)!)
}

/** The test files that are the likeliest to notice a mutant by their words, names and imports, whatever they run. */
export function likeliestByName<Test extends Pick<TestFile, 'path' | 'text'>>(
  mutant: Mutant,
  tests: readonly Test[],
  count: number,
  bonus: (test: Test) => number = () => 0,
): Test[] {
  const mentions = mentionsOf(mutant, tests)
  const rank = (test: Test) => mentions(test) * 3 + likeness(test.path, mutant.file) * 5 + bonus(test)
  const ranks = new Map(tests.map((test) => [test, rank(test)]))
  return tests.toSorted((one, other) => ranks.get(other)! - ranks.get(one)!).slice(0, count)
}
