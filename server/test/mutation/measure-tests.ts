import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withImports } from '../runner/quick-files.ts'
import { type Coverage, readCoverage } from './coverage.ts'
import { runCandidates } from './run-candidates.ts'

/** A test file that passes without a mutant. */
export interface TestFile {
  path: string
  text: string
  durationMs: number
  coverage: Coverage
}

/** A test file that takes longer on the original sources is not run for each mutant. */
const MAX_TEST_MS = 45_000

/** Where a measurement is kept: under the text of the test file and of what it imports of the tests. */
const keptAt = (path: string, root: string, cache: string) => {
  const texts = [...withImports(join(root, path)).values()]
  return join(cache, `${createHash('sha256').update(texts.join('\n')).digest('hex')}.json`)
}

/**
 * Runs a test file on the original sources, twice if it fails: a busy machine is no reason to leave it out. Answers what it ran, or why it
 * cannot be used.
 */
async function measure(path: string, root: string): Promise<TestFile | string> {
  const once = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-coverage-'))
    const startedMs = performance.now()
    const failure = await runCandidates([{ path, durationMs: MAX_TEST_MS }], root, { NODE_V8_COVERAGE: folder })
    const durationMs = performance.now() - startedMs
    const coverage = failure ? undefined : await readCoverage(folder, root)
    await rm(folder, { recursive: true, force: true })
    if (!coverage) return `${failure!.test}: ${failure!.why}`
    return durationMs > MAX_TEST_MS ? 'takes too long' : { path, text: readFileSync(join(root, path), 'utf8'), durationMs, coverage }
  }
  const first = await once()
  return typeof first === 'string' && !first.includes('no PostgreSQL') ? once() : first
}

/** Measures a test file, or reads what `cache` has of it. */
export async function measureTest(path: string, root: string, cache: string | undefined): Promise<TestFile | string> {
  const kept = cache && keptAt(path, root, cache)
  if (kept && existsSync(kept)) {
    const found = JSON.parse(readFileSync(kept, 'utf8'))
    return typeof found === 'string' ? found : { ...found, path, coverage: new Map(found.coverage) }
  }
  const test = await measure(path, root)
  if (kept) {
    mkdirSync(cache!, { recursive: true })
    writeFileSync(kept, JSON.stringify(typeof test === 'string' ? test : { ...test, coverage: [...test.coverage] }))
  }
  return test
}
