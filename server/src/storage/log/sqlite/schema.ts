import type { DatabaseSync } from 'node:sqlite'
import { migrateFile } from '../../files/migrate-file.ts'
import type { Migrated, Migration } from '../../migrate.ts'

const PAGE_BYTES = 8 << 10
/** The operating system caches the file too. A larger cache fills within some 50,000 events, and saves no CPU time. */
const CACHE_KIB = 8 << 10
const CHECKPOINT_PAGES = (32 << 20) / PAGE_BYTES

/**
 * The event log on SQLite, as version 0.2.0 makes it.
 *
 *   event     append-only
 *   target    the webhooks that an event goes to, in the same order
 *   attempt   attempts of deliveries; those of a replay have the job's id as `origin`
 *   delivery  an index of targets by webhook, written late (index-runs.ts)
 *   retry     deliveries that were tried, failed and are due again
 *   waiting   the rows of delivery-tracker.ts
 *   stream    the apps whose streams an event goes to, in the order of the events: an append writes at its end, a trim at its beginning
 *   header    the id of this log, made when the file was created
 *   mark      `trimmed` is the newest event that was ever deleted
 *
 * A delivery is open while it has a retry row or no attempt of its own. All sequence numbers contain the time.
 */
const tables = `
  create table event (
    sequence integer primary key,
    event_uuid text,
    event_type text not null,
    user_id text not null,
    content blob not null
  ) strict;
  create table given_uuid (event_uuid text primary key, sequence integer not null) strict, without rowid;
  create table target (
    sequence integer not null,
    webhook_id text not null,
    match text not null,
    primary key (sequence, webhook_id)
  ) strict, without rowid;
  create table attempt (
    sequence integer not null,
    webhook_id text not null,
    origin text not null,
    n integer not null,
    at_ms integer not null,
    latency_ms real not null,
    status integer,
    outcome text not null,
    error text not null,
    response text not null default '',
    primary key (sequence, webhook_id, origin, n)
  ) strict, without rowid;
  create table delivery (webhook_id text not null, sequence integer not null, primary key (webhook_id, sequence)) strict, without rowid;
  create table retry (
    webhook_id text not null,
    sequence integer not null,
    due_ms integer not null,
    attempts integer not null,
    primary key (webhook_id, sequence)
  ) strict, without rowid;
  create index retry_due on retry (due_ms);
  create table waiting (webhook_id text primary key, beginning integer not null) strict, without rowid;
  create table mark (name text primary key, sequence integer not null) strict, without rowid;
  insert into mark values ('watermark', 0), ('indexed', 0), ('trimmed', 0);
  create table header (name text primary key, value text not null) strict, without rowid;
  insert into header values ('id', lower(hex(randomblob(8))));
  create table stream (
    sequence integer not null,
    app_id text not null,
    match text not null,
    primary key (sequence, app_id)
  ) strict, without rowid;
  create index stream_of_app on stream (app_id, sequence);
`

/** By which pages of a rare state are read. Only an attempt that did not deliver writes into them. */
const rareStates = `
  create index attempt_undelivered on attempt (outcome, sequence) where outcome <> 'delivered' and origin = '';
  create index retry_by_time on retry (sequence);
`

/** By which retries of a webhook are found in order while others are skipped. Only an attempt that is retried writes into it. */
const retriesOfWebhooks = 'create index retry_of_webhook on retry (webhook_id, due_ms)'

export const migrations: Migration<DatabaseSync>[] = [
  { name: '001-baseline', version: '0.2', kind: 'expand', up: async (db) => db.exec(tables), replaces: '003-streams' },
  {
    name: '002-timing',
    version: '0.3',
    kind: 'expand',
    up: async (db) => db.exec(`alter table attempt add column timing text not null default ''`),
  },
  { name: '003-rare-states', version: '0.3', kind: 'expand', up: async (db) => db.exec(rareStates) },
  {
    name: '004-traceparent',
    version: '0.3',
    kind: 'expand',
    up: async (db) => db.exec('alter table event add column traceparent text'),
  },
  { name: '005-retries-of-webhooks', version: '0.3', kind: 'expand', up: async (db) => db.exec(retriesOfWebhooks) },
]

/** The names of all migrations of the event log, in order. */
export const logMigrations: readonly string[] = migrations.map(({ name }) => name)

export const numberOf = (row: unknown): number => Object.values(row as Record<string, number>)[0]!

/** Sets up the connection and brings the tables of the file to this version. Answers what that took. */
export async function openSchema(db: DatabaseSync): Promise<Migrated> {
  db.exec(`pragma page_size = ${PAGE_BYTES}; pragma journal_mode = wal; pragma synchronous = full;
    pragma cache_size = -${CACHE_KIB}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma temp_store = memory`)
  const migrated = await migrateFile(db, migrations)
  // Retries that this process holds. Empty at every start, and part of the transactions that change it.
  db.exec('create temp table taken (webhook_id text not null, sequence integer not null, primary key (webhook_id, sequence)) without rowid')
  return migrated
}
