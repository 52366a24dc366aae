import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { call } from '../stage/call.ts'
import { freePort } from '../stage/free-port.ts'
import { pause } from '../stage/pause.ts'

const MAIN = resolve(import.meta.dirname, '../../src/main.js')

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-log-'))
})
after(() => rm(folder, { recursive: true }))

/** Starts Postern with its standard output in a file, and answers once it serves. */
async function startInto(path: string) {
  const file = await open(path, 'a')
  const port = String(await freePort())
  const environment = { POSTERN_PORT: port, POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0', POSTERN_DATABASE_URL: 'sqlite::memory:' }
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [MAIN, '--bundle=use'], {
    cwd: folder,
    env: { PATH, ...environment },
    stdio: ['ignore', file.fd, 'ignore'],
  })
  const ended = once(child, 'exit')
  const health = () => call(`http://127.0.0.1:${port}/healthz`, 'GET').catch(() => undefined)
  for (; (await health())?.status !== 200; await pause()) assert.equal(child.exitCode, null, 'it has ended')
  await file.close()
  return { child, ended, health }
}

test('all lines are in the file after SIGTERM, including the last one', async () => {
  const path = join(folder, 'log')
  const { child, ended } = await startInto(path)
  child.kill('SIGTERM')
  assert.equal((await ended)[0], 0)
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  const messages = lines.map((line) => JSON.parse(line).msg)
  assert.ok(messages.includes('ready'))
  assert.equal(messages.at(-1), 'stopped')
})

test('when the disk of its log file is full it goes on serving, and SIGTERM exits with 0', {
  skip: process.platform !== 'linux',
}, async () => {
  const { child, ended, health } = await startInto('/dev/full')
  for (let n = 0; n < 200; n += 1) assert.equal((await health())?.status, 200)
  child.kill('SIGTERM')
  assert.equal((await ended)[0], 0)
})
