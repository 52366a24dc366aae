import type { Pool } from 'pg'

/** Taken while the tables of the log are made, so that of several processes that start at once only one makes them. */
const MIGRATION_LOCK = 7_261_002

/**
 * log_event: append-only, with its targets as {webhook id: match}. log_delivery: the same by webhook. log_open: one row for each delivery
 * that is not acknowledged: held by the process that
 * is registered as `owner` in log_owner; or, without an owner, retrying when it has `due_ms` and waiting when not.
 * log_attempt: what became of deliveries; those of a replay carry its job as `origin`. Sequence numbers carry the time.
 */
const tables = `
  create table if not exists log_event (
    sequence bigint primary key,
    event_uuid text,
    event_type text not null,
    user_id text not null,
    targets jsonb not null,
    content bytea not null
  );
  create unique index if not exists log_event_uuid on log_event (event_uuid) where event_uuid is not null;
  create table if not exists log_delivery (
    webhook_id text collate "C" not null,
    sequence bigint not null,
    primary key (webhook_id, sequence)
  );
  create table if not exists log_open (
    sequence bigint not null,
    webhook_id text collate "C" not null,
    owner bigint,
    due_ms bigint,
    attempts integer not null default 0,
    primary key (sequence, webhook_id)
  ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);
  create index if not exists log_open_waiting on log_open (webhook_id, sequence) where owner is null and due_ms is null;
  create index if not exists log_open_due on log_open (due_ms, sequence) where owner is null and due_ms is not null;
  create index if not exists log_open_retrying on log_open (webhook_id, sequence) where owner is null and due_ms is not null;
  create table if not exists log_owner (id bigint generated always as identity primary key, worker smallint not null);
  create table if not exists log_attempt (
    sequence bigint not null,
    webhook_id text collate "C" not null,
    origin text not null,
    n integer not null,
    at_ms bigint not null,
    latency_ms double precision not null,
    status integer,
    outcome text not null,
    error text not null,
    primary key (sequence, webhook_id, origin, n)
  );
`

/** Each process registers anew at its start, so nothing is lost with the registrations. */
const oneOwnerPerWorker = `
  delete from log_owner;
  create unique index log_owner_worker on log_owner (worker);
`

/** The targets of a row of log_event; a damaged row has none. */
export const targetsOf = (row: string) => `case when jsonb_typeof(${row}.targets) = 'object' then ${row}.targets else '{}' end`

/** Each brings the tables from the version of its place to the next. */
const migrations = [tables, oneOwnerPerWorker]

/** Brings the tables of the log to the newest version. */
export async function migrateLog(pool: Pool) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    await client.query('create table if not exists log_version (version integer primary key)')
    const { rows } = await client.query('select coalesce(max(version), 0) as version from log_version')
    const version: number = rows[0].version
    if (version > migrations.length) throw new Error('the event log was written by a newer Postern: start that one')
    for (const [from, migration] of migrations.entries()) {
      if (from < version) continue
      await client.query(migration)
      await client.query('insert into log_version values ($1)', [from + 1])
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}
