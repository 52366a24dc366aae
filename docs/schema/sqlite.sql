-- The storage on sqlite, without the event log. Printed by server/scripts/print-schema.ts.

CREATE TABLE apps (
  id text not null,
  name text not null,
  consumer_key text not null,
  consumer_secret_sealed text not null,
  previous_consumer_secret_sealed text,
  previous_secret_until_ms bigint,
  callback_urls text not null,
  permissions text not null,
  sign_in_with_service boolean not null,
  webhook_limit integer not null,
  ads_access boolean not null,
  early_access text not null,
  suspended boolean not null,
  created_at_ms bigint not null,
  secret_version integer default 1 not null,
  constraint apps_pkey primary key (id),
  constraint apps_consumer_key unique (consumer_key)
);

CREATE TABLE audit_log (
  number integer primary key autoincrement,
  at_ms bigint not null,
  action text not null,
  status integer not null,
  detail text not null
);

CREATE TABLE bearer_tokens (
  app_id text not null,
  token_sha256 text not null,
  token_sealed text not null,
  constraint bearer_tokens_pkey primary key (app_id),
  constraint bearer_tokens_sha256 unique (token_sha256),
  constraint bearer_tokens_app foreign key (app_id) references apps (id)
);

CREATE TABLE facts (
  name text not null,
  value text not null,
  constraint facts_pkey primary key (name)
);

CREATE TABLE migrations (
  name varchar(255) not null primary key,
  timestamp varchar(255) not null
);

CREATE TABLE migrations_lock (
  id varchar(255) not null primary key,
  is_locked integer default 0 not null
);

CREATE TABLE nonces (
  key text not null,
  expires_at_ms bigint not null,
  constraint nonces_pkey primary key (key)
);
CREATE INDEX nonces_expiry on nonces (expires_at_ms);

CREATE TABLE replay_jobs (
  id text not null,
  app_id text not null,
  webhook_id text not null,
  from_ms bigint not null,
  to_ms bigint not null,
  state text not null,
  position bigint not null,
  delivered bigint not null,
  failed bigint not null,
  created_at_ms bigint not null,
  finished_at_ms bigint,
  reported boolean not null,
  worker integer,
  constraint replay_jobs_pkey primary key (id),
  constraint replay_jobs_app foreign key (app_id) references apps (id)
);
CREATE UNIQUE INDEX replay_jobs_running on replay_jobs (webhook_id) where state = 'running';
CREATE INDEX replay_jobs_unfinished on replay_jobs (created_at_ms, id) where reported = false;

CREATE TABLE request_tokens (
  token_sha256 text not null,
  secret_sealed text not null,
  app_id text not null,
  callback text not null,
  access text not null,
  expires_at_ms bigint not null,
  user_id text,
  verifier_sealed text,
  wrong_verifiers integer not null,
  constraint request_tokens_pkey primary key (token_sha256),
  constraint request_tokens_app foreign key (app_id) references apps (id),
  constraint request_tokens_user foreign key (user_id) references users (id)
);
CREATE INDEX request_tokens_expiry on request_tokens (expires_at_ms);

CREATE TABLE sessions (
  id_sha256 text not null,
  user_id text not null,
  expires_at_ms bigint not null,
  constraint sessions_pkey primary key (id_sha256),
  constraint sessions_user foreign key (user_id) references users (id)
);
CREATE INDEX sessions_expiry on sessions (expires_at_ms);

CREATE TABLE subscriptions (
  id text not null,
  app_id text not null,
  webhook_id text,
  event_type text not null,
  user_id text not null,
  keyword text not null,
  direction text not null,
  tag text,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  constraint subscriptions_pkey primary key (id),
  constraint subscriptions_app foreign key (app_id) references apps (id),
  constraint subscriptions_webhook foreign key (webhook_id) references webhooks (id)
);
CREATE INDEX subscriptions_match on subscriptions (event_type, user_id);
CREATE INDEX subscriptions_of_app on subscriptions (app_id, id);
CREATE INDEX subscriptions_of_webhook on subscriptions (webhook_id);
CREATE UNIQUE INDEX subscriptions_unlike on subscriptions (app_id, event_type, user_id, keyword, direction, coalesce(webhook_id, ''));

CREATE TABLE user_tokens (
  token_sha256 text not null,
  token_sealed text not null,
  secret_sealed text not null,
  app_id text not null,
  user_id text not null,
  access text not null,
  created_at_ms bigint not null,
  constraint user_tokens_pkey primary key (token_sha256),
  constraint user_tokens_grant unique (app_id, user_id, access),
  constraint user_tokens_app foreign key (app_id) references apps (id),
  constraint user_tokens_user foreign key (user_id) references users (id)
);

CREATE TABLE users (
  id text not null,
  username text not null,
  username_key text not null,
  name text not null,
  password_hash text,
  created_at_ms bigint not null,
  constraint users_pkey primary key (id),
  constraint users_username_key unique (username_key)
);

CREATE TABLE webhooks (
  id text not null,
  app_id text not null,
  url text not null,
  normal_url text not null,
  valid boolean not null,
  created_at_ms bigint not null,
  next_challenge_at_ms bigint,
  proven_secret_version integer default 1 not null,
  challenges_begun bigint default 0 not null,
  decided_by bigint default 0 not null,
  constraint webhooks_pkey primary key (id),
  constraint webhooks_normal_url unique (app_id, normal_url),
  constraint webhooks_app foreign key (app_id) references apps (id)
);
CREATE INDEX webhooks_due on webhooks (next_challenge_at_ms);
