import type { DatabaseSync } from 'node:sqlite'

const PAGE_BYTES = 8 << 10
const CACHE_KIB = 64 << 10
const CHECKPOINT_PAGES = (32 << 20) / PAGE_BYTES

/**
 * event: append-only. target: the webhooks it goes to, in the same order. attempt: what became of them; those of a replay carry its
 * job as `origin`. delivery: targets by webhook, written late (see index-runs.ts). retry: tried, failed and due again. waiting: the
 * rows of coverage.ts. A delivery is open while it has a retry row or has no attempt of its own. All sequence numbers carry the time.
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
  insert into mark values ('watermark', 0), ('indexed', 0);
`

/** header: the id of this log, made with it. trimmed: the newest event that was ever deleted. */
const identity = `
  create table header (name text primary key, value text not null) strict, without rowid;
  insert into header values ('id', lower(hex(randomblob(8))));
  insert into mark values ('trimmed', 0);
`

/** Each brings the file from the version of its place to the next. */
const migrations = [tables, identity]

export const numberOf = (row: unknown): number => Object.values(row as Record<string, number>)[0]!

/** Opens the file of the log, made when absent, at the newest version of its tables. */
export function openSchema(db: DatabaseSync) {
  db.exec(`pragma page_size = ${PAGE_BYTES}; pragma journal_mode = wal; pragma synchronous = full;
    pragma cache_size = -${CACHE_KIB}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma temp_store = memory`)
  const version = numberOf(db.prepare('pragma user_version').get())
  if (version > migrations.length) throw new Error('the event log was written by a newer Postern: start that one')
  for (const [from, migration] of migrations.entries()) {
    if (from >= version) db.exec(`begin immediate; ${migration}; pragma user_version = ${from + 1}; commit`)
  }
  // Retries that this process has handed out. Empty at every start, and rolled back with the transaction that changes it.
  db.exec('create temp table taken (webhook_id text not null, sequence integer not null, primary key (webhook_id, sequence)) without rowid')
}
