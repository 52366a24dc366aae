import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/**
 * The event log on PostgreSQL. Databases made before this step have its tables, in one of two versions that `log_version` told apart:
 * each statement finds either or neither.
 *
 * log_event: append-only, with its targets as {webhook id: match}. log_delivery: the same by webhook. log_open: one row for each delivery
 * that is not acknowledged: held by the process that is registered as `owner` in log_owner; or, without an owner, retrying when it has
 * `due_ms` and waiting when not. log_attempt: the outcomes of deliveries; those of a replay carry its job as `origin`. Sequence numbers
 * carry the time.
 */
const statements = [
  `create table if not exists log_event (
    sequence bigint primary key,
    event_uuid text,
    event_type text not null,
    user_id text not null,
    targets jsonb not null,
    content bytea not null
  )`,
  'create unique index if not exists log_event_uuid on log_event (event_uuid) where event_uuid is not null',
  `create table if not exists log_delivery (
    webhook_id text collate "C" not null,
    sequence bigint not null,
    primary key (webhook_id, sequence)
  )`,
  `create table if not exists log_open (
    sequence bigint not null,
    webhook_id text collate "C" not null,
    owner bigint,
    due_ms bigint,
    attempts integer not null default 0,
    primary key (sequence, webhook_id)
  ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)`,
  'create index if not exists log_open_waiting on log_open (webhook_id, sequence) where owner is null and due_ms is null',
  'create index if not exists log_open_due on log_open (due_ms, sequence) where owner is null and due_ms is not null',
  'create index if not exists log_open_retrying on log_open (webhook_id, sequence) where owner is null and due_ms is not null',
  'create table if not exists log_owner (id bigint generated always as identity primary key, worker smallint not null)',
  `create table if not exists log_attempt (
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
  )`,
  // A worker number has one registration. Each process registers anew at its start, so nothing is lost with those of before.
  `delete from log_owner where not exists (
    select from pg_indexes where schemaname = current_schema() and indexname = 'log_owner_worker')`,
  'create unique index if not exists log_owner_worker on log_owner (worker)',
  'drop table if exists log_version',
]

/** The tables of the event log on PostgreSQL; on SQLite it is a file of its own. */
export const addEventLog = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name === 'sqlite') return
  for (const statement of statements) await sql.raw(statement).execute(db)
}
