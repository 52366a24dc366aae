/** Apps with their webhooks and subscriptions, users with their tokens, and what operators see. */
export const APPS_AND_USERS = `
  create table apps (
    id text not null, name text not null, consumer_key text not null, consumer_secret_sealed text not null,
    previous_consumer_secret_sealed text, previous_secret_until_ms bigint, callback_urls text not null, permissions text not null,
    sign_in_with_service boolean not null, webhook_limit integer not null, ads_access boolean not null, early_access text not null,
    suspended boolean not null, created_at_ms bigint not null, secret_version integer default 1 not null,
    activity_enrolled boolean default true not null, usage_cap bigint, oauth2_client_id text, oauth2_client_type text,
    oauth2_client_secret_sealed text, streamed_at_ms bigint,
    constraint apps_pkey primary key (id),
    constraint apps_consumer_key unique (consumer_key)
  );
  create unique index apps_oauth2_client on apps (oauth2_client_id);

  create table users (
    id text not null, username text not null, username_key text not null, name text not null, password_hash text,
    created_at_ms bigint not null, disabled boolean default false not null,
    constraint users_pkey primary key (id),
    constraint users_username_key unique (username_key)
  );

  create table bearer_tokens (
    app_id text not null, token_sha256 text not null, token_sealed text not null, secret_version integer default 1 not null,
    constraint bearer_tokens_pkey primary key (app_id),
    constraint bearer_tokens_sha256 unique (token_sha256),
    constraint bearer_tokens_app foreign key (app_id) references apps (id)
  );

  create table app_usage (
    app_id text not null, month integer not null, deliveries bigint not null,
    constraint app_usage_pkey primary key (app_id),
    constraint app_usage_app foreign key (app_id) references apps (id) on delete cascade
  );

  create table webhooks (
    id text not null, app_id text not null, url text not null, normal_url text not null, valid boolean not null,
    created_at_ms bigint not null, next_challenge_at_ms bigint, proven_secret_version integer default 1 not null,
    challenges_begun bigint default 0 not null, decided_by bigint default 0 not null, last_challenge_at_ms bigint,
    last_challenge_failure text,
    constraint webhooks_pkey primary key (id),
    constraint webhooks_normal_url unique (app_id, normal_url),
    constraint webhooks_app foreign key (app_id) references apps (id)
  );
  create index webhooks_due on webhooks (next_challenge_at_ms);
  create index webhooks_invalid on webhooks (id) where valid = false;

  create table subscriptions (
    id text not null, app_id text not null, webhook_id text, event_type text not null, user_id text not null, keyword text not null,
    direction text not null, tag text, created_at_ms bigint not null, updated_at_ms bigint not null,
    constraint subscriptions_pkey primary key (id),
    constraint subscriptions_app foreign key (app_id) references apps (id),
    constraint subscriptions_webhook foreign key (webhook_id) references webhooks (id)
  );
  create index subscriptions_match on subscriptions (event_type, user_id);
  create index subscriptions_of_app on subscriptions (app_id, id);
  create index subscriptions_of_webhook on subscriptions (webhook_id);
  create unique index subscriptions_unlike on subscriptions (app_id, event_type, user_id, keyword, direction, coalesce(webhook_id, ''));

  create table replay_jobs (
    id text not null, app_id text not null, webhook_id text not null, from_ms bigint not null, to_ms bigint not null,
    state text not null, position bigint not null, delivered bigint not null, failed bigint not null, created_at_ms bigint not null,
    finished_at_ms bigint, reported boolean not null, worker integer, created_by text default 'app' not null,
    constraint replay_jobs_pkey primary key (id),
    constraint replay_jobs_app foreign key (app_id) references apps (id)
  );
  create unique index replay_jobs_running on replay_jobs (webhook_id) where state = 'running';
  create index replay_jobs_unfinished on replay_jobs (created_at_ms, id) where reported = false;

  create table stream_connections (
    id text not null, app_id text not null, worker integer not null, created_at_ms bigint not null,
    constraint stream_connections_pkey primary key (id),
    constraint stream_connections_app foreign key (app_id) references apps (id) on delete cascade
  );
  create index stream_connections_of_app on stream_connections (app_id, worker);

  create table request_tokens (
    token_sha256 text not null, secret_sealed text not null, app_id text not null, callback text not null, access text not null,
    expires_at_ms bigint not null, user_id text, verifier_sealed text, wrong_verifiers integer not null,
    constraint request_tokens_pkey primary key (token_sha256),
    constraint request_tokens_app foreign key (app_id) references apps (id),
    constraint request_tokens_user foreign key (user_id) references users (id)
  );
  create index request_tokens_expiry on request_tokens (expires_at_ms);

  create table user_tokens (
    token_sha256 text not null, token_sealed text not null, secret_sealed text not null, app_id text not null, user_id text not null,
    access text not null, created_at_ms bigint not null,
    constraint user_tokens_pkey primary key (token_sha256),
    constraint user_tokens_grant unique (app_id, user_id, access),
    constraint user_tokens_app foreign key (app_id) references apps (id),
    constraint user_tokens_user foreign key (user_id) references users (id)
  );
  create index user_tokens_of_user on user_tokens (user_id);

  create table oauth2_codes (
    code_sha256 text not null, app_id text not null, user_id text not null, scopes text not null, redirect_uri text not null,
    challenge text not null, challenge_method text not null, expires_at_ms bigint not null,
    constraint oauth2_codes_pkey primary key (code_sha256),
    constraint oauth2_codes_app foreign key (app_id) references apps (id),
    constraint oauth2_codes_user foreign key (user_id) references users (id)
  );
  create index oauth2_codes_expiry on oauth2_codes (expires_at_ms);
  create index oauth2_codes_of_app on oauth2_codes (app_id);
  create index oauth2_codes_of_user on oauth2_codes (user_id);

  create table oauth2_grants (
    id text not null, app_id text not null, user_id text not null, scopes text not null, code_sha256 text not null,
    refresh_sha256 text, rotated_at_ms bigint, created_at_ms bigint not null, expires_at_ms bigint not null,
    constraint oauth2_grants_pkey primary key (id),
    constraint oauth2_grants_code unique (code_sha256),
    constraint oauth2_grants_app foreign key (app_id) references apps (id),
    constraint oauth2_grants_user foreign key (user_id) references users (id)
  );
  create index oauth2_grants_expiry on oauth2_grants (expires_at_ms);
  create index oauth2_grants_of_app on oauth2_grants (app_id, user_id);
  create index oauth2_grants_of_user on oauth2_grants (user_id);
  create index oauth2_grants_refresh on oauth2_grants (refresh_sha256);

  create table oauth2_access_tokens (
    token_sha256 text not null, grant_id text not null, scopes text not null, expires_at_ms bigint not null,
    constraint oauth2_access_tokens_pkey primary key (token_sha256),
    constraint oauth2_access_tokens_grant foreign key (grant_id) references oauth2_grants (id) on delete cascade
  );
  create index oauth2_access_tokens_expiry on oauth2_access_tokens (expires_at_ms);
  create index oauth2_access_tokens_of_grant on oauth2_access_tokens (grant_id);

  create table sessions (
    id_sha256 text not null, user_id text not null, expires_at_ms bigint not null,
    constraint sessions_pkey primary key (id_sha256),
    constraint sessions_user foreign key (user_id) references users (id)
  );
  create index sessions_expiry on sessions (expires_at_ms);
  create index sessions_of_user on sessions (user_id);

  create table sign_in_addresses (
    user_id text not null, address_sha256 text not null, last_at_ms bigint not null,
    constraint sign_in_addresses_pkey primary key (user_id, address_sha256),
    constraint sign_in_addresses_user foreign key (user_id) references users (id) on delete cascade
  );

  create table audit_log (
    number integer primary key autoincrement, at_ms bigint not null, action text not null, status integer not null,
    detail text not null, token_name text, address text
  );

  create table failed_attempts (
    number integer primary key autoincrement, hour_ms bigint not null, kind text not null, address text not null,
    count bigint not null,
    constraint failed_attempts_of_hour unique (hour_ms, kind, address)
  );

  create table metadata (
    name text not null, value text not null,
    constraint metadata_pkey primary key (name)
  );
`
