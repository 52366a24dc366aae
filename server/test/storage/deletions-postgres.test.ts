// What another process adds while its app or user is deleted, in the order in which it happens.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import type { Storage } from '../../src/storage/storage.ts'
import { pause } from '../stage/pause.ts'
import { aUser, openedAlone, rawRows } from './samples.ts'

const WAITING = `select count(*)::integer as count from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and wait_event <> 'advisory'`

/** Resolves once a deletion waits for a lock, with whatever statement takes it. */
async function untilWaiting(url: string) {
  while ((await rawRows(url, WAITING))[0]?.count !== 1) await pause()
}

const cases: [what: string, adds: string, remove: (storage: Storage) => Promise<unknown>, removed: unknown][] = [
  [
    'a user',
    `insert into sessions (id_sha256, user_id, expires_at_ms) values ('late', '101', 5)`,
    ({ users }) => users.remove('101'),
    true,
  ],
  [
    'an app',
    `insert into user_tokens (token_sha256, token_sealed, secret_sealed, app_id, user_id, access, created_at_ms)
      values ('late', '', '', '1', '101', 'read', 5)`,
    ({ apps }) => apps.remove('1'),
    [],
  ],
]

for (const [what, adds, remove, removed] of cases)
  test(`${what} is deleted with what another process had added and not committed yet`, async () => {
    await using it = await openedAlone('postgres')
    await it.storage.users.insert(aUser())
    const other = new Client({ connectionString: it.url })
    await other.connect()
    await other.query('begin')
    await other.query(adds)
    const removing = remove(it.storage)
    await untilWaiting(it.url)
    await other.query('commit')
    await other.end()
    assert.deepEqual(await removing, removed)
    for (const table of ['sessions', 'user_tokens']) assert.deepEqual(await rawRows(it.url, `select * from ${table}`), [], table)
  })
