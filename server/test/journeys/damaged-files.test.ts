import assert from 'node:assert/strict'
import { copyFile, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { messages } from '../stage/demo-client.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { rawRows } from '../storage/samples.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-damaged-'))
})
after(() => rm(folder, { recursive: true }))

/** Writes nonsense over a file, from a byte on. */
async function damage(path: string, from = 0) {
  const file = await open(path, 'r+')
  const { size } = await file.stat()
  await file.write(Buffer.alloc(Math.max(0, size - from), 0xa5), 0, size - from, from)
  await file.close()
}

const begin = (path: string) => setStage({ environment: { POSTERN_DATABASE_URL: `sqlite:${path}` } })

test('a file that was overwritten while Postern was stopped is reported at the start, with what to do', async () => {
  const path = join(folder, 'stopped.db')
  await (await begin(path)).end()
  await damage(`${path}.events`, 8192)
  await assert.rejects(begin(path), /the event log .*stopped\.db\.events is damaged \(.*\): stop Postern and restore/)
  await damage(`${path}.events`)
  await assert.rejects(begin(path), /the event log .*stopped\.db\.events is damaged \(.*\): stop Postern and restore/)
  await damage(path, 4096)
  await assert.rejects(begin(path), /the database .*stopped\.db is damaged \(.*\): stop Postern and restore/)
  await damage(path)
  await assert.rejects(begin(path), /the database .*stopped\.db is damaged \(.*\): stop Postern and restore/)
})

const pathOf = (stage: Stage) => stage.databaseUrl.slice('sqlite:'.length)
const readyz = (stage: Stage) => stage.api('GET', '/readyz')
const accept = (stage: Stage, event_uuid = '1') =>
  stage.operator('POST', '/operator/events', { events: messages('101', 1).map((event) => ({ ...event, event_uuid })) })

/** What was logged, as one text. */
const logOf = (stage: Stage) => stage.log.map((line) => JSON.stringify(line)).join('\n')

for (const [check, suffix] of [
  ['event_log', '.events'],
  ['state', ''],
] as const) {
  test(`${check}: a file that is overwritten while it is in use makes the process unready, but not exit`, async () => {
    await using stage = await setStage()
    assert.deepEqual((await readyz(stage)).body, { ready: true })
    await stage.restart()
    await damage(pathOf(stage) + suffix)
    const { status, body } = await readyz(stage)
    assert.deepEqual({ status, body }, { status: 503, body: { ready: false, failed: [check] } })
    assert.equal((await stage.api('GET', '/healthz')).status, 503)
    assert.equal((await stage.api('GET', '/livez')).status, 200)
    assert.match(logOf(stage), new RegExp(`postern\\.db${suffix.replace('.', '\\.')} is damaged`))
  })
}

test('an event log that is damaged where commits write rejects events with 503, logs the file for the operator, and is not ready', async () => {
  await using stage = await setStage()
  await stage.publish({}, {}, {})
  await stage.restart()
  await damage(`${pathOf(stage)}.events`, 2 * 8192)
  const { status, body, headers, text } = await accept(stage)
  assert.equal(status, 503, text)
  assert.match(body.detail, /^The database is unavailable\. Nothing was changed/)
  assert.match(headers.get('retry-after') ?? '', /^\d+$/)
  assert.match(logOf(stage), /the event log .*postern\.db\.events is damaged/)
  assert.deepEqual((await readyz(stage)).body, { ready: false, failed: ['event_log'] })
})

test('an event log that is deleted while it is in use accepts nothing, and is ready again once it is back', async () => {
  await using stage = await setStage()
  const path = `${pathOf(stage)}.events`
  await rename(path, `${path}.away`)
  const refused = await accept(stage)
  assert.equal(refused.status, 503, refused.text)
  assert.deepEqual((await readyz(stage)).body, { ready: false, failed: ['event_log'] })
  assert.match(logOf(stage), /postern\.db\.events was deleted or replaced while it was in use/)
  await rename(`${path}.away`, path)
  stage.clock.advance(1000)
  assert.equal((await readyz(stage)).status, 200)
  assert.equal((await accept(stage)).status, 202)
})

test('a write-ahead log that is deleted while it is in use accepts nothing more, and SIGTERM saves its contents', async () => {
  await using stage = await setStage()
  const [saved] = await stage.publish({ text: 'saved' })
  await rm(`${pathOf(stage)}.events-wal`)
  const refused = await accept(stage)
  assert.equal(refused.status, 503, refused.text)
  assert.match(logOf(stage), /postern\.db\.events-wal was deleted or replaced while it was in use: stop Postern with SIGTERM/)
  await stage.restart()
  const { data } = (await stage.operator('GET', `/operator/deliveries?event_uuid=${saved}`)).body
  assert.deepEqual(data, [])
  assert.equal((await accept(stage)).status, 202)
  assert.equal((await rawRows(`${stage.databaseUrl}.events`, `select count(*) as n from event`))[0]!.n, 2)
})

test('a state that is deleted while it is in use rejects registrations and seeds', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  await rename(pathOf(stage), `${pathOf(stage)}.away`)
  assert.equal((await stage.api('POST', '/2/webhooks', { token, json: { url: receiver.url } })).status, 503)
  assert.equal((await stage.operator('PATCH', '/operator/apps/1', { webhook_limit: 7 })).status, 503)
  await rename(`${pathOf(stage)}.away`, pathOf(stage))
  assert.equal((await stage.operator('PATCH', '/operator/apps/1', { webhook_limit: 7 })).status, 200)
})

test('a damaged event log accepts nothing until the next start, even if it is restored under the process', async () => {
  await using stage = await setStage()
  await stage.publish({ text: 'before' })
  const path = `${pathOf(stage)}.events`
  await copyFile(path, `${path}.whole`)
  await damage(path)
  assert.equal((await readyz(stage)).status, 503)
  assert.equal((await accept(stage)).status, 503)
  await copyFile(`${path}.whole`, path)
  stage.clock.advance(1000)
  assert.equal((await readyz(stage)).status, 503)
  assert.equal((await accept(stage)).status, 503)
})
