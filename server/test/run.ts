// Runs the test files of the workspaces, in one process more than there are cores, on SQLite and on a PostgreSQL that is started here:
//   npm test -- server/test/journeys/replay.test.ts     these files alone
//   npm run test:quick                                  without journeys, PostgreSQL, browsers and child processes
//   npm test -- --slow                                  what `.ci/slow` runs besides (slow-tests.ts says why), and what has many cases or another database there
//   npm test -- --limit=30                              a file may take 30 s, instead of 300
//   npm test -- --at-once=1                             in one process, instead of one more than there are cores
//   npm test -- --work                                  and list the CPU time of every file, instead of the ten with most
// Other options go to `node`, for example --test-name-pattern=replay.
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { cpuMsOfEndedChildren } from './runner/cpu-time.ts'
import { whySlow } from './runner/quick-files.ts'
import { AT_ONCE, runFiles } from './runner/run-files.ts'
import { makeRunFolder } from './runner/run-folder.ts'
import { lineOf, summary } from './runner/summary.ts'
import type { FileRun } from './runner/worker-process.ts'
import { slowTests } from './slow-tests.ts'
import { withPostgresInSlowLane } from './stage/databases.ts'
import { type PostgresServer, startPostgres } from './stage/postgres-server.ts'

const root = resolve(import.meta.dirname, '../..')
const LIMIT_S = 300
/** No test cuts the power. A commit still survives any end of PostgreSQL itself. */
const WITHOUT_DISK = ['fsync=off', 'full_page_writes=off', 'max_wal_size=256MB']
/** What it does by itself, at times of its own, changes plans while tests run, and connects to each of their many databases. */
const BY_ITSELF = ['autovacuum=off']
/** Each process of tests keeps sessions for its next files. */
const SESSIONS = [`max_connections=${Math.max(500, 150 * AT_ONCE)}`]

const asked = process.argv.slice(2)
const isQuick = asked.includes('--quick')
const isSlow = asked.includes('--slow')
const listsAll = asked.includes('--work')
const optionOf = (name: string) => asked.find((argument) => argument.startsWith(`${name}=`))?.split('=')[1]
const own = /^--(quick|slow|work|limit=.*|at-once=.*)$/
const options = asked.filter((argument) => argument.startsWith('-') && !own.test(argument))
/** A path from the root of the repository; one outside of it stays absolute. */
const fromRoot = (path: string) => relative(root, resolve(root, path)).replace(/^\.\..*/s, () => resolve(root, path))
/** Named twice, or in two spellings, a file runs once. */
const named = [...new Set(asked.filter((argument) => !argument.startsWith('-')).map(fromRoot))]

/** The quick files, after a line about the others. */
function quickOf(files: string[]): string[] {
  const slow = Map.groupBy(files, (file) => whySlow(file, root))
  const quick = slow.get(undefined) ?? []
  const reasons = [...slow].filter(([reason]) => reason).map(([reason, left]) => `${left.length} with ${reason}`)
  console.log(`${files.length - quick.length} of ${files.length} files are left out (${reasons.join(', ')}): \`npm test\` runs all.\n`)
  return quick
}

const usual = () =>
  globSync('{server,receiver,postern,bench}/test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
    .filter((file) => !(file in slowTests))
    .sort()

/** Whether a file tries few cases, or one database, in `npm test`, and many, or both, in the slow lane. */
const hasMore = (file: string) =>
  withPostgresInSlowLane.includes(file) || /\/stage\/cases\.ts'/.test(readFileSync(join(root, file), 'utf8'))

function filesToRun(): string[] {
  if (named.length > 0) return named
  if (isSlow) return [...Object.keys(slowTests), ...usual().filter(hasMore)]
  return isQuick ? quickOf(usual()) : usual()
}

function show(run: FileRun): void {
  if (run.failure || named.length > 0) console.log(run.output)
  console.log(lineOf(run))
}

const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort())

/** Runs the files, ends PostgreSQL, and says what came of them. Answers whether one failed. */
async function run(files: readonly string[], folder: string, postgres: PostgresServer | undefined) {
  const startedMs = performance.now()
  const env = {
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tests'),
    ...process.env,
    POSTERN_TEST_FOLDER: folder,
    ...(postgres && { POSTERN_TEST_POSTGRES: postgres.url }),
    // Set when this runs within a test: it would have the files report to that.
    NODE_TEST_CONTEXT: undefined,
  }
  const limitMs = Number(optionOf('--limit') ?? LIMIT_S) * 1000
  const atOnce = Number(optionOf('--at-once') ?? AT_ONCE)
  const runs = await runFiles(files, { root, limitMs, atOnce, options, env, signal: interrupted.signal }, show)
  // The programs that files start end before this: what ends last is PostgreSQL.
  const endedMs = cpuMsOfEndedChildren()
  await postgres?.stop()
  console.log(`\n${summary(runs, performance.now() - startedMs, cpuMsOfEndedChildren() - endedMs, listsAll)}`)
  return runs.some(({ failure }) => failure)
}

const files = filesToRun()
const folder = makeRunFolder()
process.env.TMPDIR = folder.path
// Servers of later files start from it, as they do with `npm start`; for a single file it would take longer than it saves.
if (named.length === 0 && !isQuick) spawn(process.execPath, [join(root, 'scripts/bundle-server.ts')], { stdio: 'ignore' }).unref()
let postgres: PostgresServer | undefined
let hasFailed = true
try {
  if (!isQuick) postgres = await startPostgres({ settings: [...WITHOUT_DISK, ...BY_ITSELF, ...SESSIONS] })
  hasFailed = await run(files, folder.path, postgres)
} finally {
  await postgres?.stop()
  folder.remove()
}
process.exit(interrupted.signal.aborted || hasFailed ? 1 : 0)
