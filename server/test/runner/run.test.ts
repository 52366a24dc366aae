import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { slowTests } from '../slow-tests.ts'
import { listedFiles } from './file-lists.ts'
import { whySlow } from './quick-files.ts'

const root = resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'postern-runner-'))
after(() => rmSync(folder, { recursive: true }))

const path = (name: string) => join(folder, `${name}.test.ts`)
const leftover = join(folder, 'leftover.pid')
const passing = `import { test } from 'node:test'\ntest('it passes', () => {})\n`

const files: Record<string, string> = {
  'a-never-resolves': `${passing}setInterval(() => {}, 1000)\ntest('it never resolves', () => new Promise(() => {}))\n`,
  'b-stays-open': `${passing}setInterval(() => {}, 1000)\n`,
  // Its thread does nothing else for ever, and takes no CPU time for that.
  'c-is-busy': `${passing}test('it is busy', () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))\n`,
  'd-leaves-a-process': `import { spawn } from 'node:child_process'
    import { writeFileSync } from 'node:fs'
    ${passing}
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
    writeFileSync(${JSON.stringify(leftover)}, String(child.pid))
    child.unref()
  `,
  'e-ends-early': `${passing}test('it ends the process', () => process.exit(0))\n`,
  'f-passes': passing,
  'g-errs-late': `import { test } from 'node:test'\ntest('it passes', () => void setTimeout(() => { throw new Error('late') }, 50))\n`,
  'h-changes-its-process': `${passing}process.env.POSTERN_LEFT = 'left'\nprocess.chdir('/')\n`,
  'i-sees-changes': `import assert from 'node:assert/strict'\nimport { test } from 'node:test'
    test('it sees nothing', () => assert.equal((process.env.POSTERN_LEFT ?? '') + process.cwd(), ${JSON.stringify(root)}))\n`,
  'm-replaces-globals': `import { mock } from 'node:test'\n${passing}
    globalThis.fetch = () => {}\nmock.timers.enable({ apis: ['setTimeout'] })\n`,
  'j-has-hooks': `import { before, beforeEach } from 'node:test'\n${passing}
    for (const hook of [before, beforeEach]) hook(() => { globalThis.hooks = (globalThis.hooks ?? 0) + 1 })\n`,
  'l-leaves-out': `import { suite, test } from 'node:test'
    suite('with a program', { skip: 'a program is not installed' }, () => { test('it passes', () => {}) })\n`,
  'k-sees-hooks': `import assert from 'node:assert/strict'\nimport { test } from 'node:test'
    test('it sees no more', () => assert.ok([undefined, 2].includes(globalThis.hooks)))\n`,
}

let said: string
let status: number | null
before(() => {
  for (const [name, text] of Object.entries(files)) writeFileSync(path(name), text)
  const args = [
    'server/test/run.ts',
    '--quick',
    '--limit=8',
    ...Object.keys(files).map(path),
    path('f-passes'),
    relative(root, path('f-passes')),
  ]
  const run = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  said = run.stdout
  status = run.status
})

for (const [name, what] of [
  ['a-never-resolves', 'with a test that never resolves'],
  ['c-is-busy', 'that is busy and hears nothing'],
])
  test(`a file ${what} is ended at the limit, named and counted as failed`, () => {
    assert.ok(said.includes(`✖ ${path(name!)}: did not end within 8 s`), said)
  })

