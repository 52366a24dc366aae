import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import type { Counted } from './count-tests.ts'
import { startGroup } from './process-group.ts'

const COUNT_TESTS = join(import.meta.dirname, 'count-tests.ts')
const RESOLVE_SOURCES = join(import.meta.dirname, 'resolve-sources.ts')
/** The runner of node:test, which names the test that was under way when it is told to end, and no process below it. */
const IN_ONE_PROCESS = ['--import', RESOLVE_SOURCES, '--test', '--test-isolation=none']
/** How long output may still come after the process and its group have ended. */
const LAST_OUTPUT_MS = 1000

export interface FileRun {
  file: string
  /** Why the file failed, in a few words; undefined when it passed. */
  failure: string | undefined
  /** Missing when the process ended before node:test had counted. */
  counts: Counted | undefined
  output: string
  durationMs: number
}

export interface RunOptions {
  /** The folder that paths are relative to. */
  root: string
  /** A file that takes longer is ended. */
  limitMs: number
  /** Options for `node`. */
  options: readonly string[]
  env: NodeJS.ProcessEnv
  /** Ends every file. */
  signal: AbortSignal
}

const readCounts = (path: string): Promise<Counted | undefined> =>
  readFile(path, 'utf8').then(
    (text) => (text === '' ? undefined : JSON.parse(text)),
    () => undefined,
  )

function reasonOf(code: number | null, counts: Counted | undefined): string | undefined {
  if (counts && counts.failed + counts.cancelled > 0) return `${counts.failed + counts.cancelled} failed`
  if (code !== 0) return `ended with ${code ?? 'a signal'}`
  return counts ? undefined : 'ended before its tests did'
}

/** Runs one test file in a process group of its own, of which nothing is left afterwards. Never rejects for what the file does. */
export async function runFile(file: string, { root, limitMs, options, env, signal }: RunOptions): Promise<FileRun> {
  const startedMs = performance.now()
  const countsFile = join(tmpdir(), `postern-counts-${process.pid}-${crypto.randomUUID()}.json`)
  const reporters = ['--test-reporter=spec', '--test-reporter-destination=stdout', `--test-reporter=${COUNT_TESTS}`]
  const args = [...IN_ONE_PROCESS, ...reporters, `--test-reporter-destination=${countsFile}`, ...options, resolve(root, file)]
  const { child, ended, end } = startGroup(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const closed = new Promise((resolveClosed) => child.once('close', resolveClosed))

  let isOverLimit = false
  const limit = setTimeout(() => {
    isOverLimit = true
    end()
  }, limitMs)
  signal.addEventListener('abort', end)
  const code = await ended
  clearTimeout(limit)
  signal.removeEventListener('abort', end)
  await Promise.race([closed, after(LAST_OUTPUT_MS)])

  const counts = await readCounts(countsFile)
  await rm(countsFile, { force: true })
  const failure = isOverLimit ? `did not end within ${limitMs / 1000} s` : reasonOf(code, counts)
  return { file, failure, counts, output, durationMs: performance.now() - startedMs }
}
