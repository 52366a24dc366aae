import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'

const MAIN = resolve(import.meta.dirname, '../src/main.ts')

const run = (args: string[], folder = tmpdir()): ChildProcess =>
  spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, TMPDIR: folder }, stdio: ['ignore', 'ignore', 'pipe'] })

async function errorOf(...args: string[]): Promise<string> {
  const child = run(args)
  const [stderr, [status]] = await Promise.all([text(child.stderr!), once(child, 'exit')])
  assert.equal(status, 2)
  return stderr
}

/** Resolves once a Postern has opened its database below this folder; rejects after 60 s. */
async function posternIn(folder: string): Promise<void> {
  const deadlineMs = performance.now() + 60_000
  while (performance.now() < deadlineMs) {
    if ((await readdir(folder, { recursive: true })).some((path) => path.endsWith('.db'))) return
    await setTimeout(20)
  }
  throw new Error('no Postern has started within 60 s')
}

test('a benchmark that does not exist is refused with the names of those that do', async () => {
  assert.match(await errorOf('--only', 'speed'), /no benchmark speed; there are accepts-1, .*start/)
})

test('--write is refused with --quick, so that the page has samples that others can compare with', async () => {
  assert.match(await errorOf('--quick', '--write'), /leave out --quick/)
})

test('an option that does not exist is refused with those that do', async () => {
  assert.match(await errorOf('--quik'), /^Unknown option '--quik'.*--quick/s)
})

test('a run that is killed leaves no process and no file behind', { skip: process.platform !== 'linux' }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-bench-test-'))
  await chmod(folder, 0o755)
  const child = run(['--quick', '--only', 'reads'], folder)
  // Closed only when the last process that inherited it has exited.
  const closed = text(child.stderr!)
  try {
    await posternIn(folder)
    child.kill('SIGKILL')
    await closed
    assert.deepEqual(await readdir(folder), [])
  } finally {
    child.kill('SIGKILL')
    await closed
    await rm(folder, { recursive: true, force: true })
  }
})
