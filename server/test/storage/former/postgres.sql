-- A database on PostgreSQL as Postern left it before migrations of state, declared tables and event log were one list.
create table account_apps (
  id text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  app_store_identifier text collate "C" not null default ''::text,
  os_type text collate "C" not null default ''::text,
  deep_link_pattern text collate "C",
  conversion_tracking_enabled boolean not null default false,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false,
  constraint account_apps_pkey PRIMARY KEY (id)
);
create table account_history (
  number bigint not null generated always as identity,
  account_id text collate "C" not null,
  entity text collate "C" not null,
  entity_id text collate "C" not null,
  change_type text collate "C" not null,
  user_id text collate "C" not null,
  at_ms bigint not null,
  changes text collate "C" not null,
  entity_data text collate "C" not null,
  constraint account_history_pkey PRIMARY KEY (number)
);
create table account_members (
  user_id text collate "C" not null,
  account_id text collate "C" not null,
  role text collate "C" not null,
  host text collate "C" not null,
  hidden boolean not null,
  deleted boolean not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  name text collate "C" not null,
  name_key text collate "C" not null,
  permissions text collate "C" not null default '[]'::text,
  constraint account_members_pkey PRIMARY KEY (user_id, account_id)
);
create table accounts (
  id text collate "C" not null,
  name text collate "C" not null default ''::text,
  business_name text collate "C",
  business_id text collate "C",
  timezone text collate "C" not null default 'America/Los_Angeles'::text,
  timezone_switch_at_ms bigint,
  approval_status text collate "C" not null default 'ACCEPTED'::text,
  industry_type text collate "C",
  host text collate "C" not null default ''::text,
  features text collate "C" not null default '[]'::text,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_key text collate "C" not null default ''::text,
  hidden boolean not null default false,
  constraint accounts_pkey PRIMARY KEY (id)
);
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
  constraint bearer_tokens_sha256 UNIQUE (token_sha256)
);
create table campaigns (
  id text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  budget_optimization text collate "C" not null default 'LINE_ITEM'::text,
  purchase_order_number text collate "C",
  daily_budget_amount_local_micro bigint,
  total_budget_amount_local_micro bigint,
  funding_instrument_id text collate "C" not null default ''::text,
  duration_in_days bigint,
  frequency_cap bigint,
  standard_delivery boolean not null default true,
  entity_status text collate "C" not null default 'ACTIVE'::text,
  start_time_ms bigint,
  end_time_ms bigint,
  currency text collate "C" not null default ''::text,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_key text collate "C" not null default ''::text,
  hidden boolean not null default false,
  constraint campaigns_pkey PRIMARY KEY (id)
);
create table facts (
  name text collate "C" not null,
  value text collate "C" not null,
  constraint facts_pkey PRIMARY KEY (name)
);
create table funding_instruments (
  id text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  type text collate "C" not null default ''::text,
  description text collate "C" not null default '(no payment method has been set up yet)'::text,
  currency text collate "C" not null default ''::text,
  start_time_ms bigint,
  end_time_ms bigint,
  entity_status text collate "C" not null default 'ACTIVE'::text,
  able_to_fund boolean not null default true,
  reasons_not_able_to_fund text collate "C" not null default '[]'::text,
  io_header text collate "C",
  credit_limit_local_micro bigint,
  credit_remaining_local_micro bigint,
  funded_amount_local_micro bigint,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false,
  constraint funding_instruments_pkey PRIMARY KEY (id)
);
create table line_item_curated_categories (
  id text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  line_item_id text collate "C" not null default ''::text,
  curated_category_id text collate "C" not null default ''::text,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false,
  constraint line_item_curated_categories_pkey PRIMARY KEY (id)
);
create table line_items (
  id text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  campaign_id text collate "C" not null default ''::text,
  funding_instrument_id text collate "C" not null default ''::text,
  name text collate "C",
  objective text collate "C" not null default ''::text,
  goal text collate "C" not null default ''::text,
  product_type text collate "C" not null default ''::text,
  placements text collate "C" not null default '[]'::text,
  bid_strategy text collate "C" not null default ''::text,
  bid_amount_local_micro bigint,
  pay_by text collate "C" not null default ''::text,
  currency text collate "C" not null default ''::text,
  categories text collate "C" not null default '[]'::text,
  advertiser_user_id text collate "C",
  advertiser_domain text collate "C",
  android_app_store_identifier text collate "C",
  ios_app_store_identifier text collate "C",
  audience_expansion text collate "C",
  frequency_cap bigint,
  duration_in_days bigint,
  start_time_ms bigint,
  end_time_ms bigint,
  total_budget_amount_local_micro bigint,
  daily_budget_amount_local_micro bigint,
  entity_status text collate "C" not null default 'ACTIVE'::text,
  creative_source text collate "C" not null default 'MANUAL'::text,
  standard_delivery boolean not null default true,
  target_cpa_local_micro bigint,
  primary_web_event_tag text collate "C",
  automatic_tweet_promotion boolean not null default false,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_key text collate "C" not null default ''::text,
  hidden boolean not null default false,
  constraint line_items_pkey PRIMARY KEY (id)
);
create table log_attempt (
  sequence bigint not null,
  webhook_id text collate "C" not null,
  origin text not null,
  n integer not null,
  at_ms bigint not null,
  latency_ms double precision not null,
  status integer,
  outcome text not null,
  error text not null,
  constraint log_attempt_pkey PRIMARY KEY (sequence, webhook_id, origin, n)
);
create table log_delivery (
  webhook_id text collate "C" not null,
  sequence bigint not null,
  constraint log_delivery_pkey PRIMARY KEY (webhook_id, sequence)
);
create table log_event (
  sequence bigint not null,
  event_uuid text,
  event_type text not null,
  user_id text not null,
  targets jsonb not null,
  content bytea not null,
  constraint log_event_pkey PRIMARY KEY (sequence)
);
create table log_open (
  sequence bigint not null,
  webhook_id text collate "C" not null,
  owner bigint,
  due_ms bigint,
  attempts integer not null default 0,
  constraint log_open_pkey PRIMARY KEY (sequence, webhook_id)
) with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=5000);
create table log_owner (
  id bigint not null generated always as identity,
  worker smallint not null,
  constraint log_owner_pkey PRIMARY KEY (id)
);
create table log_version (
  version integer not null,
  constraint log_version_pkey PRIMARY KEY (version)
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
create table promoted_posts (
  id text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  line_item_id text collate "C" not null default ''::text,
  post_id text collate "C" not null default ''::text,
  entity_status text collate "C" not null default 'ACTIVE'::text,
  approval_status text collate "C" not null default 'ACCEPTED'::text,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false,
  constraint promoted_posts_pkey PRIMARY KEY (id)
);
create unlogged table rate_windows (
  key text collate "C" not null,
  count integer not null,
  reset_at_ms bigint not null,
  constraint rate_windows_pkey PRIMARY KEY (key)
);
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
  constraint replay_jobs_pkey PRIMARY KEY (id)
);
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
  constraint request_tokens_pkey PRIMARY KEY (token_sha256)
);
create table sessions (
  id_sha256 text collate "C" not null,
  user_id text collate "C" not null,
  expires_at_ms bigint not null,
  constraint sessions_pkey PRIMARY KEY (id_sha256)
);
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
  constraint subscriptions_pkey PRIMARY KEY (id)
);
create table targeting_criteria (
  id text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  line_item_id text collate "C" not null default ''::text,
  name text collate "C",
  operator_type text collate "C" not null default 'EQ'::text,
  targeting_type text collate "C" not null default ''::text,
  targeting_value text collate "C" not null default ''::text,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false,
  constraint targeting_criteria_pkey PRIMARY KEY (id)
);
create table user_tokens (
  token_sha256 text collate "C" not null,
  token_sealed text collate "C" not null,
  secret_sealed text collate "C" not null,
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  access text collate "C" not null,
  created_at_ms bigint not null,
  constraint user_tokens_pkey PRIMARY KEY (token_sha256),
  constraint user_tokens_grant UNIQUE (app_id, user_id, access)
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
  constraint webhooks_normal_url UNIQUE (app_id, normal_url)
);
create table worker_leases (
  worker smallint not null,
  until timestamp with time zone not null,
  constraint worker_leases_pkey PRIMARY KEY (worker)
);
insert into account_history overriding system value select * from json_populate_recordset(null::account_history, '[{"number":1,"account_id":"acc","entity":"CAMPAIGN","entity_id":"k1","change_type":"CREATE","user_id":"101","at_ms":1700000000000,"changes":"{}","entity_data":"{\"id\":\"k1\",\"name\":\"zoo\",\"budget_optimization\":\"LINE_ITEM\",\"purchase_order_number\":\"ὀδός\",\"daily_budget_amount_local_micro\":4611686018427387905,\"total_budget_amount_local_micro\":null,\"funding_instrument_id\":\"8\",\"duration_in_days\":45,\"frequency_cap\":null,\"standard_delivery\":true,\"entity_status\":\"DRAFT\",\"start_time\":null,\"end_time\":\"2026-03-01T12:00:02Z\",\"currency\":\"USD\",\"created_at\":\"2023-11-14T22:13:20Z\",\"updated_at\":\"2023-11-14T22:13:20Z\",\"deleted\":false,\"effective_status\":\"DRAFT\",\"servable\":false,\"reasons_not_servable\":[\"DRAFT\",\"FUNDING_PROBLEM\"]}"}]');
select setval(pg_get_serial_sequence('account_history', 'number'), (select max(number) from account_history));
insert into account_members overriding system value select * from json_populate_recordset(null::account_members, '[{"user_id":"101","account_id":"acc","role":"ANALYST","host":"production","hidden":false,"deleted":false,"created_at_ms":0,"updated_at_ms":0,"name":"Demo","name_key":"demo","permissions":"[\"TWEET_COMPOSER\"]"}]');
insert into accounts overriding system value select * from json_populate_recordset(null::accounts, '[{"id":"acc","name":"Demo","business_name":null,"business_id":null,"timezone":"UTC","timezone_switch_at_ms":null,"approval_status":"ACCEPTED","industry_type":null,"host":"production","features":"[]","created_at_ms":0,"updated_at_ms":0,"deleted":false,"name_key":"demo","hidden":false}]');
insert into apps overriding system value select * from json_populate_recordset(null::apps, '[{"id":"1","name":"Demo","consumer_key":"key of 1","consumer_secret_sealed":"caYaDf2kIJLkt0x9C6+GrNN4G1sD1KmLOeDyfqleRJ1J1wvBFTQ=","previous_consumer_secret_sealed":null,"previous_secret_until_ms":null,"callback_urls":"[\"https://demo.example/callback\"]","permissions":"read_write_dm","sign_in_with_service":true,"webhook_limit":5,"ads_access":false,"early_access":"[\"catalogs\"]","suspended":false,"created_at_ms":1700000000000,"secret_version":1}]');
insert into audit_log overriding system value select * from json_populate_recordset(null::audit_log, '[{"number":1,"at_ms":1,"action":"seed","status":200,"detail":"all of it"}]');
select setval(pg_get_serial_sequence('audit_log', 'number'), (select max(number) from audit_log));
insert into bearer_tokens overriding system value select * from json_populate_recordset(null::bearer_tokens, '[{"app_id":"1","token_sha256":"3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0","token_sealed":"c6VoJVYPooMhwFJV4pXwPj/kIL4h1zWIq2IE71oPHZgd"}]');
insert into campaigns overriding system value select * from json_populate_recordset(null::campaigns, '[{"id":"k1","account_id":"acc","name":"zoo","budget_optimization":"LINE_ITEM","purchase_order_number":"ὀδός","daily_budget_amount_local_micro":4611686018427387905,"total_budget_amount_local_micro":null,"funding_instrument_id":"8","duration_in_days":45,"frequency_cap":null,"standard_delivery":true,"entity_status":"DRAFT","start_time_ms":null,"end_time_ms":1772366402000,"currency":"USD","created_at_ms":1700000000000,"updated_at_ms":1700000000000,"deleted":false,"name_key":"zoo","hidden":false}]');
insert into facts overriding system value select * from json_populate_recordset(null::facts, '[{"name":"declared_tables","value":"1 e138e586873f3104fcbda26defc26e5e89d4d116ed4e7e34aec722ee5ae998ff"}, 
 {"name":"sealing_proof","value":"pVX1aLCgFu9GzNxs1FSYcMtJCQSNPAnC6xa1XobezLMxVPg="}, 
 {"name":"clock_offset","value":"5"}]');
