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
export const POSTGRES_ALONE = `
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
