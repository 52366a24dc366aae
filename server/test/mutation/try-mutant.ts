import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { needsOf } from '../runner/quick-files.ts'
import { apply, type Mutant } from './find-mutants.ts'
import type { TestFile } from './measure-tests.ts'
import type { Outcome } from './outcomes.ts'
import { arePagesStale } from './printed-pages.ts'
import { runCandidates } from './run-candidates.ts'

/** Test files that a mutant must survive, and how long they may take together without it. */
const MAX_TESTS = 25
const MAX_TOTAL_MS = 75_000
/** Those for a mutant of what only the printed pages say. */
const MAX_TESTS_OF_DOCUMENTATION = 4
/** Those among the likeliest that start no server come first, in a process of their own: they kill most mutants. */
const QUICK_MS = 8000
const MAX_QUICK = 6
/** Of the others the likeliest are run by themselves: many mutants need no more, and the rest need not be loaded. */
const LIKELIEST = 3

/** The likeliest test files, as many as there is time for. */
function affordable(ranked: readonly TestFile[], count: number): TestFile[] {
  let totalMs = 0
  return ranked.slice(0, count).filter(({ durationMs }, place) => {
    totalMs += durationMs
    return place < LIKELIEST || totalMs <= MAX_TOTAL_MS
  })
}

/** The first failure. A test file that was not likely to notice must fail once more by itself. */
async function firstFailure(tests: readonly TestFile[], root: string, onlyLikeliest: boolean) {
  const quick = tests.filter(({ path, durationMs }) => durationMs < QUICK_MS && needsOf(path, root).length === 0).slice(0, MAX_QUICK)
  const others = tests.filter((test) => !quick.includes(test))
  for (const batch of [quick, others.slice(0, LIKELIEST)]) {
    const failure = batch.length > 0 ? await runCandidates(batch, root) : undefined
    if (failure) return failure
  }
  if (onlyLikeliest || others.length <= LIKELIEST) return undefined
  const failure = await runCandidates(others.slice(LIKELIEST), root)
  const again = failure && tests.find(({ path }) => path === failure.file)
  return again ? runCandidates([again], root) : failure
}

/**
 * Changes the file in the working copy, runs the tests that reach the change, then prints the pages. `onlyLikeliest` leaves out most tests:
 * a mutant that those kill is killed, another is undecided.
 */
export async function tryMutant(mutant: Mutant, ranked: readonly TestFile[], root: string, onlyLikeliest: boolean): Promise<Outcome> {
  const tests = affordable(ranked, mutant.isDocumentation ? MAX_TESTS_OF_DOCUMENTATION : MAX_TESTS)
  const path = join(root, mutant.file)
  const original = await readFile(path, 'utf8')
  await writeFile(path, apply(original, mutant))
  try {
    const test = tests.length > 0 ? await firstFailure(tests, root, onlyLikeliest) : undefined
    if (test) return { test, survivedFiles: tests.findIndex(({ path }) => path === test.file) }
    return { ...((await arePagesStale(root)) && { pages: true }), survivedFiles: tests.length }
  } finally {
    await writeFile(path, original)
  }
}
