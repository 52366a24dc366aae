// The thread of the event log on SQLite stands still, as it does while its disk hangs, or ends.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { watchSilence } from '../../src/storage/log/sqlite/watch-silence.ts'
import { startWriter } from '../../src/storage/log/sqlite/writer-channel.ts'
import { Unavailable } from '../../src/storage/unavailable.ts'
import { startFreezer } from '../stage/freeze-threads.ts'
import { pause } from '../stage/pause.ts'
import { PosternProcess } from '../stage/postern-process.ts'

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'postern-silent-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

test('who waits for a thread of the log that stands still is refused, others at once, and both are answered once it goes on', async () => {
  await using folder = await temporaryFolder()
  using freezer = startFreezer()
  const told: boolean[] = []
  const { promise: goesOn, resolve } = Promise.withResolvers<void>()
  const stalled = (error: unknown) => {
    told.push(error !== null)
    if (error === null) resolve()
  }
  const thread = startWriter(join(folder.path, 'log'))
  await thread.call('state')
  const { writer, answered } = watchSilence(thread, { stalled, silentAfterMs: 100 })
  freezer.freeze(1_500)
  const late = writer.call('probe')
  await assert.rejects(
    answered(() => late),
    Unavailable,
  )
  let isBegun = false
  const begin = async () => {
    isBegun = true
  }
  await assert.rejects(answered(begin), /The event log does not answer\. Nothing was changed/)
  assert.deepEqual([told, isBegun], [[true], false])
  await goesOn
  await late
  await answered(() => writer.call('probe'))
  assert.deepEqual(told, [true, false])
  await writer.call('close', true)
  await writer.ended
})

/** Ends the first thread of a process when it is told to: that of the log. */
const ENDING = "process.once('worker', (thread) => process.once('SIGUSR2', () => void thread.terminate()))"

test('a process whose thread of the log ends does too, with status 1, so that it is started anew', async () => {
  await using folder = await temporaryFolder()
  const environment = {
    POSTERN_DATABASE_URL: `sqlite:${join(folder.path, 'postern.db')}`,
    NODE_OPTIONS: `--import="data:text/javascript,${encodeURIComponent(ENDING)}"`,
  }
  const postern = new PosternProcess(environment, folder.path)
  const { base_url } = await postern.ready()
  postern.child.kill('SIGUSR2')
  const readiness = () => fetch(`${base_url}/readyz`).then(({ status }) => status)
  while ((await readiness().catch(() => 'gone')) === 200) await pause()
  assert.equal(await postern.end('SIGTERM'), 1)
  assert.match(JSON.stringify(postern.lines), /uncaught exception: shutting down/)
})