insert into log_attempt overriding system value select * from json_populate_recordset(null::log_attempt, '[{"sequence":2183250693177344,"webhook_id":"10","origin":"","n":1,"at_ms":1700000000100,"latency_ms":12.5,"status":200,"outcome":"delivered","error":""}, 
 {"sequence":2183250693177344,"webhook_id":"11","origin":"","n":1,"at_ms":1700000000200,"latency_ms":3,"status":500,"outcome":"failed","error":"answered 500"}]');
insert into log_delivery overriding system value select * from json_populate_recordset(null::log_delivery, '[{"webhook_id":"10","sequence":2183250693177344}, 
 {"webhook_id":"11","sequence":2183250693177344}, 
 {"webhook_id":"10","sequence":2183250693177345}]');
insert into log_event overriding system value select * from json_populate_recordset(null::log_event, '[{"sequence":2183250693177345,"event_uuid":"given","event_type":"post.create","user_id":"101","targets":{"10": "\"m\":10"},"content":"\\x7b2274657874223a2268c3a96c6c6f227d"}, 
 {"sequence":2183250693177344,"event_uuid":null,"event_type":"post.create","user_id":"101","targets":{"10": "\"m\":10", "11": "\"m\":11"},"content":"\\x7b2274657874223a2268c3a96c6c6f227d"}]');
