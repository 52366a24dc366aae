// Changes the sources one small step at a time and runs the tests that reach the change: a change that no test notices is a missing test.
//   npm run mutate                                        320 mutants, the same ones each time; SQLite alone
//   npm run mutate -- --count 50 --seed other             other mutants
//   npm run mutate -- --count 1000 --path access/oauth1   all mutants of a folder
//   npm run mutate -- --path challenge --tests challenge   on the test files with such a name alone
// Exits with 1 when fewer than 95 % are killed, or when a survivor has no reason in survivors.ts.
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { needsOf } from '../runner/quick-files.ts'
import { type FileRun, runFile } from '../runner/run-file.ts'
import { chooseMutants, nameOf } from './choose-mutants.ts'
import { readCoverage } from './coverage.ts'
import { apply, findMutants, type Mutant } from './find-mutants.ts'
import { rankTests, type TestFile } from './rank-tests.ts'
import { survivors } from './survivors.ts'
import { copyRepository, type WorkingCopy } from './working-copy.ts'

const root = resolve(import.meta.dirname, '../../..')
const SOURCES = ['endpoints', 'access', 'delivery']
const WORKERS = 2
const KILLED_SHARE = 0.95
/** A test file that takes longer is not run for each mutant. */
const MAX_TEST_MS = 30_000
/** Test files that a mutant must survive. */
const MAX_TESTS = 25
/** A mutant may turn a loop endless: as a test file that takes so much longer, it is killed. */
const slowed = (durationMs: number) => 10_000 + durationMs * 3

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '320' },
    seed: { type: 'string', default: 'postern' },
    path: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
  },
})

const env = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tests'), ...process.env, NODE_TEST_CONTEXT: undefined }
const { signal } = new AbortController()
const run = (file: string, cwd: string, limitMs: number, more: NodeJS.ProcessEnv = {}): Promise<FileRun> =>
  runFile(file, { root: cwd, limitMs, options: [], env: { ...env, ...more }, signal })

/** Runs tasks one after the other in each working copy. */
async function inEachCopy<Task>(
  copies: readonly WorkingCopy[],
  tasks: Iterable<Task>,
  work: (task: Task, copy: WorkingCopy) => Promise<void>,
) {
  const waiting = tasks[Symbol.iterator]()
  const worker = async (copy: WorkingCopy) => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await work(next.value, copy)
  }
  await Promise.all(copies.map(worker))
}

/** Tests that need these take too long for each mutant. */
const LEFT_OUT = new Set(['a browser', 'PostgreSQL', 'processes or threads'])
const testFiles = () =>
  globSync('server/test/**/*.test.ts', { cwd: root })
    .sort()
    .filter(
      (file) =>
        file.includes(values.tests) && !/\/(mutation|runner)\//.test(file) && !needsOf(file, root).some((need) => LEFT_OUT.has(need)),
    )

/** Runs each test file once on the original sources. */
async function measureTests(copies: readonly WorkingCopy[]): Promise<TestFile[]> {
  const tests: TestFile[] = []
  await inEachCopy(copies, testFiles(), async (path, copy) => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-coverage-'))
    const { failure, durationMs } = await run(path, copy.root, MAX_TEST_MS, { NODE_V8_COVERAGE: folder })
    if (failure) console.log(`left out: ${path} (${failure})`)
    else tests.push({ path, durationMs, coverage: await readCoverage(folder, copy.root) })
    await rm(folder, { recursive: true, force: true })
  })
  return tests
}

/** The test file that kills the mutant; undefined when it survives. */
async function kill(mutant: Mutant, tests: readonly TestFile[], copy: WorkingCopy): Promise<string | undefined> {
  const path = join(copy.root, mutant.file)
  const original = await readFile(path, 'utf8')
  await writeFile(path, apply(original, mutant))
  try {
    for (const test of tests) if ((await run(test.path, copy.root, slowed(test.durationMs))).failure) return test.path
    return undefined
  } finally {
    await writeFile(path, original)
  }
}

async function allMutants(): Promise<Mutant[]> {
  const files = SOURCES.flatMap((folder) => globSync(`server/src/${folder}/**/*.ts`, { cwd: root })).filter((file) =>
    file.includes(values.path),
  )
  const found = await Promise.all(files.sort().map(async (file) => findMutants(file, await readFile(join(root, file), 'utf8'))))
  return found.flat()
}

const mutants = await allMutants()
const chosen = chooseMutants(mutants, Number(values.count), values.seed)
console.log(`${chosen.length} of ${mutants.length} mutants`)

const copies = Array.from({ length: WORKERS }, () => copyRepository(root))
process.on('exit', () => {
  for (const copy of copies) copy[Symbol.dispose]()
})
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1))

const tests = await measureTests(copies)
console.log(`${tests.length} test files\n`)

/** By source file, how many mutants each test file has killed. */
const killers = new Map<string, Map<string, number>>()
const survived: Mutant[] = []
let done = 0
await inEachCopy(copies, chosen, async (mutant, copy) => {
  const killed = killers.get(mutant.file) ?? new Map<string, number>()
  const ranked = rankTests(mutant, tests, killed).slice(0, MAX_TESTS)
  const killer = await kill(mutant, ranked, copy)
  if (killer) killers.set(mutant.file, killed.set(killer, (killed.get(killer) ?? 0) + 1))
  else survived.push(mutant)
  done += 1
  const outcome = killer ? `killed by ${killer}` : `SURVIVED ${ranked.length} test files`
  console.log(`${done}/${chosen.length} ${mutant.file}:${mutant.line} ${mutant.change}: ${outcome}`)
})

const share = 1 - survived.length / chosen.length
const unexplained = survived.filter((mutant) => !(nameOf(mutant) in survivors))
console.log(`\n${chosen.length - survived.length} of ${chosen.length} killed (${(share * 100).toFixed(1)} %)`)
for (const mutant of survived)
  console.log(`survived: ${nameOf(mutant)} (line ${mutant.line}): ${survivors[nameOf(mutant)] ?? 'NO REASON GIVEN'}`)
process.exit(share < KILLED_SHARE || unexplained.length > 0 ? 1 : 0)