test('a file whose suites are all left out passes, and the summary says why', () => {
  assert.match(said, /^✔ \S*l-leaves-out\.test\.ts \(0 tests, /m)
  assert.match(said, /^ℹ left out: a program is not installed$/m)
})

test('files without a test of a name that is asked for pass, and the summary says so', () => {
  const args = [
    'server/test/run.ts',
    '--quick',
    '--limit=8',
    '--test-name-pattern=it sees nothing',
    path('f-passes'),
    path('i-sees-changes'),
  ]
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  assert.match(stdout, /^✔ \S*f-passes\.test\.ts \(0 tests, /m)
  assert.match(stdout, /^✔ \S*i-sees-changes\.test\.ts \(1 tests, /m)
  assert.match(stdout, /^ℹ left out: no test of some files has a name like that$/m)
})

test('a file that does not give back what it has replaced for its process is named with that', () => {
  assert.ok(said.includes(`✖ ${path('m-replaces-globals')}: replaced, and not given back: fetch, setTimeout`), said)
})

test('a file that holds something open after its tests is named with what it holds', () => {
  assert.ok(said.includes(`✖ ${path('b-stays-open')}: left open: 1 Timeout`), said)
})

test('a test that hangs is named', () => {
  assert.match(said, /Interrupted while running:\s+⚠ it never resolves/)
})

test('an error that comes after its test fails the file', () => {
  assert.match(said, /✖ .*g-errs-late\.test\.ts: .*Error: late/)
})

test('what a file changes for its process is undone before the next one', () => {
  for (const name of ['h-changes-its-process', 'i-sees-changes']) assert.ok(said.includes(`✔ ${path(name)} (1 tests`), said)
})

test('hooks of a file run for that file alone', () => {
  for (const name of ['j-has-hooks', 'k-sees-hooks']) assert.ok(said.includes(`✔ ${path(name)} (1 tests`), said)
})

test('the run says where the time of its processors went', () => {
  assert.match(
    said,
    /ℹ CPU [\d.]+ s: loading modules [\d.]+ s, PostgreSQL 0\.0 s, hashing passwords 0\.0 s, processes that tests start 0\.0 s, tests [\d.]+ s/,
  )
})

test('a process that a file leaves behind is killed', () => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', readFileSync(leftover, 'utf8')], { encoding: 'utf8' })
  assert.match(stdout, /^$|^Z/)
})

test('a file that ends the process before its tests have ended is counted as failed', () => {
  assert.ok(said.includes(`✖ ${path('e-ends-early')}: ended with 0 before its tests did`), said)
})

test('the other files are run, and the run fails', () => {
  for (const name of ['d-leaves-a-process', 'f-passes']) assert.ok(said.includes(`✔ ${path(name)} (1 tests`), said)
  assert.match(said, /ℹ files 13\nℹ files failed 6\n/)
  assert.equal(status, 1)
})

test('a file that is named twice, in whichever spelling, runs once', () => {
  assert.equal(said.split(`✔ ${path('f-passes')} (1 tests`).length - 1, 1, said)
})

/** Starts a run that waits, on a PostgreSQL; resolves once that accepts connections. */
async function startRun(program: string, args: readonly string[]) {
  // Short: the path of a socket has 107 characters at most. PostgreSQL may run as another account.
  const temporary = mkdtempSync(join(tmpdir(), 'r-'))
  after(() => rmSync(temporary, { recursive: true, force: true }))
  chmodSync(temporary, 0o711)
  const waits = path('l-waits')
  writeFileSync(waits, `import { test } from 'node:test'\ntest('it waits', () => new Promise(() => setInterval(() => {}, 1000)))\n`)
  const run = spawn(program, [...args, waits], { cwd: root, env: { ...process.env, TMPDIR: temporary }, stdio: 'ignore' })
  // The programs that make its folder lock it for a moment too.
  const pidFiles = () =>
    globSync('*/*/home/data/postmaster.pid', { cwd: temporary }).flatMap((name) => {
      const file = join(temporary, name)
      try {
        return readFileSync(file, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      }
    })
  for (;;) {
    const ready = pidFiles().find((text) => text.includes('ready'))
    if (ready) return { run, temporary, postgres: Number(ready.split('\n')[0]) }
    await wait(20)
  }
}

for (const [signal, program, args] of [
  ['SIGTERM', 'npm', ['test', '--']],
  ['SIGHUP', process.execPath, ['server/test/run.ts']],
] as const)
  test(`${signal} ends a run with its PostgreSQL, and nothing is left in its folder`, { timeout: 60_000 }, async () => {
    const { run, temporary, postgres } = await startRun(program, args)
    const ended = once(run, 'exit')
    run.kill(signal)
    await ended
    assert.throws(() => process.kill(postgres, 0), { code: 'ESRCH' })
    assert.deepEqual(
      readdirSync(temporary).filter((name) => name.startsWith('postern-run-')),
      [],
    )
  })

for (const [file, reason] of [
  ['server/test/journeys/replay.test.ts', 'journeys'],
  ['server/test/storage/event-log-postgres.test.ts', 'PostgreSQL'],
  ['server/test/map.test.ts', 'a whole server'],
  ['server/test/runner/run.test.ts', 'processes or threads'],
  ['server/test/storage/list-plans.test.ts', 'much work'],
  ['server/test/storage/webhooks.test.ts', undefined],
] as const)
  test(`the quick run ${reason ? `leaves ${file} out for ${reason}` : `has ${file}`}`, () => {
    assert.equal(whySlow(file, root), reason)
  })

test('every test file of the slow lane’s folder says why it is there', () => {
  const found = globSync('server/test/slow/*/*.test.ts', { cwd: root })
  assert.deepEqual(
    found.filter((file) => slowTests[file] === undefined),
    [],
  )
})

test('every file that the runner treats in its own way exists', () => {
  const named = [...Object.keys(slowTests), ...listedFiles]
  assert.deepEqual(
    named.filter((file) => !existsSync(join(root, file))),
    [],
  )
})
