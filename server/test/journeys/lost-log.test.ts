import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { acceptedId, database, EVENTS, logFiles } from '../stage/lost-log.ts'

test('after a clean exit, a deleted event log is an error by name, and nothing is created instead', async () => {
  const it = await database('gone')
  await it.accept('SIGTERM')
  await it.remove(...logFiles)
  assert.match(await it.refused(), /the event log .*postern\.db\.events is missing or empty, but the database has one on record\. Put back/)
  assert.deepEqual(
    (await readdir(join(it.path, '..'))).filter((name) => name.includes('.events')),
    [],
  )
})

test('after kill -9 too, and POSTERN_ACCEPT_LOG_LOSS with the id of the log accepts its loss once', async () => {
  const it = await database('accepted')
  await it.accept('SIGKILL')
  await it.remove(...logFiles)
  const accepting = acceptedId(await it.refused())
  const said = await it.accept('SIGTERM', accepting)
  assert.equal(said.filter(({ level, msg }) => level === 40 && /Starting without the missing events/.test(msg)).length, 1)
  await it.remove(...logFiles)
  assert.match(await it.refused(accepting), /is missing or empty/, 'what is left set accepts no second loss')
})

test('after kill -9, an event log without its write-ahead log is an error, however recent the events', async () => {
  const it = await database('wal')
  await it.accept('SIGKILL')
  await it.remove('.events-wal', '.events-shm')
  const said = await it.refused()
  assert.match(said, /postern\.db\.events-wal, the write-ahead log of the event log, is missing/)
  assert.match(await it.refused(), /is missing/, 'a refused start changes nothing')
  await it.accept('SIGTERM', acceptedId(said))
})

test('a lost database beside an event log is an error, and nothing is created instead', async () => {
  const it = await database('state')
  await it.accept('SIGTERM')
  await it.remove('', '-wal', '-shm')
  assert.match(
    await it.refused(),
    /the database .*postern\.db is missing or empty, but its event log .* is not: restore .*postern\.db from a backup and leave the event log as it is/,
  )
  await assert.rejects(stat(it.path))
})

test('without either file, the first start succeeds without a warning', async () => {
  const it = await database('first')
  const postern = it.start()
  await postern.ready()
  assert.deepEqual(
    postern.lines.filter(({ level }) => level >= 40),
    [],
  )
})

test('repeated events that exist already are not missed at the next start', async () => {
  const { accept, count } = await database('repeated')
  await accept('SIGTERM')
  await accept('SIGTERM')
  await accept('SIGKILL')
  await accept('SIGTERM', {}, 2000)
  assert.equal(count(), 2 * EVENTS)
})
