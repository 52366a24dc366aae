import { type Kysely, sql } from 'kysely'
import { type Migrated, type MigratedDatabase, type Migration, migrate } from '../migrate.ts'
import type { RecordType } from '../records.ts'
import { holdAdvisoryLock } from './advisory-lock.ts'
import type { Flavour } from './flavour.ts'
import { ADVERTISING } from './migrations/baseline/advertising.ts'
import { APPS_AND_USERS } from './migrations/baseline/apps-and-users.ts'
import { CONTENT } from './migrations/baseline/content.ts'
import { declaredTables } from './records/make-tables.ts'
import type { Database } from './schema.ts'

/**
 * Tables that PostgreSQL alone has: on SQLite the event log and the memberships are files of their own, and there is one process.
 *
 * log_event: append-only, with its targets as {webhook id: match}. log_delivery: the same by webhook. log_open: one row for each delivery
 * that is not acknowledged: held by the process that is registered as `owner` in log_owner; or, without an owner, retrying when it has
 * `due_ms` and waiting when not. log_attempt: the outcomes of deliveries; those of a replay carry its job as `origin`. log_stream: the apps
 * whose streams an event goes to. Sequence numbers carry the time.
 *
 * audience_numbers: the number of each audience; a removed one stays, so that no batch which comes late revives it. audience_members:
 * identifiers and whose they are (storage/memberships/apply-batch.ts), times in seconds since 1970. audience_size_changes: by how much the
 * size of an audience changes at which second; what is past is added up at 0.
 *
 * worker_leases: which processes work, and until when they said so last. caching_processes: which may believe their caches.
 */
const POSTGRES_ALONE = `
  create table log_event (
    sequence bigint primary key, event_uuid text, event_type text not null, user_id text not null, targets jsonb not null, content bytea not null
  );
  create unique index log_event_uuid on log_event (event_uuid) where event_uuid is not null;

  create table log_delivery (webhook_id text collate "C" not null, sequence bigint not null, primary key (webhook_id, sequence));

  create table log_open (
    sequence bigint not null, webhook_id text collate "C" not null, owner bigint, due_ms bigint, attempts integer not null default 0,
    primary key (sequence, webhook_id)
  ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);
  create index log_open_waiting on log_open (webhook_id, sequence) where owner is null and due_ms is null;
  create index log_open_due on log_open (due_ms, sequence) where owner is null and due_ms is not null;
  create index log_open_retrying on log_open (webhook_id, sequence) where owner is null and due_ms is not null;

  create table log_owner (id bigint generated always as identity primary key, worker smallint not null);
  create unique index log_owner_worker on log_owner (worker);

  create table log_attempt (
    sequence bigint not null, webhook_id text collate "C" not null, origin text not null, n integer not null, at_ms bigint not null,
    latency_ms double precision not null, status integer, outcome text not null, error text not null, response text not null default '',
    primary key (sequence, webhook_id, origin, n)
  );

  create table log_stream (
    sequence bigint not null, app_id text collate "C" not null, match text not null,
    primary key (sequence, app_id)
  );
  create index log_stream_of_app on log_stream (app_id, sequence);

  create table audience_numbers (
    number bigint generated always as identity primary key, id text collate "C" not null unique, removed boolean not null default false
  );
  create table audience_members (
    audience bigint not null, identifier bytea not null, effective bigint not null, expires bigint not null, head bytea, next bytea,
    size integer not null,
    primary key (audience, identifier)
  );
  create table audience_size_changes (audience bigint not null, at bigint not null, change bigint not null, primary key (audience, at));

  create table nonces (key text collate "C" not null, expires_at_ms bigint not null, constraint nonces_pkey primary key (key));
  create index nonces_expiry on nonces (expires_at_ms);
  create unlogged table rate_windows (key text collate "C" primary key, count integer not null, reset_at_ms bigint not null);
  create index rate_windows_reset on rate_windows (reset_at_ms);

  create table worker_leases (worker smallint not null primary key, until timestamptz not null);
  create table caching_processes (id text not null primary key)
`

const STATE = [APPS_AND_USERS, CONTENT, ADVERTISING].join('')

/** The same tables on PostgreSQL: texts sort by code point, as they do on SQLite. */
const STATE_ON_POSTGRES = STATE.replaceAll(/(?<=[(,]\s*\w+) text\b/g, ' text collate "C"')
  .replaceAll('integer primary key autoincrement', 'bigint generated always as identity primary key')
  .replaceAll(' without rowid', '')

/** The tables of version 0.2.0, which resources do not declare. On PostgreSQL they take one round trip. */
export const createBaseline = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name === 'postgres') await sql.raw(`do $baseline$ begin ${STATE_ON_POSTGRES} ${POSTGRES_ALONE}; end $baseline$`).execute(db)
  else for (const statement of STATE.split(';').filter((one) => one.trim() !== '')) await sql.raw(statement).execute(db)
}

/** Used nonces are rows on SQLite too, where they were in files beside the database. */
const addNonces = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name !== 'sqlite') return
  await sql`create table nonces (key text not null, expires_at_ms bigint not null, constraint nonces_pkey primary key (key))`.execute(db)
  await sql`create index nonces_expiry on nonces (expires_at_ms)`.execute(db)
  await sql`delete from metadata where name = 'nonces_key'`.execute(db)
}

/** All migrations of the database, in order. The event log of SQLite is a file with its own migrations. */
const migrations = (flavour: Flavour): Migration<Kysely<Database>>[] => [
  { name: '001-baseline', up: createBaseline(flavour), replaces: '030-drop-keyword-lists' },
  { name: '002-nonces', up: addNonces(flavour) },
]

const now = {
  sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ')`,
  postgres: `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
}

const migrated = (db: Kysely<Database>, flavour: Flavour): MigratedDatabase<Kysely<Database>> => ({
  connection: db,
  now: now[flavour.name],
  query: async <Row>(connection: Kysely<Database>, text: string) => (await sql.raw<Row>(text).execute(connection)).rows,
  transaction: (run) =>
    db.transaction().execute(async (trx) => {
      await holdAdvisoryLock(trx, flavour, 'schema')
      await run(trx)
    }),
})

/**
 * Migrates the tables of the state, the declared tables and, on PostgreSQL, those of the event log to this version, all or nothing.
 * Without `recordTypes` the declared tables are not touched.
 * @throws if a newer version has used the database, or a declared table cannot be made. The database is unchanged then.
 */
export const migrateDatabase = (db: Kysely<Database>, flavour: Flavour, recordTypes?: readonly RecordType[]): Promise<Migrated> =>
  migrate(migrated(db, flavour), migrations(flavour), recordTypes && declaredTables(flavour, recordTypes))
