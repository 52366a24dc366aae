import { join, resolve } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { limitMsOf, whyTimersAreLeft } from './file-lists.ts'
import { startGroup } from './process-group.ts'
import type { FileResult, News, Order } from './worker.ts'

const here = (name: string) => join(import.meta.dirname, name)
/** How long output may still come after the process and its group have ended. */
const LAST_OUTPUT_MS = 1000

export interface FileRun {
  file: string
  /** Why the file failed, in a few words; undefined when it passed. */
  failure: string | undefined
  /** Missing when the process ended before the file did. */
  result: FileResult | undefined
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

/** A process that runs test files, one at a time. */
export interface Worker {
  /** Whether it can be given another file. */
  readonly isAlive: boolean
  /** Never rejects for what the file does. A file that hangs takes the worker with it. */
  run(file: string): Promise<FileRun>
  /** Ends the process; nothing that its files started is left. */
  end(): Promise<void>
}

function reasonOf({ counts, faults }: FileResult): string | undefined {
  const failed = counts.failed + counts.cancelled
  if (failed > 0) return `${failed} failed`
  return faults.length > 0 ? faults.join('; ') : undefined
}

/** Tests make much garbage: a young generation of this size takes a twentieth off their CPU time. */
const YOUNG_GENERATION = ['--min-semi-space-size=32', '--max-semi-space-size=64']

/** Starts a worker, in a process group of its own. */
export function startWorker({ root, limitMs: usualMs, options, env, signal }: RunOptions): Worker {
  const args = [
    ...YOUNG_GENERATION,
    '--import',
    here('../../../resolve-sources.js'),
    '--import',
    here('test-tracking.ts'),
    `--test-reporter=${here('report.ts')}`,
    '--test-reporter-destination=stdout',
  ]
  const { child, ended, end } = startGroup(process.execPath, [...args, ...options, here('worker.ts')], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  let isAlive = true
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const closed = new Promise((resolveClosed) => child.once('close', resolveClosed))
  const exited = ended.then((code) => {
    isAlive = false
    return code
  })
  // It has ended, or is about to: `exited` says so.
  child.on('error', () => {})
  signal.addEventListener('abort', end)

  async function run(file: string): Promise<FileRun> {
    const startedMs = performance.now()
    const limitMs = limitMsOf(file, usualMs)
    output = ''
    const underWay = new Set<string>()
    let isOverLimit = false
    const limit = setTimeout(() => {
      isOverLimit = true
      end()
    }, limitMs)
    const finished = Promise.withResolvers<FileResult>()
    const hear = (news: News) => {
      if ('began' in news) underWay.add(news.began)
      else if ('ended' in news) underWay.delete(news.ended)
      else finished.resolve(news.result)
    }
    child.on('message', hear)
    child.send({ run: file, path: resolve(root, file), leavesTimers: whyTimersAreLeft(file) !== undefined } satisfies Order)
    const outcome = await Promise.race([finished.promise, exited])
    clearTimeout(limit)
    child.off('message', hear)
    const durationMs = performance.now() - startedMs
    if (outcome !== null && typeof outcome === 'object')
      return { file, failure: reasonOf(outcome), result: outcome, output: output + outcome.text, durationMs }

    await Promise.race([closed, after(LAST_OUTPUT_MS)])
    underWay.delete(file)
    const interrupted = [...underWay].map((name) => `  ⚠ ${name}\n`).join('')
    const failure = isOverLimit ? `did not end within ${limitMs / 1000} s` : `ended with ${outcome ?? 'a signal'} before its tests did`
    return {
      file,
      failure,
      result: undefined,
      output: interrupted ? `${output}\nInterrupted while running:\n${interrupted}` : output,
      durationMs,
    }
  }

  return {
    get isAlive() {
      return isAlive && child.connected
    },
    run,
    async end() {
      signal.removeEventListener('abort', end)
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
