// A process that loads the server once and runs test files, one after another, as it is told by messages.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { describe, mock } from 'node:test'
import { setTimeout as after } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { endFile } from '../stage/file-end.ts'
import { cpuMs, cpuMsOfEndedChildren } from './cpu-time.ts'
import { type Counts, collect, endUnheard } from './report.ts'
import { followPromises } from './test-tracking.ts'

export interface Cpu {
  /** Of the whole file, with the processes that it started and that have ended. */
  totalMs: number
  /** Until all of its modules were loaded, of this process alone. */
  loadingMs: number
  /** Of the processes that it started and that have ended. */
  startedMs: number
  /** For hashes of passwords. */
  hashingMs: number
}

/** What a worker says of a file that it has run. */
export interface FileResult {
  counts: Counts
  cpu: Cpu
  text: string
  leftOut: string[]
  /** What is wrong besides tests that failed. */
  faults: string[]
}

/** What the runner tells a worker. */
export interface Order {
  run: string
  path: string
  /** Whether timers may be left when its tests have ended. */
  leavesTimers: boolean
}
/** What a worker tells the runner: which test is under way, and the result of a file. */
export type News = { began: string } | { ended: string } | { result: FileResult }

/** A histogram of the event loop's delays is closed when it is collected, a connection that is kept alive when its time is over. */
const CLOSED_LATER = ['IntervalHistogram', 'TCPSocketWrap', 'TLSWrap']
/** How long what a file had open may take to close after its last test. */
const CLOSING_MS = 5000
const POLL_MS = 20
/** Of a file that has run node:test says something at once, or nothing. */
const UNHEARD_MS = 1000
/** Not those that a file replaces. */
const { setTimeout, clearTimeout } = globalThis

const tell = (news: News) => void process.send!(news)

let hashingMs = 0
const { argon2 } = crypto
crypto.argon2 = ((algorithm: never, options: never, done: (error: Error | null, tag: Buffer) => void) => {
  const startedMs = performance.now()
  argon2(algorithm, options, (error, tag) => {
    hashingMs += performance.now() - startedMs
    done(error, tag)
  })
}) as typeof argon2
syncBuiltinESMExports()

/** What keeps the process alive, counted by kind. */
function openNow(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const name of CLOSED_LATER) counts.delete(name)
  return counts
}

/** What is open beyond what was before. */
function leftOpen(before: Map<string, number>): string[] {
  return [...openNow()].flatMap(([name, count]) => (count > (before.get(name) ?? 0) ? [`${count - (before.get(name) ?? 0)} ${name}`] : []))
}

async function waitUntilClosed(before: Map<string, number>): Promise<string[]> {
  const givenUpAt = performance.now() + CLOSING_MS
  for (;;) {
    const open = leftOpen(before)
    if (open.length === 0 || performance.now() > givenUpAt) return open
    await after(POLL_MS, undefined, { ref: false })
  }
}

/** What nothing has caught since the file began: it fails the file. node:test knows of no test that it belongs to, and only notes it. */
let uncaught: unknown[] = []
const noteUncaught = (error: unknown) => {
  uncaught.push(error)
  console.error('uncaught:', error)
}
process.on('uncaughtException', noteUncaught)
process.on('unhandledRejection', noteUncaught)

/** Undoes what a file has changed for its whole process. */
function restoreProcess(env: NodeJS.ProcessEnv, folder: string) {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(folder)
  process.exitCode = undefined
}

/** What tests replace, and give back: otherwise the next file has it too. */
const REPLACEABLE = ['fetch', 'Date', 'setTimeout', 'setInterval', 'setImmediate'] as const

const globalsNow = () => REPLACEABLE.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)!] as const)

/** Puts back what a file has replaced, and answers what that was. */
function restoreGlobals(before: ReturnType<typeof globalsNow>): string[] {
  const replaced = before.filter(([name, { value }]) => globalThis[name] !== value)
  mock.reset()
  for (const [name, descriptor] of replaced) Object.defineProperty(globalThis, name, descriptor)
  return replaced.map(([name]) => name)
}

async function run({ run: file, path, leavesTimers }: Order): Promise<FileResult> {
  const [env, folder, globals] = [{ ...process.env }, process.cwd(), globalsNow()]
  uncaught = []
  const before = openNow()
  const [ownMs, othersMs, hashedMs] = [cpuMs(), cpuMsOfEndedChildren(), hashingMs]
  let loadingMs = 0
  const reported = collect(file, { began: (began) => tell({ began }), ended: (ended) => tell({ ended }) })
  const load = async () => {
    await import(pathToFileURL(path).href)
    loadingMs = cpuMs() - ownMs
    followPromises(false)
  }
  followPromises(true)
  await describe(file, load)
  const unheard = setTimeout(endUnheard, UNHEARD_MS)
  const { counts, text, leftOut } = await reported
  clearTimeout(unheard)
  await endFile()
  const replaced = restoreGlobals(globals)
  const open = leavesTimers ? [] : await waitUntilClosed(before)
  restoreProcess(env, folder)
  const faults = uncaught.map(String)
  if (replaced.length > 0) faults.push(`replaced, and not given back: ${replaced.join(', ')}`)
  if (open.length > 0) faults.push(`left open: ${open.join(', ')}`)
  if (counts.tests === 0 && counts.failed === 0 && leftOut.length === 0) faults.push('has no tests')
  const startedMs = cpuMsOfEndedChildren() - othersMs
  return {
    counts,
    text,
    leftOut,
    faults,
    cpu: { totalMs: cpuMs() - ownMs + startedMs, loadingMs, startedMs, hashingMs: hashingMs - hashedMs },
  }
}

let turn = Promise.resolve()
process.on('message', (order: Order) => {
  turn = turn.then(async () => tell({ result: await run(order) }))
})
process.on('disconnect', () => process.exit(0))