insert into log_open overriding system value select * from json_populate_recordset(null::log_open, '[{"sequence":2183250693177344,"webhook_id":"11","owner":null,"due_ms":1700000060000,"attempts":1}, 
 {"sequence":2183250693177345,"webhook_id":"10","owner":null,"due_ms":null,"attempts":0}]');
insert into log_version overriding system value select * from json_populate_recordset(null::log_version, '[{"version":1}, 
 {"version":2}]');
insert into migrations overriding system value select * from json_populate_recordset(null::migrations, '[{"name":"001-state","timestamp":"2026-11-22T05:09:47.196Z"}, 
 {"name":"002-secret-versions","timestamp":"2026-11-22T05:09:47.207Z"}, 
 {"name":"003-order-of-challenges","timestamp":"2026-11-22T05:09:47.212Z"}, 
 {"name":"004-sign-in","timestamp":"2026-11-22T05:09:47.360Z"}, 
 {"name":"005-accounts","timestamp":"2026-11-22T05:09:47.445Z"}, 
 {"name":"006-member-permissions","timestamp":"2026-11-22T05:09:47.451Z"}, 
 {"name":"007-worker-leases","timestamp":"2026-11-22T05:09:47.461Z"}]');
insert into migrations_lock overriding system value select * from json_populate_recordset(null::migrations_lock, '[{"id":"migration_lock","is_locked":0}]');
insert into nonces overriding system value select * from json_populate_recordset(null::nonces, '[{"key":"nonce","expires_at_ms":9000000000000}]');
insert into replay_jobs overriding system value select * from json_populate_recordset(null::replay_jobs, '[{"id":"500","app_id":"1","webhook_id":"10","from_ms":1700000000000,"to_ms":1700000060000,"state":"running","position":0,"delivered":0,"failed":0,"created_at_ms":1700000000000,"finished_at_ms":null,"reported":false,"worker":null}]');
insert into request_tokens overriding system value select * from json_populate_recordset(null::request_tokens, '[{"token_sha256":"0f9d5d057940f09f1926dc06d88bada4eb370a59a70f70f0f9babf651880d2ec","secret_sealed":"XpjJTxblQWH6Fperda4Wx2kdM06aRoAODXDJ5H06ZoHNeyX2nCVEhctVi2EHisiFRhrmsNnaUA==","app_id":"1","callback":"https://demo.example/callback","access":"read_write","expires_at_ms":9000000000000,"user_id":"101","verifier_sealed":"ycLsxdwJ4gwUCWDsgsvtqznNvPDeiMLd7mq9luVmUBGMmYw6","wrong_verifiers":0}]');
insert into sessions overriding system value select * from json_populate_recordset(null::sessions, '[{"id_sha256":"3f3af1ecebbd1410ab417ec0d27bbfcb5d340e177ae159b59fc8626c2dfd9175","user_id":"101","expires_at_ms":9000000000000}]');
insert into subscriptions overriding system value select * from json_populate_recordset(null::subscriptions, '[{"id":"1000","app_id":"1","webhook_id":"10","event_type":"dm.received","user_id":"101","keyword":"","direction":"","tag":null,"created_at_ms":1700000000000,"updated_at_ms":1700000000000}]');
insert into user_tokens overriding system value select * from json_populate_recordset(null::user_tokens, '[{"token_sha256":"0d271cf4e99dac037e0ffb7314c66c07772937a7c8a3315bbd680f8dcd8b972c","token_sealed":"ZHpidWJd+K8srvUic0HZnf7OnDBSuMa9dN1TVz/besZUIawInwrrViqCRTlvy2kwmps=","secret_sealed":"qWuoc2FzlKGySl8cGDZW9d/SrHPTl6yuGCLW23zMKY0r+MMoneoSKk/a+qFmlU7oaEhAWmo=","app_id":"1","user_id":"101","access":"read_write","created_at_ms":1700000000000}]');
insert into users overriding system value select * from json_populate_recordset(null::users, '[{"id":"101","username":"Ada","username_key":"ada","name":"Ada L.","password_hash":"$argon2id$…","created_at_ms":1700000000000}]');
insert into webhooks overriding system value select * from json_populate_recordset(null::webhooks, '[{"id":"10","app_id":"1","url":"https://demo.example/10","normal_url":"https://demo.example/10","valid":true,"created_at_ms":1700000000000,"next_challenge_at_ms":5000,"proven_secret_version":1,"challenges_begun":0,"decided_by":0}, 
 {"id":"11","app_id":"1","url":"https://demo.example/11","normal_url":"https://demo.example/11","valid":true,"created_at_ms":1700000000000,"next_challenge_at_ms":5000,"proven_secret_version":1,"challenges_begun":0,"decided_by":0}]');
