import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSeal } from '../../src/lib/seal.ts'
import type { Content } from '../../src/storage/content.ts'
import { users } from '../../src/storage/content-tables.ts'
import { shareConnections } from '../../src/storage/postgres/shared-connections.ts'
import { batchContent } from '../../src/storage/sql/caches/batched-content.ts'
import { batchApps, batchMembers } from '../../src/storage/sql/caches/batched-lookups.ts'
import { batchBearerTokens, batchUserTokens, batchWebhooks } from '../../src/storage/sql/caches/batched-stores.ts'
import { createPreparedQuery, type PreparedQuery } from '../../src/storage/sql/prepared-query.ts'
import { getTypeParser, openPool } from '../stage/pool.ts'
import { anApp, aUser, aUserToken, aWebhook, opened, rawRows, SECRET } from './samples.ts'

/** An `PreparedQuery` of the database of `opened` that notes the names of the statements. */
function countingAsk(url: string) {
  const pool = openPool(url, 2, { types: { getTypeParser } })
  const real = createPreparedQuery(shareConnections(pool))
  const asked: string[] = []
  const ask: PreparedQuery = (statement, values) => {
    asked.push(statement.name)
    return real(statement, values)
  }
  return { ask, asked, pool, [Symbol.asyncDispose]: () => pool.end() }
}

const MANY_APPS = `insert into apps select 'many ' || n, name, 'key ' || n, consumer_secret_sealed, null, null, callback_urls, permissions,
    sign_in_with_service, webhook_limit, ads_access, early_access, suspended, created_at_ms, secret_version
  from apps, generate_series(1, 5000) as n where id = '1'`

const seal = createSeal([SECRET])

/** With a token for each of thirty apps, whose ids are 100 to 129. */
async function withTokens() {
  const it = await opened('postgres')
  const ids = Array.from({ length: 30 }, (_, n) => `${100 + n}`)
  for (const id of ids) {
    await it.storage.apps.insert(anApp({ id }))
    await it.storage.bearerTokens.obtain(id, `token of ${id}`, 1)
  }
  return { ...it, ids }
}

