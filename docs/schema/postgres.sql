-- The storage on postgres, without the event log. Printed by server/scripts/print-schema.ts.

create table apps (
  id text collate "C" not null,
  name text collate "C" not null,
  consumer_key text collate "C" not null,
  consumer_secret_sealed text collate "C" not null,
  previous_consumer_secret_sealed text collate "C",
  previous_secret_until_ms bigint,
  callback_urls text collate "C" not null,
  permissions text collate "C" not null,
  sign_in_with_service boolean not null,
  webhook_limit integer not null,
  ads_access boolean not null,
  early_access text collate "C" not null,
  suspended boolean not null,
  created_at_ms bigint not null,
  secret_version integer not null default 1,
  constraint apps_pkey PRIMARY KEY (id),
  constraint apps_consumer_key UNIQUE (consumer_key)
);

create table audit_log (
  number bigint not null generated always as identity,
  at_ms bigint not null,
  action text collate "C" not null,
  status integer not null,
  detail text collate "C" not null,
  constraint audit_log_pkey PRIMARY KEY (number)
);

create table bearer_tokens (
  app_id text collate "C" not null,
  token_sha256 text collate "C" not null,
  token_sealed text collate "C" not null,
  constraint bearer_tokens_pkey PRIMARY KEY (app_id),
  constraint bearer_tokens_sha256 UNIQUE (token_sha256),
  constraint bearer_tokens_app FOREIGN KEY (app_id) REFERENCES apps(id)
);

create table facts (
  name text collate "C" not null,
  value text collate "C" not null,
  constraint facts_pkey PRIMARY KEY (name)
);

create table migrations (
  name character varying(255) not null,
  timestamp character varying(255) not null,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table migrations_lock (
  id character varying(255) not null,
  is_locked integer not null default 0,
  constraint migrations_lock_pkey PRIMARY KEY (id)
);

create table nonces (
  key text collate "C" not null,
  expires_at_ms bigint not null,
  constraint nonces_pkey PRIMARY KEY (key)
);
CREATE INDEX nonces_expiry ON public.nonces USING btree (expires_at_ms);

create unlogged table rate_windows (
  key text collate "C" not null,
  count integer not null,
  reset_at_ms bigint not null,
  constraint rate_windows_pkey PRIMARY KEY (key)
);
CREATE INDEX rate_windows_reset ON public.rate_windows USING btree (reset_at_ms);

create table replay_jobs (
  id text collate "C" not null,
  app_id text collate "C" not null,
  webhook_id text collate "C" not null,
  from_ms bigint not null,
  to_ms bigint not null,
  state text collate "C" not null,
  position bigint not null,
  delivered bigint not null,
  failed bigint not null,
  created_at_ms bigint not null,
  finished_at_ms bigint,
  reported boolean not null,
  worker integer,
  constraint replay_jobs_pkey PRIMARY KEY (id),
  constraint replay_jobs_app FOREIGN KEY (app_id) REFERENCES apps(id)
);
CREATE UNIQUE INDEX replay_jobs_running ON public.replay_jobs USING btree (webhook_id) WHERE (state = 'running'::text);
CREATE INDEX replay_jobs_unfinished ON public.replay_jobs USING btree (created_at_ms, id) WHERE (reported = false);

create table request_tokens (
  token_sha256 text collate "C" not null,
  secret_sealed text collate "C" not null,
  app_id text collate "C" not null,
  callback text collate "C" not null,
  access text collate "C" not null,
  expires_at_ms bigint not null,
  user_id text collate "C",
  verifier_sealed text collate "C",
  wrong_verifiers integer not null,
  constraint request_tokens_pkey PRIMARY KEY (token_sha256),
  constraint request_tokens_app FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint request_tokens_user FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX request_tokens_expiry ON public.request_tokens USING btree (expires_at_ms);

create table sessions (
  id_sha256 text collate "C" not null,
  user_id text collate "C" not null,
  expires_at_ms bigint not null,
  constraint sessions_pkey PRIMARY KEY (id_sha256),
  constraint sessions_user FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at_ms);

create table subscriptions (
  id text collate "C" not null,
  app_id text collate "C" not null,
  webhook_id text collate "C",
  event_type text collate "C" not null,
  user_id text collate "C" not null,
  keyword text collate "C" not null,
  direction text collate "C" not null,
  tag text collate "C",
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  constraint subscriptions_pkey PRIMARY KEY (id),
  constraint subscriptions_app FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint subscriptions_webhook FOREIGN KEY (webhook_id) REFERENCES webhooks(id)
);
CREATE INDEX subscriptions_match ON public.subscriptions USING btree (event_type, user_id);
CREATE INDEX subscriptions_of_app ON public.subscriptions USING btree (app_id, id);
CREATE INDEX subscriptions_of_webhook ON public.subscriptions USING btree (webhook_id);
CREATE UNIQUE INDEX subscriptions_unlike ON public.subscriptions USING btree (app_id, event_type, user_id, keyword, direction, COALESCE(webhook_id, ''::text));

create table user_tokens (
  token_sha256 text collate "C" not null,
  token_sealed text collate "C" not null,
  secret_sealed text collate "C" not null,
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  access text collate "C" not null,
  created_at_ms bigint not null,
  constraint user_tokens_pkey PRIMARY KEY (token_sha256),
  constraint user_tokens_grant UNIQUE (app_id, user_id, access),
  constraint user_tokens_app FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint user_tokens_user FOREIGN KEY (user_id) REFERENCES users(id)
);

create table users (
  id text collate "C" not null,
  username text collate "C" not null,
  username_key text collate "C" not null,
  name text collate "C" not null,
  password_hash text collate "C",
  created_at_ms bigint not null,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_username_key UNIQUE (username_key)
);

create table webhooks (
  id text collate "C" not null,
  app_id text collate "C" not null,
  url text collate "C" not null,
  normal_url text collate "C" not null,
  valid boolean not null,
  created_at_ms bigint not null,
  next_challenge_at_ms bigint,
  proven_secret_version integer not null default 1,
  challenges_begun bigint not null default 0,
  decided_by bigint not null default 0,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_normal_url UNIQUE (app_id, normal_url),
  constraint webhooks_app FOREIGN KEY (app_id) REFERENCES apps(id)
);
CREATE INDEX webhooks_due ON public.webhooks USING btree (next_challenge_at_ms);