CREATE INDEX account_apps_by_created_at ON account_apps USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX account_apps_by_deleted ON account_apps USING btree (account_id, hidden, deleted, id);
CREATE INDEX account_apps_by_updated_at ON account_apps USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX account_history_of_entity ON account_history USING btree (account_id, entity, entity_id, number);
CREATE INDEX account_members_by_created_at_ms ON account_members USING btree (user_id, host, hidden, created_at_ms, account_id);
CREATE INDEX account_members_by_deleted ON account_members USING btree (user_id, host, hidden, deleted, account_id);
CREATE INDEX account_members_by_name ON account_members USING btree (user_id, host, hidden, name, account_id);
CREATE INDEX account_members_by_prefix ON account_members USING btree (user_id, host, name_key);
CREATE INDEX account_members_by_updated_at_ms ON account_members USING btree (user_id, host, hidden, updated_at_ms, account_id);
CREATE INDEX account_members_of_account_id ON account_members USING btree (account_id);
CREATE INDEX accounts_by_prefix ON accounts USING btree (host, name_key);
CREATE INDEX campaigns_by_created_at ON campaigns USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX campaigns_by_daily_budget_amount_local_micro ON campaigns USING btree (account_id, hidden, daily_budget_amount_local_micro, id);
CREATE INDEX campaigns_by_deleted ON campaigns USING btree (account_id, hidden, deleted, id);
CREATE INDEX campaigns_by_end_time ON campaigns USING btree (account_id, hidden, end_time_ms, id);
CREATE INDEX campaigns_by_name ON campaigns USING btree (account_id, hidden, name, id);
CREATE INDEX campaigns_by_prefix ON campaigns USING btree (account_id, name_key);
CREATE INDEX campaigns_by_standard_delivery ON campaigns USING btree (account_id, hidden, standard_delivery, id);
CREATE INDEX campaigns_by_start_time ON campaigns USING btree (account_id, hidden, start_time_ms, id);
CREATE INDEX campaigns_by_total_budget_amount_local_micro ON campaigns USING btree (account_id, hidden, total_budget_amount_local_micro, id);
CREATE INDEX campaigns_by_updated_at ON campaigns USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX campaigns_counted_by_entity_status ON campaigns USING btree (account_id, hidden, entity_status);
CREATE INDEX campaigns_of_funding_instrument_id ON campaigns USING btree (account_id, funding_instrument_id);
CREATE INDEX funding_instruments_by_created_at ON funding_instruments USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX funding_instruments_by_deleted ON funding_instruments USING btree (account_id, hidden, deleted, id);
CREATE INDEX funding_instruments_by_end_time ON funding_instruments USING btree (account_id, hidden, end_time_ms, id);
CREATE INDEX funding_instruments_by_funded_amount_local_micro ON funding_instruments USING btree (account_id, hidden, funded_amount_local_micro, id);
CREATE INDEX funding_instruments_by_start_time ON funding_instruments USING btree (account_id, hidden, start_time_ms, id);
CREATE INDEX funding_instruments_by_updated_at ON funding_instruments USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX line_item_curated_categories_by_created_at ON line_item_curated_categories USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX line_item_curated_categories_by_deleted ON line_item_curated_categories USING btree (account_id, hidden, deleted, id);
CREATE INDEX line_item_curated_categories_by_updated_at ON line_item_curated_categories USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX line_item_curated_categories_of_line_item_id ON line_item_curated_categories USING btree (account_id, line_item_id);
CREATE INDEX line_items_by_bid_amount_local_micro ON line_items USING btree (account_id, hidden, bid_amount_local_micro, id);
CREATE INDEX line_items_by_created_at ON line_items USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX line_items_by_deleted ON line_items USING btree (account_id, hidden, deleted, id);
CREATE INDEX line_items_by_name ON line_items USING btree (account_id, hidden, name, id);
CREATE INDEX line_items_by_prefix ON line_items USING btree (account_id, name_key);
CREATE INDEX line_items_by_updated_at ON line_items USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX line_items_counted_by_entity_status ON line_items USING btree (account_id, hidden, entity_status);
CREATE INDEX line_items_of_campaign_id ON line_items USING btree (account_id, campaign_id);
CREATE INDEX line_items_of_funding_instrument_id ON line_items USING btree (account_id, funding_instrument_id);
CREATE UNIQUE INDEX log_event_uuid ON log_event USING btree (event_uuid) WHERE (event_uuid IS NOT NULL);
CREATE INDEX log_open_due ON log_open USING btree (due_ms, sequence) WHERE ((owner IS NULL) AND (due_ms IS NOT NULL));
CREATE INDEX log_open_retrying ON log_open USING btree (webhook_id, sequence) WHERE ((owner IS NULL) AND (due_ms IS NOT NULL));
CREATE INDEX log_open_waiting ON log_open USING btree (webhook_id, sequence) WHERE ((owner IS NULL) AND (due_ms IS NULL));
CREATE UNIQUE INDEX log_owner_worker ON log_owner USING btree (worker);
CREATE INDEX nonces_expiry ON nonces USING btree (expires_at_ms);
CREATE INDEX promoted_posts_by_created_at ON promoted_posts USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX promoted_posts_by_deleted ON promoted_posts USING btree (account_id, hidden, deleted, id);
CREATE INDEX promoted_posts_by_updated_at ON promoted_posts USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX promoted_posts_of_line_item_id ON promoted_posts USING btree (account_id, line_item_id);
CREATE INDEX rate_windows_reset ON rate_windows USING btree (reset_at_ms);
CREATE UNIQUE INDEX replay_jobs_running ON replay_jobs USING btree (webhook_id) WHERE (state = 'running'::text);
CREATE INDEX replay_jobs_unfinished ON replay_jobs USING btree (created_at_ms, id) WHERE (reported = false);
CREATE INDEX request_tokens_expiry ON request_tokens USING btree (expires_at_ms);
CREATE INDEX sessions_expiry ON sessions USING btree (expires_at_ms);
CREATE INDEX subscriptions_match ON subscriptions USING btree (event_type, user_id);
CREATE INDEX subscriptions_of_app ON subscriptions USING btree (app_id, id);
CREATE INDEX subscriptions_of_webhook ON subscriptions USING btree (webhook_id);
CREATE UNIQUE INDEX subscriptions_unlike ON subscriptions USING btree (app_id, event_type, user_id, keyword, direction, COALESCE(webhook_id, ''::text));
CREATE INDEX targeting_criteria_by_created_at ON targeting_criteria USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX targeting_criteria_by_deleted ON targeting_criteria USING btree (account_id, hidden, deleted, id);
CREATE INDEX targeting_criteria_by_updated_at ON targeting_criteria USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX targeting_criteria_of_line_item_id ON targeting_criteria USING btree (account_id, line_item_id);
CREATE INDEX webhooks_due ON webhooks USING btree (next_challenge_at_ms);
alter table account_members add constraint account_members_user FOREIGN KEY (user_id) REFERENCES users(id);
alter table bearer_tokens add constraint bearer_tokens_app FOREIGN KEY (app_id) REFERENCES apps(id);
alter table replay_jobs add constraint replay_jobs_app FOREIGN KEY (app_id) REFERENCES apps(id);
alter table request_tokens add constraint request_tokens_app FOREIGN KEY (app_id) REFERENCES apps(id);
alter table request_tokens add constraint request_tokens_user FOREIGN KEY (user_id) REFERENCES users(id);
alter table sessions add constraint sessions_user FOREIGN KEY (user_id) REFERENCES users(id);
alter table subscriptions add constraint subscriptions_app FOREIGN KEY (app_id) REFERENCES apps(id);
alter table subscriptions add constraint subscriptions_webhook FOREIGN KEY (webhook_id) REFERENCES webhooks(id);
alter table user_tokens add constraint user_tokens_app FOREIGN KEY (app_id) REFERENCES apps(id);
alter table user_tokens add constraint user_tokens_user FOREIGN KEY (user_id) REFERENCES users(id);
alter table webhooks add constraint webhooks_app FOREIGN KEY (app_id) REFERENCES apps(id);
