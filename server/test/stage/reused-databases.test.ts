import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Client } from 'pg'
import { migratedDatabase } from './database.ts'
import { until } from './pause.ts'

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'tested' }).on('error', () => {})
  await client.connect()
  return client
}

const one = async (client: Client, query: string) => Object.values((await client.query(query)).rows[0] ?? {})[0]
const pidOf = (client: Client) => one(client, 'select pg_backend_pid()')
const sessions = `select count(*)::int from pg_stat_activity where application_name = 'tested' and pid <> pg_backend_pid()
  and datname = current_database()`

/** A client with the session of another one, which has changed what a session has. */
async function leftSession(url: string, former: readonly unknown[] = []): Promise<Client> {
  const client = await connect(url)
  const pid = await pidOf(client)
  if (former.includes(pid)) return client
  await client.query(`set statement_timeout = '1h'; listen heard; select pg_advisory_lock_shared(1); create temp table gone (n int)`)
  await client.query({ name: 'prepared', text: 'select 1' })
  await client.end()
  return leftSession(url, [...former, pid])
}

suite('a database of PostgreSQL that is used again', () => {
  test('has a session for the next client that is as at its start', async () => {
    await using database = await migratedDatabase('postgres')
    const next = await leftSession(database.url)
    assert.equal(await one(next, 'show statement_timeout'), '0')
    for (const nothing of [
      'pg_listening_channels()',
      'pg_prepared_statements',
      `pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    ])
      assert.equal(await one(next, `select count(*)::int from ${nothing}`), 0, nothing)
    assert.equal(await one(next, `select to_regclass('gone')`), null)
    await next.end()
  })

  test('ends the session of a client that breaks off, or that leaves a transaction open', async () => {
    await using database = await migratedDatabase('postgres')
    const watching = await connect(database.url)
    const broken = await connect(database.url)
    ;(broken as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
    await until(async () => (await one(watching, sessions)) === 0)
    const open = await connect(database.url)
    await open.query('begin')
    await open.end()
    await until(async () => (await one(watching, sessions)) === 0)
    await watching.end()
  })

  test('has the first rows alone, and numbers from the first on; one whose tables a test has changed is not used again', async () => {
    let former = ''
    const changing = async (change: string) => {
      await using database = await migratedDatabase('postgres')
      const client = await connect(database.url)
      const rows = [
        await one(client, `select count(*)::int from metadata where value = 'changed'`),
        await one(client, 'select count(*)::int from log_owner'),
        await one(client, `select nextval('log_owner_id_seq')::int`),
      ]
      const isAgain = former === database.url
      former = database.url
      await client.query(change)
      await client.end()
      return [...rows, isAgain]
    }
    await changing(`insert into log_owner (worker) values (1); update metadata set value = 'changed'`)
    assert.deepEqual(await changing('create table more (n int); insert into more values (1)'), [0, 0, 1, true])
    assert.deepEqual(await changing('alter table log_owner add column more int'), [0, 0, 1, true])
    assert.deepEqual(await changing('select 1'), [0, 0, 1, false])
  })
})
