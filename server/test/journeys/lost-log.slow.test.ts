import assert from 'node:assert/strict'
import { copyFile, readdir, readFile, rename, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { acceptedId, database, EVENTS, logFiles } from '../stage/lost-log.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'

for (const file of ['', '.events'])
  test(`after kill -9, a backup of postern.db${file} beside the old write-ahead log is refused, and is intact`, async () => {
    const it = await database(`restored${file}`)
    await it.accept('SIGTERM')
    {
      using db = new DatabaseSync(it.path + file)
      db.exec(`vacuum into '${it.path}.backup'`)
    }
    await it.accept('SIGKILL', {}, 5000)
    await copyFile(`${it.path}.backup`, it.path + file)
    const refused = await it.refused()
    assert.match(refused, /is a copy, and beside it is the write-ahead log of the file that was there before/)
    assert.ok(refused.includes(`delete ${it.path}${file}-wal and ${it.path}${file}-shm`), refused)
    assert.deepEqual(await readFile(`${it.path}.backup`), await readFile(it.path + file))
  })

test('after kill -9, backups of both files beside their old write-ahead logs are refused in one sentence', async () => {
  const it = await database('restored-both')
  await it.accept('SIGTERM')
  for (const file of ['', '.events']) {
    using db = new DatabaseSync(it.path + file)
    db.exec(`vacuum into '${it.path}${file}.backup'`)
  }
  await it.accept('SIGKILL', {}, 5000)
  for (const file of ['', '.events']) await copyFile(`${it.path}${file}.backup`, it.path + file)
  const both = [`${it.path}-wal`, `${it.path}-shm`, `${it.path}.events-wal`, `${it.path}.events-shm`]
  const refused = await it.refused()
  assert.ok(refused.includes(`delete ${both.slice(0, 3).join(', ')}, and ${both[3]}`), refused)
  for (const file of both) await rm(file)
  await it.start().ready()
})

test('after kill -9, a write-ahead log that another program has checkpointed into the file is no loss', async () => {
  const it = await database('moved')
  await it.accept('SIGKILL')
  {
    using db = new DatabaseSync(`${it.path}.events`)
    db.exec('select count(*) from event')
  }
  assert.deepEqual(
    (await readdir(join(it.path, '..'))).filter((name) => name.includes('.events-wal')),
    [],
  )
  await it.accept('SIGTERM', {}, 5000)
  assert.equal(it.count(), 2 * EVENTS)
})

test('an older copy of the closed file is an error, and so is the log of another database', async () => {
  const it = await database('older')
  await it.accept('SIGTERM')
  await copyFile(`${it.path}.events`, `${it.path}.copy`)
  await it.accept('SIGTERM', {}, 5000)
  await copyFile(`${it.path}.events`, `${it.path}.newer`)
  await rename(`${it.path}.copy`, `${it.path}.events`)
  assert.match(await it.refused(), /has lost its newest part: events between 20\S+ and 20\S+ are missing/)
  const other = await database('other')
  await other.accept('SIGTERM')
  await copyFile(`${other.path}.events`, `${it.path}.events`)
  assert.match(await it.refused(), /does not belong to this database/)
  await copyFile(`${it.path}.newer`, `${it.path}.events`)
  await it.start().ready()
})

test('after kill -9, a database without its write-ahead log is an error until POSTERN_ACCEPT_LOG_LOSS accepts its loss, once', async () => {
  const it = await database('state-wal')
  await it.accept('SIGKILL')
  await it.remove('-wal', '-shm')
  const said = await it.refused()
  assert.match(
    said,
    /postern\.db-wal, the write-ahead log of the database, is missing or empty, and with it what was last committed\. Put it back/,
  )
  assert.equal(await it.refused(), said, 'a refused start changes nothing')
  const accepting = acceptedId(said)
  const logged = await it.accept('SIGKILL', accepting, 5000)
  assert.equal(logged.filter(({ level, msg }) => level === 40 && /Starting without what was in it/.test(msg)).length, 1)
  await it.remove('-wal', '-shm')
  assert.match(await it.refused(accepting), /is missing or empty/, 'what is left set accepts no second loss')
})

for (const file of ['', '.events'])
  test(`after kill -9, an empty write-ahead log of postern.db${file} is as good as none`, async () => {
    const it = await database(`emptied${file}`)
    await it.accept('SIGKILL')
    await it.remove(`${file}-shm`)
    await truncate(`${it.path}${file}-wal`)
    assert.match(await it.refused(), /-wal, the write-ahead log of the (database|event log), is missing or empty/)
  })

for (const file of ['', '.events'])
  test(`a copy of postern.db${file} in use, without its write-ahead log, is an error at another place and at its own`, async () => {
    const it = await database(`copied${file}`)
    await it.accept('SIGTERM')
    const postern = it.start()
    await postern.ready()
    const copy = await database(`copy${file}`)
    const names = { copied: it.path + file, to: copy.path + file }
    await copyFile(names.copied, names.to)
    await postern.end('SIGTERM')
    const other = file === '' ? '.events' : ''
    await copyFile(it.path + other, copy.path + other)
    const elsewhere = await copy.refused()
    assert.ok(elsewhere.includes(`${names.to}-wal, the write-ahead log of the `), elsewhere)
    await rename(names.to, names.copied)
    const moved = await it.refused()
    assert.ok(moved.includes(`${names.copied}-wal, the write-ahead log of the `), moved)
    const adopted = it.start(acceptedId(moved))
    await adopted.ready()
  })

test('that error does not end with the first checkpoint', async () => {
  const it = await database('checkpointed')
  const postern = it.start()
  const { base_url } = await postern.ready()
  const beganWith = (await stat(it.path)).size
  const text = 'a'.repeat(200)
  for (let first = 1; (await stat(it.path)).size - beganWith < 1_000_000; first += 1000) {
    assert.ok(first < 100_000, 'SQLite checkpoints')
    const posts = Array.from({ length: 1000 }, (_, n) => ({ id: String(first + n), author_id: '1', text }))
    const json = { users: [{ id: '1', username: 'author' }], posts }
    const { status, body } = await call(`${base_url}/operator/seed`, 'POST', { token: OPERATOR_TOKEN, json })
    assert.equal(status, 200, JSON.stringify(body))
  }
  await postern.end('SIGKILL')
  await it.remove('-wal', '-shm')
  assert.match(await it.refused(), /postern\.db-wal, the write-ahead log of the database, is missing or empty/)
})

test('a database of a former version, which has no recorded log, takes the existing one', async () => {
  const it = await database('before')
  await it.accept('SIGTERM')
  {
    using db = new DatabaseSync(it.path)
    db.exec("delete from metadata where name = 'event_log'")
  }
  const postern = it.start()
  await postern.ready()
  assert.equal(await postern.end('SIGTERM'), 0)
  await it.remove(...logFiles)
  assert.match(await it.refused(), /is missing or empty/)
})
