// Changes the sources one small step at a time and runs the tests that reach the change: a change that no test notices is a missing test.
//   npm run mutate                                        320 mutants, the same ones each time; SQLite alone
//   npm run mutate -- --count 50 --seed other             other mutants
//   npm run mutate -- --count 1000 --path access/oauth1   all mutants of a folder
//   npm run mutate -- --path lib/queue --tests queue      on the test files with such a name alone; --path reaches all of server/src
//   npm run mutate -- --workers 1                         one mutant at a time, instead of two
//   npm run mutate -- --keep /tmp/mutants                 keeps what is measured and killed there: a second run tries survivors alone, on new tests
//   npm run mutate -- --path access --near                measures nothing first: tries the likeliest of the test files that import the file
//   npm run mutate -- --keep /tmp/mutants --likeliest     a first round on the likeliest test files alone, to write tests for what is left
// Exits with 1 when fewer than 95 % are killed, or when a survivor has no reason in survivors.ts.
import { globSync, readFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { needsOf } from '../runner/quick-files.ts'
import { chooseMutants } from './choose-mutants.ts'
import { findMutants, type Mutant } from './find-mutants.ts'
import { importsOf } from './imports.ts'
import { measureTest, type TestFile } from './measure-tests.ts'
import { isKilled, type Outcome, openOutcomes } from './outcomes.ts'
import { arePagesStale } from './printed-pages.ts'
import { calledPaths, likeliestByName, rankTests } from './rank-tests.ts'
import { lineOf, summary, wasEnough } from './report.ts'
import { runCandidates } from './run-candidates.ts'
import { tryMutant } from './try-mutant.ts'
import { copyRepository, type WorkingCopy } from './working-copy.ts'

const root = resolve(import.meta.dirname, '../../..')
/** What a sample is taken of. A path may name any other folder. */
const SOURCES = ['endpoints', 'access', 'delivery']

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '320' },
    seed: { type: 'string', default: 'postern' },
    path: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
    workers: { type: 'string', default: '2' },
    keep: { type: 'string' },
    likeliest: { type: 'boolean', default: false },
    near: { type: 'boolean', default: false },
  },
})

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

/** Tests that start processes take too long for each mutant: they are tried where no other test runs the place. */
const SLOW = 'processes or threads'
const SLOW_MS = 60_000
/** Tests of what lies below the mutated folders, unless a path leads there, and of the tests themselves. */
const OF_OTHERS = values.path === '' ? /\/test\/(mutation|runner|lib|logging|settings|storage)\// : /\/test\/(mutation|runner)\//
const testFiles = globSync('server/test/**/*.test.ts', { cwd: root })
  .sort()
  .filter((file) => file.includes(values.tests) && !OF_OTHERS.test(file) && !needsOf(file, root).includes('a browser'))
const [slowFiles, usualFiles] = [true, false].map((isSlow) => testFiles.filter((file) => needsOf(file, root).includes(SLOW) === isSlow))

const slowTests = slowFiles!.map(
  (path): TestFile => ({ path, text: readFileSync(join(root, path), 'utf8'), durationMs: SLOW_MS, coverage: new Map() }),
)

/** Runs each test file once on the original sources. */
async function measureTests(copies: readonly WorkingCopy[]): Promise<TestFile[]> {
  const tests: TestFile[] = []
  await inEachCopy(copies, usualFiles!, async (path, copy) => {
    const test = await measureTest(path, copy.root, values.keep && join(values.keep, 'tests'))
    if (typeof test === 'string') console.log(`left out: ${path} (${test})`)
    else tests.push(test)
  })
  return tests
}

async function readSources(): Promise<Map<string, string>> {
  const folders = values.path === '' ? SOURCES : ['*']
  const files = folders
    .flatMap((folder) => globSync(`server/src/${folder}/**/*.ts`, { cwd: root }))
    .filter((file) => file.includes(values.path))
  return new Map(await Promise.all(files.sort().map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const)))
}

const sources = await readSources()
const mutants = [...sources].flatMap(([file, text]) => findMutants(file, text))
const chosen = chooseMutants(mutants, Number(values.count), values.seed)
console.log(`${chosen.length} of ${mutants.length} mutants`)

