import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { call } from '../stage/call.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'

const MEBIBYTE = 1024 * 1024
/** Calls before memory is measured, and between its measurements. */
const [WARM_UP, MEASURED] = [300, 1000]

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-log-'))
})
after(() => rm(folder, { recursive: true }))

const residentBytes = ({ pid }: ChildProcess) => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024

/** Calls that each write a log line of some kilobytes, because their signature is wrong. */
async function logMuch(origin: string, calls: number) {
  const path = `/1.1/account/verify_credentials.json?${'x'.repeat(4000)}=1`
  for (let left = calls; left > 0; left -= 50)
    await Promise.all(
      Array.from({ length: 50 }, () => call(origin + path, 'GET', { headers: { authorization: 'OAuth oauth_consumer_key="x"' } })),
    )
}

async function ended(child: ChildProcess): Promise<number | null> {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
  return child.exitCode
}

const started = async () => {
  const postern = new PosternProcess({ POSTERN_DATABASE_URL: 'sqlite::memory:' }, folder)
  const { base_url } = await postern.ready()
  return { postern, child: postern.child, origin: base_url }
}

test('if the reader of standard output is gone, calls are answered and SIGTERM ends the process with status 0', async () => {
  const { child, origin } = await started()
  child.stdout!.destroy()
  await logMuch(origin, WARM_UP)
  const beforeBytes = residentBytes(child)
  await logMuch(origin, MEASURED)
  assert.ok(residentBytes(child) - beforeBytes < 64 * MEBIBYTE)
  assert.equal((await call(`${origin}/healthz`, 'GET', { token: OPERATOR_TOKEN })).status, 200)
  assert.equal(await ended(child), 0)
})

test('if the reader of standard output does not read, calls are answered and SIGTERM ends the process with status 0', async () => {
  const { child, origin } = await started()
  child.stdout!.pause()
  child.stdout!.removeAllListeners('data')
  await logMuch(origin, WARM_UP)
  const beforeBytes = residentBytes(child)
  await logMuch(origin, MEASURED)
  assert.ok(residentBytes(child) - beforeBytes < 64 * MEBIBYTE)
  assert.equal((await call(`${origin}/healthz`, 'GET')).status, 200)
  assert.equal(await ended(child), 0)
})
