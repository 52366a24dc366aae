// What a process of a fleet believes of its caches. The processes are storages on one PostgreSQL.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Client } from 'pg'
import type { Storage } from '../../src/storage/storage.ts'
import { isUnavailable } from '../../src/storage/unavailable.ts'
import { migratedDatabase } from '../stage/database.ts'
import { until } from '../stage/pause.ts'
import { startSilentProxy } from '../stage/silent-proxy.ts'
import { anApp, aUser, aUserToken, aWebhook, newTokens, openAt, opened, rawRows } from './samples.ts'

const registrations = async (url: string) =>
  (await rawRows(url, 'select id from caching_processes order by id')).map(({ id }) => id as string)

/** Looks the app '1' up, until the database has been changed by hand and the process still believes what it had: it has it from its cache. */
async function believes(storage: Storage, url: string) {
  for (let n = 0; ; n += 1) {
    await storage.apps.byConsumerKey('key of 1')
    await rawRows(url, `update apps set name = 'by hand ${n}' where id = '1'`)
    if ((await storage.apps.byConsumerKey('key of 1'))?.name !== `by hand ${n}`) return
  }
}

/** Two storages on one database, of which `far` reaches it through a proxy. */
async function openedApart() {
  await using begun = new AsyncDisposableStack()
  const database = begun.use(await migratedDatabase('postgres'))
  const near = await openAt(database.url)
  begun.defer(() => near.close())
  const url = new URL(database.url)
  const proxy = await startSilentProxy(Number(url.port))
  url.port = String(proxy.port)
  const far = await openAt(url.href)
  begun.defer(() => far.close())
  // Before the storage, whose goodbye would wait for an answer.
  begun.defer(() => proxy[Symbol.asyncDispose]())
  await near.apps.insert(anApp())
  const owned = begun.move()
  return {
    near,
    far,
    url: database.url,
    /** From here on the other one hears of no change, and its heartbeats are not answered; its other connections work. */
    silence: () => proxy.silence('listen "postern_caches"'),
    /** The next commit of the other one is answered only when the returned function is called. */
    holdCommit: () => proxy.holdAnswerTo(/\bcommit\b/i),
    /** The connections of the other one break. */
    cut: () => proxy.breakAll(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

suite('caches on postgres', () => {
  test('while it is used, a process has values from its cache', async () => {
    await using it = await opened('postgres', { fresh: true })
    for (const storage of it.storages) await believes(storage, it.url)
  })

  test('when a change is answered, no process believes the former value', async () => {
    await using it = await opened('postgres', { fresh: true })
    const [one, other] = it.storages as [Storage, Storage]
    await one.users.insert(aUser())
    const token = aUserToken()
    for (let n = 0; n < 10; n += 1) {
      for (const [writer, reader] of [
        [one, other],
        [other, one],
      ] as const) {
        await believes(reader, it.url)
        assert.equal(await writer.bearerTokens.obtain('1', `bearer ${n}`, 1), `bearer ${n}`)
        assert.equal((await reader.bearerTokens.appOf(`bearer ${n}`))?.id, '1')
        await writer.bearerTokens.invalidate('1', `bearer ${n}`)
        assert.equal(await reader.bearerTokens.appOf(`bearer ${n}`), undefined)

        await writer.userTokens.insert(token)
        assert.equal((await reader.userTokens.find(token.token))?.user.id, '101')
        await writer.revocations.revokeOf({ userId: '101' })
        assert.equal(await reader.userTokens.find(token.token), undefined)

        assert.deepEqual(await reader.webhooks.list('1'), [])
        await writer.webhooks.register(aWebhook(), 5)
        assert.equal((await reader.webhooks.list('1')).length, 1)
        await writer.webhooks.remove('1', '10')
        assert.deepEqual(await reader.webhooks.list('1'), [])

        await writer.apps.update('1', { suspended: true })
        assert.equal((await reader.apps.byConsumerKey('key of 1'))?.suspended, true)
        await writer.apps.update('1', { suspended: false })
        assert.equal((await reader.apps.byConsumerKey('key of 1'))?.suspended, false)
        assert.equal(await reader.oauth2Grants.findAccess(newTokens('g').access), undefined)
      }
    }
  })

  test('a process that hears nothing no longer believes its cache when a change is answered, and is registered no more', async () => {
    await using it = await openedApart()
    await it.near.bearerTokens.obtain('1', 'bearer', 1)
    await believes(it.far, it.url)
    assert.equal((await it.far.bearerTokens.appOf('bearer'))?.id, '1')
    const before = await registrations(it.url)
    it.silence()
    assert.equal(await it.near.bearerTokens.invalidate('1', 'bearer'), true)
    assert.equal(await it.far.bearerTokens.appOf('bearer'), undefined)
    await until(async () => (await registrations(it.url)).length === 1)
    assert.equal(before.length, 2)
    assert.ok(before.includes((await registrations(it.url))[0]!))
  })

  test('who revokes what another is just revoking is answered when no process believes it any more, too', async () => {
    await using it = await openedApart()
    await using third = await openAt(it.url).then((storage) => ({ storage, [Symbol.asyncDispose]: () => storage.close() }))
    await it.near.bearerTokens.obtain('1', 'bearer', 1)
    await believes(it.far, it.url)
    assert.equal((await it.far.bearerTokens.appOf('bearer'))?.id, '1')
    it.silence()
    const first = it.near.bearerTokens.invalidate('1', 'bearer')
    await until(async () => (await rawRows(it.url, 'select 1 from bearer_tokens')).length === 0)
    assert.equal(await third.storage.bearerTokens.invalidate('1', 'bearer'), false)
    assert.equal(await it.far.bearerTokens.appOf('bearer'), undefined)
    assert.equal(await first, true)
  })

  for (const who of ['another process', 'the same one'])
    test(`a revocation that ${who} repeats, before the first is answered, is answered when nobody believes the token`, async () => {
      await using it = await openedApart()
      await it.near.bearerTokens.obtain('1', 'bearer', 1)
      await believes(it.far, it.url)
      assert.equal((await it.far.bearerTokens.appOf('bearer'))?.id, '1')
      const answer = it.holdCommit()
      const first = it.far.bearerTokens.invalidate('1', 'bearer')
      await until(async () => (await rawRows(it.url, 'select 1 from bearer_tokens')).length === 0)
      const repeating = who === 'the same one' ? it.far : it.near
      assert.equal(await repeating.bearerTokens.invalidate('1', 'bearer'), false)
      assert.equal(await it.far.bearerTokens.appOf('bearer'), undefined)
      answer()
      assert.equal(await first, true)
    })

  test('a rotation whose commit was not answered may have been done, as its error says, and is not done twice', async () => {
    await using it = await openedApart()
    const rotation = { secret: 'the new secret', previousUntilMs: 1_900_000_000_000 }
    it.holdCommit()
    const unanswered = it.far.apps.update('1', {}, rotation)
    await until(async () => (await it.near.apps.byId('1'))?.secretVersion === 2)
    it.cut()
    await assert.rejects(unanswered, (error: Error) => isUnavailable(error) && /It may have been done/.test(error.message))
    const app = await it.near.apps.update('1', {}, rotation)
    assert.deepEqual([app?.secretVersion, app?.previousConsumerSecret], [2, 'the secret'])
  })

  test('a process that cannot have its worker number again is not registered, so that it delays no change', async () => {
    await using it = await opened('postgres', { fresh: true })
    const [one, other] = it.storages as [Storage, Storage]
    const thief = new Client({ connectionString: it.url })
    await thief.connect()
    try {
      const { rows } = await thief.query(
        `select pid, classid::bigint as class, objid::int as number from pg_locks where locktype = 'advisory' and granted and objsubid = 2
           and database = (select oid from pg_database where datname = current_database()) and objid::int = $1`,
        [other.worker],
      )
      const [{ pid, class: lockClass, number }] = rows
      await thief.query('select pg_terminate_backend($1)', [pid])
      await thief.query('select pg_advisory_lock($1, $2)', [lockClass, number])
      await one.apps.update('1', { name: 'Changed' })
      await until(async () => (await registrations(it.url)).length === 1)
      const [left] = await registrations(it.url)
      for (let n = 0; n < 20; n += 1) {
        await one.apps.update('1', { name: `Changed ${n}` })
        assert.deepEqual(await registrations(it.url), [left])
      }
    } finally {
      await thief.end()
    }
  })

  test('messages that are none are ignored', async () => {
    await using it = await opened('postgres', { fresh: true })
    const [one, other] = it.storages as [Storage, Storage]
    for (const channel of ['postern_caches', 'postern_changes'])
      for (const text of ['', 'x', 'null', '5', '{"left":5}', '{"left":{"0":"a"}}', '{"numbers":null}', '{"registered":[1]}'])
        await rawRows(it.url, `select pg_notify('${channel}', '${text}')`)
    await believes(other, it.url)
    await one.apps.update('1', { name: 'Changed' })
    assert.equal((await other.apps.byConsumerKey('key of 1'))?.name, 'Changed')
  })

  test('a process that is distrusted registers under another id, and believes its cache again', async () => {
    await using it = await opened('postgres', { fresh: true })
    const [one] = it.storages as [Storage]
    const before = await registrations(it.url)
    assert.equal(before.length, 2)
    for (const id of before) await rawRows(it.url, `select pg_notify('postern_caches', '${JSON.stringify({ distrusted: id })}')`)
    await until(async () => (await registrations(it.url)).every((id) => !before.includes(id)))
    assert.equal((await registrations(it.url)).length, 2)
    await believes(one, it.url)
    await one.apps.update('1', { name: 'Changed' })
    for (const { apps } of it.storages) assert.equal((await apps.byConsumerKey('key of 1'))?.name, 'Changed')
  })

  test('a registration that a dead process has left is removed after the first change that it does not acknowledge', async () => {
    await using database = await migratedDatabase('postgres')
    await rawRows(database.url, `insert into caching_processes values ('dead')`)
    const storage = await openAt(database.url)
    assert.equal((await registrations(database.url)).length, 2)
    assert.equal(await storage.apps.insert(anApp()), true)
    await until(async () => !(await registrations(database.url)).includes('dead'))
    await storage.close()
    assert.deepEqual(await registrations(database.url), [])
  })

  test('a process whose listening connection was ended registers again, and believes what it then reads', async () => {
    await using it = await opened('postgres', { fresh: true })
    const [one, other] = it.storages as [Storage, Storage]
    const before = await registrations(it.url)
    await believes(other, it.url)
    const ended = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())`
    await rawRows(it.url, ended)
    await until(async () => {
      const now = await registrations(it.url)
      return now.length === 2 && now.every((id) => !before.includes(id))
    })
    // A process registers before it has its worker number again.
    await until(() =>
      one.apps.update('1', { name: 'Changed' }).then(
        () => true,
        (error) => {
          if (!isUnavailable(error)) throw error
          return false
        },
      ),
    )
    assert.equal((await other.apps.byConsumerKey('key of 1'))?.name, 'Changed')
    await believes(other, it.url)
  })
})