const copies = Array.from({ length: Number(values.workers) }, () => copyRepository(root))
process.on('exit', () => {
  for (const copy of copies) copy[Symbol.dispose]()
})
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1))

if (await arePagesStale(copies[0]!.root)) throw new Error('the printed pages are not fresh: run npm run docs')
if (values.keep) await mkdir(values.keep, { recursive: true })
const allMeasured = values.near ? undefined : await measureTests(copies)
console.log(`${(allMeasured ?? usualFiles!).length} test files\n`)

/** How many of the likeliest test files `--near` tries a mutant on. */
const NEAR = 12
/** How long `--near` takes test files to run: it measures none. */
const GUESSED_MS = { unit: 3000, server: 12_000 }
const usualTests = usualFiles!.map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
  imports: importsOf(join(root, path)),
  durationMs: needsOf(path, root).length > 0 ? GUESSED_MS.server : GUESSED_MS.unit,
  coverage: new Map(),
}))
/** Test files that fail on the original sources, as `--near` finds when they kill. */
const failsUnchanged = new Set<string>()
const passed = new Map<string, Promise<boolean>>()
async function passesUnchanged(path: string, copy: WorkingCopy): Promise<boolean> {
  if (!passed.has(path))
    passed.set(
      path,
      runCandidates([{ path, durationMs: SLOW_MS }], copy.root).then((failure) => failure === undefined),
    )
  const passes = await passed.get(path)!
  if (!passes) failsUnchanged.add(path)
  return passes
}

const known = openOutcomes(values.keep && join(values.keep, 'outcomes.jsonl'))
/** By source file, how many mutants each test file has killed. */
const killers = new Map<string, Map<string, number>>()
const outcomes = new Map<Mutant, Outcome>()
const countKill = ({ file }: Mutant, killer: string) => {
  const killed = killers.get(file) ?? new Map<string, number>()
  killers.set(file, killed.set(killer, (killed.get(killer) ?? 0) + 1))
}
/** The likeliest of the test files that import the mutant's file, or call its endpoints, whether or not they run the changed place. */
function nearTests(mutant: Mutant): TestFile[] {
  const file = join(root, mutant.file)
  const called = calledPaths(sources.get(mutant.file)!)
  const reaching = usualTests.filter(({ path, imports }) => imports.has(file) && !failsUnchanged.has(path))
  const killed = killers.get(mutant.file)
  return likeliestByName(
    mutant,
    reaching,
    NEAR,
    ({ path, text, imports }) =>
      (imports.get(file)! <= 2 ? 20 : 0) + (called.some((one) => text.includes(one)) ? 30 : 0) + Math.min(killed?.get(path) ?? 0, 3) * 10,
  )
}

const candidatesFor = (mutant: Mutant) => {
  const ranked = allMeasured ? rankTests(mutant, allMeasured, killers.get(mutant.file) ?? new Map()) : nearTests(mutant)
  return ranked.length > 0 ? ranked : likeliestByName(mutant, slowTests, 3)
}
const tried = async (mutant: Mutant, copy: WorkingCopy): Promise<Outcome> => {
  const outcome = await tryMutant(mutant, candidatesFor(mutant), copy.root, values.likeliest)
  if (allMeasured || !outcome.test || (await passesUnchanged(outcome.test.file, copy))) return outcome
  return tried(mutant, copy)
}
await inEachCopy(copies, chosen, async (mutant, copy) => {
  const text = sources.get(mutant.file)!
  const settled = known.settled(mutant, text)
  const outcome = settled ?? (await tried(mutant, copy))
  if (!settled && (isKilled(mutant, outcome) || !values.likeliest)) known.add(mutant, text, outcome)
  if (outcome.test) countKill(mutant, outcome.test.file)
  outcomes.set(mutant, outcome)
  console.log(`${outcomes.size}/${chosen.length} ${lineOf(mutant, outcome)}`)
})

console.log(summary(outcomes))
process.exit(wasEnough(outcomes) ? 0 : 1)
