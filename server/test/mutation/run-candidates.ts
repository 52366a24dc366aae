import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { startGroup } from '../runner/process-group.ts'

/** What `candidates.ts` prints. */
export type CandidateLine = { passed: string } | { failed: string; test: string; why: string } | { done: true }

/** The first failure of some test files. */
export interface Failure {
  /** Relative to the root. */
  file: string
  test: string
  why: string
}

/** A test file, and how long it takes when nothing is wrong. */
interface Candidate {
  path: string
  durationMs: number
}

const CANDIDATES = join(import.meta.dirname, 'candidates.ts')
const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/tests')
/** A mutant may turn a loop endless: a test that takes so much longer than its whole file has failed. */
const limitOf = (candidates: readonly Candidate[]) => 20_000 + 3 * Math.max(...candidates.map(({ durationMs }) => durationMs))

/** Runs the test files of a copy of the repository in one process, in their order, up to the first failure. */
export async function runCandidates(
  candidates: readonly Candidate[],
  root: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Failure | undefined> {
  const args = ['--disable-warning=ExperimentalWarning', CANDIDATES, ...candidates.map(({ path }) => join(root, path))]
  const { child, ended, end } = startGroup(process.execPath, args, {
    cwd: root,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, ...env, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let place = 0
  let failure: Failure | undefined
  let isDone = false
  const fail = (test: string, why: string) => (failure ??= { file: candidates[place]!.path, test, why })
  const watch = () =>
    setTimeout(
      () => {
        fail('the test after those that passed', 'did not end')
        end()
      },
      limitOf(candidates.slice(place, place + 2)),
    )
  let watchdog = watch()
  const lines = createInterface({ input: child.stdout! })
  lines.on('line', (text) => {
    if (!/^\{"(passed|failed|done)":/.test(text)) return
    const line = JSON.parse(text) as CandidateLine
    if ('done' in line) isDone = true
    else if ('failed' in line) failure ??= { file: relative(root, line.failed), test: line.test, why: line.why }
    else
      place = Math.max(
        place,
        candidates.findIndex(({ path }) => line.passed === join(root, path)),
      )
    clearTimeout(watchdog)
    watchdog = watch()
  })
  const closed = new Promise((resolve) => lines.once('close', resolve))
  const code = await ended
  await closed
  clearTimeout(watchdog)
  if (!isDone) fail('the test after those that passed', `the process ended with ${code ?? 'a signal'}`)
  return failure
}
