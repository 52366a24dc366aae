import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { migratedDatabase } from '../stage/database.ts'
import { delivered, event, stageLog } from './event-log-stage.ts'
import { anApp, openedAlone, rawRows } from './samples.ts'

/** Writes down, for every row that is written, whether its commit waits for the disk. */
const RECORD_COMMITS = `
  create table commits_seen (table_name text, setting text);
  create function see_commit() returns trigger language plpgsql as $$ begin
    insert into commits_seen values (tg_table_name, current_setting('synchronous_commit'));
    return null;
  end $$;
  do $$ declare each text; begin
    for each in select tablename from pg_tables where schemaname = 'public' and tablename <> 'commits_seen' loop
      execute format('create trigger see after insert or update or delete on %I execute function see_commit()', each);
    end loop;
  end $$`

const seen = async (url: string, setting: 'on' | 'off') => {
  const rows = await rawRows(url, `select distinct table_name from commits_seen where setting = '${setting}' order by 1`)
  return rows.map(({ table_name }) => table_name)
}

const cutAll = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'

test('commits of nonces do not wait for the disk, and those of all other state do', async () => {
  await using it = await openedAlone('postgres', { fresh: true })
  await rawRows(it.url, RECORD_COMMITS)
  assert.deepEqual(await Promise.all(['a', 'b'].map((key) => it.storage.nonces.accept(key, 1000, 0))), [true, true])
  await it.storage.apps.insert(anApp({ id: '2', consumerKey: 'another key' }))
  assert.equal(await it.storage.nonces.accept('c', 1000, 0), true)
  assert.deepEqual(await seen(it.url, 'off'), ['nonces'])
  assert.ok((await seen(it.url, 'on')).includes('apps'))
})

test('events and their outcomes wait for the disk', async () => {
  await using stage = await stageLog('postgres', createClock(), await migratedDatabase('postgres'))
  await rawRows(stage.url, RECORD_COMMITS)
  await stage.log.append([event()])
  await stage.log.acknowledge(stage.held[0]!, delivered(stage.clock), null)
  assert.deepEqual(await seen(stage.url, 'off'), [])
  assert.ok((await seen(stage.url, 'on')).length > 0)
})

test('after its connections were lost nonces are still known, and commits do not wait on the new connection either', async () => {
  await using it = await openedAlone('postgres', { fresh: true })
  await rawRows(it.url, RECORD_COMMITS)
  const accept = (key: string) => it.storage.nonces.accept(key, 1000, 0)
  assert.equal(await accept('a'), true)
  await rawRows(it.url, cutAll)
  const outcomes: unknown[] = []
  while (outcomes.length < 10 && outcomes.at(-1) !== false) outcomes.push(await accept('a').catch(() => 'cut'))
  assert.equal(outcomes.at(-1), false)
  assert.equal(await accept('b'), true)
  assert.deepEqual([await seen(it.url, 'off'), await seen(it.url, 'on')], [['nonces'], []])
})