suite('concurrent questions on PostgreSQL', () => {
  test('thirty bearer tokens are looked up with one statement, each with its app, and unknown ones with none', async () => {
    await using it = await withTokens()
    await using counted = countingAsk(it.url)
    const { appOf } = batchBearerTokens(it.storage.bearerTokens, counted.ask, seal, it.clock)
    const found = await Promise.all([...it.ids, 'nobody', ...it.ids].map((id) => appOf(`token of ${id}`)))
    assert.deepEqual(
      found.map((app) => app?.id),
      [...it.ids, undefined, ...it.ids],
    )
    assert.deepEqual(counted.asked, ['apps-by-bearer-token'])
  })

  test('rows that many ask for are read with one statement for each set of columns, and each gets its own', async () => {
    await using it = await opened('postgres')
    for (const [id, username] of [
      ['101', 'ada'],
      ['102', 'grace'],
      ['103', 'edith'],
    ] as const)
      await it.storage.users.insert(aUser({ id, username }))
    const asked: string[] = []
    const content: Content = {
      ...it.storage.content,
      rows(table, columns, values, by) {
        asked.push(`${columns} of ${values}`)
        return it.storage.content.rows(table, columns, values, by)
      },
    }
    const { rows } = batchContent(content)
    const found = await Promise.all([
      rows(users, ['id', 'username'], ['101']),
      rows(users, ['id', 'username'], ['102', '101', '102', 'nobody']),
      rows(users, ['id', 'username'], []),
      rows(users, ['username_key', 'id'], ['edith'], 'username_key'),
      rows(users, ['username'], ['103']),
    ])
    assert.deepEqual(found, [
      [['101', 'ada']],
      [
        ['102', 'grace'],
        ['101', 'ada'],
      ],
      [],
      [['edith', '103']],
      [['edith']],
    ])
    assert.deepEqual(asked.toSorted(), ['id,username of 101,102,nobody', 'username of 103', 'username_key,id of edith'])

    asked.length = 0
    const eleven = ['91', '92', '93', '94', '95', '96', '97', '98', '99', '100', '101']
    const [many, few] = await Promise.all([rows(users, ['id'], eleven), rows(users, ['id'], ['102'])])
    assert.deepEqual([many, few], [[['101']], [['102']]])
    assert.equal(asked.length, 2, 'a question for many rows is asked alone')
  })

  test('the webhooks of many apps are listed with one statement, oldest first', async () => {
    await using it = await withTokens()
    for (const [id, appId, createdAtMs] of [
      ['13', '100', 3],
      ['11', '100', 4],
      ['12', '101', 1],
    ] as const)
      await it.storage.webhooks.register(aWebhook({ id, appId, createdAtMs }), 5)
    await using counted = countingAsk(it.url)
    const { list } = batchWebhooks(it.storage.webhooks, counted.ask)
    const found = await Promise.all(['101', '100', '102', '100'].map(list))
    assert.deepEqual(
      found.map((webhooks) => webhooks.map(({ id }) => id)),
      [['12'], ['13', '11'], [], ['13', '11']],
    )
    assert.deepEqual(counted.asked, ['webhooks-by-app'])
  })

  test('user tokens are returned with their users, and members with their accounts', async () => {
    await using it = await opened('postgres', { fresh: true })
    await it.storage.users.insert(aUser())
    await it.storage.users.insert(aUser({ id: '102', username: 'Bob', name: 'Bob', createdAtMs: 5 }))
    const tokens = [aUserToken(), aUserToken({ token: '102-token', userId: '102', createdAtMs: 7 })]
    for (const token of tokens) await it.storage.userTokens.insert(token)
    await using counted = countingAsk(it.url)
    const { find } = batchUserTokens(it.storage.userTokens, counted.ask, seal)
    const found = await Promise.all(tokens.map(({ token }) => find(token)))
    assert.deepEqual(found, [
      { token: tokens[0], user: aUser() },
      { token: tokens[1], user: aUser({ id: '102', username: 'Bob', name: 'Bob', createdAtMs: 5 }) },
    ])
    await rawRows(
      it.url,
      `insert into account_members (user_id, account_id, role, permissions, host, hidden, deleted, created_at_ms, updated_at_ms, name, name_key)
       values ('101', 'a1', 'ANALYST', '[]', 'h', false, false, 1, 1, 'n', 'n'), ('102', 'a1', 'AD_MANAGER', '[]', 'h', true, true, 1, 1, 'n', 'n')`,
    )
    const members = batchMembers(counted.ask)
    const asked = [
      members.find('h', 'a1', '102'),
      members.find('h', 'a2', '101'),
      members.find('h', 'a1', '101'),
      members.find('other', 'a1', '101'),
    ]
    assert.deepEqual(await Promise.all(asked), [
      { role: 'AD_MANAGER', permissions: [], deleted: true },
      undefined,
      { role: 'ANALYST', permissions: [], deleted: false },
      undefined,
    ])
    assert.deepEqual(counted.asked, ['user-tokens-by-token', 'members-by-account-and-user'])
  })

  test('an invalidated token is rejected in every process from the next question on, also while others are asked', async () => {
    await using it = await withTokens()
    const [here, there] = it.storages as [typeof it.storage, typeof it.storage]
    for (const id of it.ids) {
      const busy = it.ids.map((other) => there.bearerTokens.appOf(`token of ${other}`))
      await here.bearerTokens.invalidate(id, `token of ${id}`)
      assert.equal(await there.bearerTokens.appOf(`token of ${id}`), undefined)
      await Promise.all(busy)
    }
  })

  test('a key with U+0000, which PostgreSQL would reject, is unknown, and is asked for with the others', async () => {
    await using it = await withTokens()
    await using counted = countingAsk(it.url)
    const { byConsumerKey } = batchApps(it.storage.apps, counted.ask, seal)
    const found = await Promise.all(['key of 100', 'a \0 byte', 'key of 101'].map(byConsumerKey))
    assert.deepEqual(
      found.map((app) => app?.id),
      ['100', undefined, '101'],
    )
    assert.deepEqual(counted.asked, ['apps-by-consumer-key'])
  })

  test('only the question for an app whose secret cannot be decrypted fails', async () => {
    await using it = await withTokens()
    await rawRows(it.url, `update apps set consumer_secret_sealed = 'bm90IHNlYWxlZCB3aXRoIGFueSBvZiBvdXIgc2VjcmV0cw==' where id = '101'`)
    const settled = await Promise.allSettled(['100', '101', '102'].map((id) => it.storage.apps.byId(id)))
    assert.deepEqual(
      settled.map((each) => each.status === 'fulfilled' && each.value?.id),
      ['100', false, '102'],
    )
  })

  test('questions are still answered after a newer process has added a column', async () => {
    await using it = await withTokens()
    const find = () => Promise.all(it.ids.map((id) => it.storage.apps.byId(id)))
    const before = await find()
    await rawRows(it.url, 'alter table apps add column newer text')
    assert.deepEqual(await find(), before)
  })

  test('a statement is planned once for lists of every length', async () => {
    await using it = await withTokens()
    await rawRows(it.url, MANY_APPS)
    await rawRows(it.url, `insert into bearer_tokens select id, md5(id), '' from apps where id like 'many %'`)
    await rawRows(it.url, 'analyze apps')
    await rawRows(it.url, 'analyze bearer_tokens')
    const pool = openPool(it.url, 1)
    const { appOf } = batchBearerTokens(it.storage.bearerTokens, createPreparedQuery(shareConnections(pool)), seal, it.clock)
    for (let n = 0; n < 20; n++) await Promise.all(it.ids.slice(0, 1 + (n % 3)).map((id) => appOf(`token of ${id}`)))
    const { rows } = await pool.query('select generic_plans > custom_plans as once from pg_prepared_statements')
    await pool.end()
    assert.deepEqual(rows, [{ once: true }])
  })
})
