-- The storage on postgres. Printed by server/scripts/print-schema.ts.

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
CREATE INDEX account_apps_by_created_at ON public.account_apps USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX account_apps_by_deleted ON public.account_apps USING btree (account_id, hidden, deleted, id);
CREATE INDEX account_apps_by_updated_at ON public.account_apps USING btree (account_id, hidden, updated_at_ms, id);

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
CREATE INDEX account_history_of_entity ON public.account_history USING btree (account_id, entity, entity_id, number);

create table account_media (
  id text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  creative_type text collate "C" not null default ''::text,
  video_id text collate "C",
  media_url text collate "C",
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false,
  constraint account_media_pkey PRIMARY KEY (id)
);
CREATE INDEX account_media_by_created_at ON public.account_media USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX account_media_by_deleted ON public.account_media USING btree (account_id, hidden, deleted, id);
CREATE INDEX account_media_by_updated_at ON public.account_media USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX account_media_of_creative_type ON public.account_media USING btree (account_id, creative_type);
CREATE INDEX account_media_with_account_id_video_id ON public.account_media USING btree (account_id, video_id);

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
  constraint account_members_pkey PRIMARY KEY (user_id, account_id),
  constraint account_members_user FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX account_members_by_created_at_ms ON public.account_members USING btree (user_id, host, hidden, created_at_ms, account_id);
CREATE INDEX account_members_by_deleted ON public.account_members USING btree (user_id, host, hidden, deleted, account_id);
CREATE INDEX account_members_by_name ON public.account_members USING btree (user_id, host, hidden, name, account_id);
CREATE INDEX account_members_by_prefix ON public.account_members USING btree (user_id, host, name_key);
CREATE INDEX account_members_by_updated_at_ms ON public.account_members USING btree (user_id, host, hidden, updated_at_ms, account_id);
CREATE INDEX account_members_of_account_id ON public.account_members USING btree (account_id);

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
CREATE INDEX accounts_by_prefix ON public.accounts USING btree (host, name_key);

create table ads_posts (
  id text collate "C" not null,
  post_id bigint not null,
  account_id text collate "C" not null,
  made boolean not null,
  name text collate "C",
  scheduled_at_ms bigint,
  video text collate "C",
  constraint ads_posts_pkey PRIMARY KEY (id),
  constraint ads_posts_post_id FOREIGN KEY (post_id) REFERENCES posts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX ads_posts_of_post ON public.ads_posts USING btree (post_id, account_id);

create table app_loads (
  process text collate "C" not null,
  part bigint not null,
  bucket bigint not null,
  minutes bigint not null,
  counts text collate "C" not null,
  constraint app_loads_pkey PRIMARY KEY (process, part)
);
CREATE INDEX app_loads_by_time ON public.app_loads USING btree (bucket);

create table app_usage (
  app_id text collate "C" not null,
  month integer not null,
  deliveries bigint not null,
  events bigint not null default 0,
  constraint app_usage_pkey PRIMARY KEY (app_id),
  constraint app_usage_app FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE
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
  activity_enrolled boolean not null default true,
  usage_cap bigint,
  oauth2_client_id text collate "C",
  oauth2_client_type text collate "C",
  oauth2_client_secret_sealed text collate "C",
  streamed_at_ms bigint,
  portal_generation integer not null default 1,
  event_quota bigint,
  delivery_quota bigint,
  row_quota bigint,
  constraint apps_pkey PRIMARY KEY (id),
  constraint apps_consumer_key UNIQUE (consumer_key)
);
CREATE UNIQUE INDEX apps_oauth2_client ON public.apps USING btree (oauth2_client_id);

create table audience_members (
  audience bigint not null,
  identifier bytea not null,
  effective bigint not null,
  expires bigint not null,
  head bytea,
  next bytea,
  size integer not null,
  constraint audience_members_pkey PRIMARY KEY (audience, identifier)
);

create table audience_numbers (
  number bigint not null generated always as identity,
  id text collate "C" not null,
  removed boolean not null default false,
  constraint audience_numbers_pkey PRIMARY KEY (number),
  constraint audience_numbers_id_key UNIQUE (id)
);

create table audience_size_changes (
  audience bigint not null,
  at bigint not null,
  change bigint not null,
  constraint audience_size_changes_pkey PRIMARY KEY (audience, at)
);

create table audit_log (
  number bigint not null generated always as identity,
  at_ms bigint not null,
  action text collate "C" not null,
  status integer not null,
  detail text collate "C" not null,
  token_name text collate "C",
  address text collate "C",
  app_id text,
  user_id text,
  changes text,
  constraint audit_log_pkey PRIMARY KEY (number)
);

create table bearer_tokens (
  app_id text collate "C" not null,
  token_sha256 text collate "C" not null,
  token_sealed text collate "C" not null,
  secret_version integer not null default 1,
  constraint bearer_tokens_pkey PRIMARY KEY (app_id),
  constraint bearer_tokens_sha256 UNIQUE (token_sha256),
  constraint bearer_tokens_app FOREIGN KEY (app_id) REFERENCES apps(id)
);

create table caching_processes (
  id text not null,
  constraint caching_processes_pkey PRIMARY KEY (id)
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
CREATE INDEX campaigns_by_created_at ON public.campaigns USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX campaigns_by_daily_budget_amount_local_micro ON public.campaigns USING btree (account_id, hidden, daily_budget_amount_local_micro, id);
CREATE INDEX campaigns_by_deleted ON public.campaigns USING btree (account_id, hidden, deleted, id);
CREATE INDEX campaigns_by_end_time ON public.campaigns USING btree (account_id, hidden, end_time_ms, id);
CREATE INDEX campaigns_by_name ON public.campaigns USING btree (account_id, hidden, name, id);
CREATE INDEX campaigns_by_prefix ON public.campaigns USING btree (account_id, name_key);
CREATE INDEX campaigns_by_standard_delivery ON public.campaigns USING btree (account_id, hidden, standard_delivery, id);
CREATE INDEX campaigns_by_start_time ON public.campaigns USING btree (account_id, hidden, start_time_ms, id);
CREATE INDEX campaigns_by_total_budget_amount_local_micro ON public.campaigns USING btree (account_id, hidden, total_budget_amount_local_micro, id);
CREATE INDEX campaigns_by_updated_at ON public.campaigns USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX campaigns_counted_by_entity_status ON public.campaigns USING btree (account_id, hidden, entity_status);
CREATE INDEX campaigns_of_funding_instrument_id ON public.campaigns USING btree (account_id, funding_instrument_id);

create table cards (
  id text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  card_type text collate "C" not null default ''::text,
  card_uri text collate "C" not null default ''::text,
  first_choice text collate "C",
  second_choice text collate "C",
  third_choice text collate "C",
  fourth_choice text collate "C",
  duration_in_minutes text collate "C",
  title text collate "C",
  first_cta text collate "C",
  first_cta_post text collate "C",
  second_cta text collate "C",
  second_cta_post text collate "C",
  third_cta text collate "C",
  third_cta_post text collate "C",
  fourth_cta text collate "C",
  fourth_cta_post text collate "C",
  thank_you_text text collate "C",
  thank_you_url text collate "C",
  poster_media_key text collate "C",
  unlocked_video_media_key text collate "C",
  components text collate "C",
  slides text collate "C",
  media_key text collate "C",
  unlocked_image_media_key text collate "C",
  kind text collate "C" not null default ''::text,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_key text collate "C" not null default ''::text,
  hidden boolean not null default false,
  constraint cards_pkey PRIMARY KEY (id)
);
CREATE INDEX cards_by_created_at ON public.cards USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX cards_by_deleted ON public.cards USING btree (account_id, hidden, deleted, id);
CREATE INDEX cards_by_name ON public.cards USING btree (account_id, hidden, name, id);
CREATE INDEX cards_by_prefix ON public.cards USING btree (account_id, name_key);
CREATE INDEX cards_by_updated_at ON public.cards USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX cards_of_card_type ON public.cards USING btree (account_id, card_type);
CREATE INDEX cards_of_card_uri ON public.cards USING btree (account_id, card_uri);
CREATE INDEX cards_of_kind_by_created_at ON public.cards USING btree (account_id, kind, hidden, created_at_ms, id);
CREATE INDEX cards_of_kind_by_deleted ON public.cards USING btree (account_id, kind, hidden, deleted, id);
CREATE INDEX cards_of_kind_by_name ON public.cards USING btree (account_id, kind, hidden, name, id);
CREATE INDEX cards_of_kind_by_prefix ON public.cards USING btree (account_id, kind, name_key);
CREATE INDEX cards_of_kind_by_updated_at ON public.cards USING btree (account_id, kind, hidden, updated_at_ms, id);

create table custom_audiences (
  id text collate "C" not null,
  name text collate "C" not null default ''::text,
  description text collate "C",
  audience_type text collate "C" not null default 'CRM'::text,
  partner_source text collate "C" not null default 'OTHER'::text,
  account_id text collate "C" not null default ''::text,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_key text collate "C" not null default ''::text,
  hidden boolean not null default false,
  constraint custom_audiences_pkey PRIMARY KEY (id)
);
CREATE INDEX custom_audiences_by_created_at ON public.custom_audiences USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX custom_audiences_by_deleted ON public.custom_audiences USING btree (account_id, hidden, deleted, id);
CREATE INDEX custom_audiences_by_name ON public.custom_audiences USING btree (account_id, hidden, name, id);
CREATE INDEX custom_audiences_by_prefix ON public.custom_audiences USING btree (account_id, name_key);
CREATE INDEX custom_audiences_by_updated_at ON public.custom_audiences USING btree (account_id, hidden, updated_at_ms, id);

create table dm_events (
  id bigint not null,
  conversation_id text collate "C" not null,
  event_type text collate "C" not null,
  sender_id text collate "C" not null,
  text text collate "C",
  created_at_ms bigint not null,
  entities text collate "C",
  media_keys text collate "C",
  referenced_post_id bigint,
  participant_ids text collate "C",
  constraint dm_events_pkey PRIMARY KEY (id)
);
CREATE INDEX dm_events_of_conversation ON public.dm_events USING btree (conversation_id, id);

create table do_not_reach_lists (
  id text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  name text collate "C" not null default 'Do Not Reach List'::text,
  description text collate "C",
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false,
  constraint do_not_reach_lists_pkey PRIMARY KEY (id)
);
CREATE INDEX do_not_reach_lists_by_created_at ON public.do_not_reach_lists USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX do_not_reach_lists_by_deleted ON public.do_not_reach_lists USING btree (account_id, hidden, deleted, id);
CREATE INDEX do_not_reach_lists_by_updated_at ON public.do_not_reach_lists USING btree (account_id, hidden, updated_at_ms, id);

create table failed_attempts (
  number bigint not null generated always as identity,
  hour_ms bigint not null,
  kind text collate "C" not null,
  address text collate "C" not null,
  count bigint not null,
  constraint failed_attempts_pkey PRIMARY KEY (number),
  constraint failed_attempts_of_hour UNIQUE (hour_ms, kind, address)
);

create table feed_reports (
  id text collate "C" not null,
  feed_id text collate "C" not null,
  state text collate "C" not null,
  started_at_ms bigint not null,
  finished_at_ms bigint,
  failure text collate "C",
  rows bigint not null,
  created bigint not null,
  updated bigint not null,
  unchanged bigint not null,
  failed bigint not null,
  row_errors text collate "C" not null,
  constraint feed_reports_pkey PRIMARY KEY (id),
  constraint feed_reports_feed_id FOREIGN KEY (feed_id) REFERENCES scheduled_feeds(id) ON DELETE CASCADE
);
CREATE INDEX feed_reports_of_feed ON public.feed_reports USING btree (feed_id, id);

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
CREATE INDEX funding_instruments_by_created_at ON public.funding_instruments USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX funding_instruments_by_deleted ON public.funding_instruments USING btree (account_id, hidden, deleted, id);
CREATE INDEX funding_instruments_by_end_time ON public.funding_instruments USING btree (account_id, hidden, end_time_ms, id);
CREATE INDEX funding_instruments_by_funded_amount_local_micro ON public.funding_instruments USING btree (account_id, hidden, funded_amount_local_micro, id);
CREATE INDEX funding_instruments_by_start_time ON public.funding_instruments USING btree (account_id, hidden, start_time_ms, id);
CREATE INDEX funding_instruments_by_updated_at ON public.funding_instruments USING btree (account_id, hidden, updated_at_ms, id);

create table hour_parts (
  process text collate "C" not null,
  worker smallint not null,
  since_ms bigint not null,
  bucket bigint not null,
  counts text not null,
  constraint hour_parts_pkey PRIMARY KEY (process, bucket)
);
CREATE INDEX hour_parts_by_time ON public.hour_parts USING btree (bucket);

create table image_checks (
  url_sha256 text collate "C" not null,
  url text collate "C" not null,
  checked_at_ms bigint,
  problem text collate "C",
  due_at_ms bigint,
  worker integer,
  requested_by text collate "C" not null default ''::text,
  constraint image_checks_pkey PRIMARY KEY (url_sha256)
);
CREATE INDEX image_checks_checked ON public.image_checks USING btree (checked_at_ms);
CREATE INDEX image_checks_due ON public.image_checks USING btree (due_at_ms) WHERE (due_at_ms IS NOT NULL);
CREATE INDEX image_checks_queued ON public.image_checks USING btree (requested_by) WHERE (due_at_ms IS NOT NULL);

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
CREATE INDEX line_item_curated_categories_by_created_at ON public.line_item_curated_categories USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX line_item_curated_categories_by_deleted ON public.line_item_curated_categories USING btree (account_id, hidden, deleted, id);
CREATE INDEX line_item_curated_categories_by_updated_at ON public.line_item_curated_categories USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX line_item_curated_categories_of_line_item_id ON public.line_item_curated_categories USING btree (account_id, line_item_id);

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
CREATE INDEX line_items_by_bid_amount_local_micro ON public.line_items USING btree (account_id, hidden, bid_amount_local_micro, id);
CREATE INDEX line_items_by_created_at ON public.line_items USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX line_items_by_deleted ON public.line_items USING btree (account_id, hidden, deleted, id);
CREATE INDEX line_items_by_name ON public.line_items USING btree (account_id, hidden, name, id);
CREATE INDEX line_items_by_prefix ON public.line_items USING btree (account_id, name_key);
CREATE INDEX line_items_by_updated_at ON public.line_items USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX line_items_counted_by_entity_status ON public.line_items USING btree (account_id, hidden, entity_status);
CREATE INDEX line_items_of_campaign_id ON public.line_items USING btree (account_id, campaign_id);
CREATE INDEX line_items_of_funding_instrument_id ON public.line_items USING btree (account_id, funding_instrument_id);

create table lists (
  id bigint not null,
  owner_id text collate "C" not null,
  name text collate "C" not null,
  description text collate "C" not null,
  private boolean not null,
  created_at_ms bigint not null,
  member_count bigint not null,
  follower_count bigint not null,
  constraint lists_pkey PRIMARY KEY (id)
);
CREATE INDEX lists_of_owner ON public.lists USING btree (owner_id, id);

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
  response text not null default ''::text,
  timing text not null default ''::text,
  constraint log_attempt_pkey PRIMARY KEY (sequence, webhook_id, origin, n)
);
CREATE INDEX log_attempt_undelivered ON public.log_attempt USING btree (outcome, sequence) WHERE ((outcome <> 'delivered'::text) AND (origin = ''::text));

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
  traceparent text,
  constraint log_event_pkey PRIMARY KEY (sequence)
);
CREATE UNIQUE INDEX log_event_uuid ON public.log_event USING btree (event_uuid) WHERE (event_uuid IS NOT NULL);

create table log_open (
  sequence bigint not null,
  webhook_id text collate "C" not null,
  owner bigint,
  due_ms bigint,
  attempts integer not null default 0,
  constraint log_open_pkey PRIMARY KEY (sequence, webhook_id)
);
CREATE INDEX log_open_by_time ON public.log_open USING btree (sequence) WHERE (due_ms IS NOT NULL);
CREATE INDEX log_open_due ON public.log_open USING btree (due_ms, sequence) WHERE ((owner IS NULL) AND (due_ms IS NOT NULL));
CREATE INDEX log_open_retries_of_webhook ON public.log_open USING btree (webhook_id, due_ms, sequence) WHERE ((owner IS NULL) AND (due_ms IS NOT NULL));
CREATE INDEX log_open_retrying ON public.log_open USING btree (webhook_id, sequence) WHERE ((owner IS NULL) AND (due_ms IS NOT NULL));
CREATE INDEX log_open_waiting ON public.log_open USING btree (webhook_id, sequence) WHERE ((owner IS NULL) AND (due_ms IS NULL));

create table log_owner (
  id bigint not null generated always as identity,
  worker smallint not null,
  constraint log_owner_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX log_owner_worker ON public.log_owner USING btree (worker);

create table log_stream (
  sequence bigint not null,
  app_id text collate "C" not null,
  match text not null,
  constraint log_stream_pkey PRIMARY KEY (sequence, app_id)
);
CREATE INDEX log_stream_of_app ON public.log_stream USING btree (app_id, sequence);

create table media (
  media_key text collate "C" not null,
  owner_id text collate "C",
  type text collate "C" not null,
  url text collate "C",
  preview_image_url text collate "C",
  alt_text text collate "C",
  width bigint,
  height bigint,
  duration_ms bigint,
  variants text collate "C",
  created_at_ms bigint not null,
  view_count bigint not null,
  more text collate "C",
  category text collate "C",
  constraint media_pkey PRIMARY KEY (media_key)
);

create table media_library (
  media_key text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  media_type text collate "C" not null default ''::text,
  media_category text collate "C" not null default ''::text,
  name text collate "C",
  file_name text collate "C",
  title text collate "C",
  description text collate "C",
  poster_media_key text collate "C",
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_title_file_name_description_terms text collate "C" not null default ''::text,
  hidden boolean not null default false,
  constraint media_library_pkey PRIMARY KEY (media_key, account_id)
);
CREATE INDEX media_library_by_created_at ON public.media_library USING btree (account_id, hidden, created_at_ms, media_key);
CREATE INDEX media_library_by_deleted ON public.media_library USING btree (account_id, hidden, deleted, media_key);
CREATE INDEX media_library_by_updated_at ON public.media_library USING btree (account_id, hidden, updated_at_ms, media_key);
CREATE INDEX media_library_of_media_type ON public.media_library USING btree (account_id, media_type);

create table metadata (
  name text collate "C" not null,
  value text collate "C" not null,
  constraint metadata_pkey PRIMARY KEY (name)
);

create table migrations (
  name character varying(255) not null,
  timestamp character varying(255) not null,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table nonces (
  key text collate "C" not null,
  expires_at_ms bigint not null,
  request_id bigint,
  constraint nonces_pkey PRIMARY KEY (key)
);
CREATE INDEX nonces_expiry ON public.nonces USING btree (expires_at_ms);

create table oauth2_access_tokens (
  token_sha256 text collate "C" not null,
  grant_id text collate "C" not null,
  scopes text collate "C" not null,
  expires_at_ms bigint not null,
  constraint oauth2_access_tokens_pkey PRIMARY KEY (token_sha256),
  constraint oauth2_access_tokens_grant FOREIGN KEY (grant_id) REFERENCES oauth2_grants(id) ON DELETE CASCADE
);
CREATE INDEX oauth2_access_tokens_expiry ON public.oauth2_access_tokens USING btree (expires_at_ms);
CREATE INDEX oauth2_access_tokens_of_grant ON public.oauth2_access_tokens USING btree (grant_id);

create table oauth2_codes (
  code_sha256 text collate "C" not null,
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  scopes text collate "C" not null,
  redirect_uri text collate "C" not null,
  challenge text collate "C" not null,
  challenge_method text collate "C" not null,
  expires_at_ms bigint not null,
  constraint oauth2_codes_pkey PRIMARY KEY (code_sha256),
  constraint oauth2_codes_app FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint oauth2_codes_user FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX oauth2_codes_expiry ON public.oauth2_codes USING btree (expires_at_ms);
CREATE INDEX oauth2_codes_of_app ON public.oauth2_codes USING btree (app_id);
CREATE INDEX oauth2_codes_of_user ON public.oauth2_codes USING btree (user_id);

create table oauth2_grants (
  id text collate "C" not null,
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  scopes text collate "C" not null,
  code_sha256 text collate "C" not null,
  refresh_sha256 text collate "C",
  rotated_at_ms bigint,
  created_at_ms bigint not null,
  expires_at_ms bigint not null,
  former_tokens text collate "C",
  constraint oauth2_grants_pkey PRIMARY KEY (id),
  constraint oauth2_grants_code UNIQUE (code_sha256),
  constraint oauth2_grants_app FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint oauth2_grants_user FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX oauth2_grants_expiry ON public.oauth2_grants USING btree (expires_at_ms);
CREATE INDEX oauth2_grants_of_app ON public.oauth2_grants USING btree (app_id, user_id);
CREATE INDEX oauth2_grants_of_user ON public.oauth2_grants USING btree (user_id);
CREATE INDEX oauth2_grants_refresh ON public.oauth2_grants USING btree (refresh_sha256);

create table outbox (
  event_uuid text collate "C" not null,
  event_type text collate "C" not null,
  user_id text collate "C" not null,
  body text collate "C" not null,
  due_at_ms bigint,
  worker integer,
  constraint outbox_pkey PRIMARY KEY (event_uuid)
);
CREATE INDEX outbox_due ON public.outbox USING btree (due_at_ms) WHERE (due_at_ms IS NOT NULL);

create table parked_messages (
  id text collate "C" not null,
  stream text collate "C" not null,
  stream_life text collate "C" not null,
  sequence bigint not null,
  subject text collate "C" not null,
  reason text collate "C" not null,
  bytes bigint not null,
  content text collate "C" not null,
  received_at_ms bigint not null,
  parked_at_ms bigint not null,
  constraint parked_messages_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX parked_messages_place ON public.parked_messages USING btree (stream_life, sequence);

create table places (
  id text collate "C" not null,
  full_name text collate "C" not null,
  name text collate "C" not null,
  country text collate "C" not null,
  country_code text collate "C" not null,
  place_type text collate "C" not null,
  geo text collate "C",
  contained_within text collate "C",
  constraint places_pkey PRIMARY KEY (id)
);

create table polls (
  id text collate "C" not null,
  options text collate "C" not null,
  duration_minutes bigint not null,
  end_ms bigint not null,
  constraint polls_pkey PRIMARY KEY (id)
);

create table post_terms (
  term bigint not null,
  post_id bigint not null,
  constraint post_terms_pkey PRIMARY KEY (term, post_id)
);

create table posts (
  id bigint not null,
  author_id text collate "C" not null,
  text text collate "C" not null,
  created_at_ms bigint not null,
  conversation_id bigint not null,
  lang text collate "C" not null,
  source text collate "C" not null,
  reply_settings text collate "C" not null,
  possibly_sensitive boolean not null,
  hidden boolean not null,
  nullcast boolean not null,
  restriction text collate "C",
  in_reply_to_user_id text collate "C",
  replied_to_id bigint,
  quoted_id bigint,
  reposted_id bigint,
  reposted_author_id text collate "C",
  entities text collate "C",
  media_keys text collate "C",
  poll_id text collate "C",
  place_id text collate "C",
  more text collate "C",
  repost_count bigint not null,
  reply_count bigint not null,
  like_count bigint not null,
  quote_count bigint not null,
  bookmark_count bigint not null,
  impression_count bigint not null,
  url_link_clicks bigint not null,
  user_profile_clicks bigint not null,
  text_hash bigint,
  constraint posts_pkey PRIMARY KEY (id)
);
CREATE INDEX posts_by_time ON public.posts USING btree (created_at_ms, id);
CREATE INDEX posts_for_promotion ON public.posts USING btree (author_id, id) WHERE nullcast;
CREATE INDEX posts_of_author ON public.posts USING btree (author_id, id);
CREATE INDEX posts_quoting ON public.posts USING btree (quoted_id, id) WHERE (quoted_id IS NOT NULL);
CREATE UNIQUE INDEX posts_reposting ON public.posts USING btree (reposted_id, author_id) WHERE (reposted_id IS NOT NULL);
CREATE INDEX posts_reposting_author ON public.posts USING btree (reposted_author_id, id) WHERE (reposted_author_id IS NOT NULL);
CREATE INDEX posts_reposting_newest ON public.posts USING btree (reposted_id, id) WHERE (reposted_id IS NOT NULL);
CREATE INDEX posts_same_text ON public.posts USING btree (author_id, text_hash) WHERE (text_hash IS NOT NULL);

create table product_catalogs (
  id text collate "C" not null,
  host text collate "C" not null,
  user_id text collate "C" not null,
  name text collate "C" not null,
  next_position bigint not null,
  created_at_ms bigint not null,
  due_at_ms bigint,
  worker integer,
  constraint product_catalogs_pkey PRIMARY KEY (id),
  constraint product_catalogs_user_id FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX product_catalogs_due ON public.product_catalogs USING btree (due_at_ms) WHERE (due_at_ms IS NOT NULL);
CREATE UNIQUE INDEX product_catalogs_of_user ON public.product_catalogs USING btree (user_id, host);

create table product_set_members (
  set_id text collate "C" not null,
  product_key text collate "C" not null,
  constraint product_set_members_pkey PRIMARY KEY (set_id, product_key),
  constraint product_set_members_product_key FOREIGN KEY (product_key) REFERENCES products(product_key) ON DELETE CASCADE,
  constraint product_set_members_set_id FOREIGN KEY (set_id) REFERENCES product_sets(id) ON DELETE CASCADE
);
CREATE INDEX product_set_members_of_product ON public.product_set_members USING btree (product_key);

create table product_sets (
  id text collate "C" not null,
  catalog_id text collate "C" not null,
  name text collate "C" not null,
  description text collate "C",
  type text collate "C" not null,
  filters text collate "C" not null,
  processing_status text collate "C" not null,
  processed_to bigint not null,
  created_at_ms bigint not null,
  due_at_ms bigint,
  worker integer,
  constraint product_sets_pkey PRIMARY KEY (id),
  constraint product_sets_catalog_id FOREIGN KEY (catalog_id) REFERENCES product_catalogs(id) ON DELETE CASCADE
);
CREATE INDEX product_sets_due ON public.product_sets USING btree (due_at_ms) WHERE (due_at_ms IS NOT NULL);
CREATE INDEX product_sets_of_catalog ON public.product_sets USING btree (catalog_id, id);

create table products (
  product_key text collate "C" not null,
  catalog_id text collate "C" not null,
  id text collate "C" not null,
  position bigint not null,
  item_group_id text collate "C",
  item_group_key text collate "C",
  attributes text collate "C" not null,
  constraint products_pkey PRIMARY KEY (product_key),
  constraint products_catalog_id FOREIGN KEY (catalog_id) REFERENCES product_catalogs(id) ON DELETE CASCADE
);
CREATE INDEX product_groups ON public.products USING btree (catalog_id, item_group_id);
CREATE INDEX products_in_order ON public.products USING btree (catalog_id, "position");
CREATE UNIQUE INDEX products_of_catalog ON public.products USING btree (catalog_id, id);
CREATE INDEX products_of_group ON public.products USING btree (catalog_id, item_group_key, "position");

create table profiles (
  user_id text collate "C" not null,
  description text collate "C" not null,
  location text collate "C" not null,
  url text collate "C" not null,
  profile_image_url text collate "C" not null,
  profile_banner_url text collate "C" not null,
  entities text collate "C",
  protected boolean not null,
  verified boolean not null,
  verified_type text collate "C" not null,
  receives_dms boolean not null,
  pinned_post_id bigint,
  most_recent_post_id bigint,
  more text collate "C",
  followers_count bigint not null,
  following_count bigint not null,
  post_count bigint not null,
  listed_count bigint not null,
  like_count bigint not null,
  media_count bigint not null,
  constraint profiles_pkey PRIMARY KEY (user_id),
  constraint profiles_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table promotable_users (
  id text collate "C" not null,
  account_id text collate "C" not null default ''::text,
  user_id text collate "C" not null default ''::text,
  promotable_user_type text collate "C" not null default 'FULL'::text,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false,
  constraint promotable_users_pkey PRIMARY KEY (id)
);
CREATE INDEX promotable_users_by_created_at ON public.promotable_users USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX promotable_users_by_deleted ON public.promotable_users USING btree (account_id, hidden, deleted, id);
CREATE INDEX promotable_users_by_updated_at ON public.promotable_users USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX promotable_users_counted_by_promotable_user_type ON public.promotable_users USING btree (account_id, hidden, promotable_user_type);

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
CREATE INDEX promoted_posts_by_created_at ON public.promoted_posts USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX promoted_posts_by_deleted ON public.promoted_posts USING btree (account_id, hidden, deleted, id);
CREATE INDEX promoted_posts_by_updated_at ON public.promoted_posts USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX promoted_posts_of_line_item_id ON public.promoted_posts USING btree (account_id, line_item_id);

create unlogged table rate_windows (
  key text collate "C" not null,
  count integer not null,
  reset_at_ms bigint not null,
  constraint rate_windows_pkey PRIMARY KEY (key)
);
CREATE INDEX rate_windows_reset ON public.rate_windows USING btree (reset_at_ms);

create table relations (
  relation text collate "C" not null,
  source text collate "C" not null,
  target text collate "C" not null,
  position bigint not null,
  constraint relations_pkey PRIMARY KEY (relation, source, target)
);
CREATE INDEX relations_from ON public.relations USING btree (relation, source, "position");
CREATE INDEX relations_to ON public.relations USING btree (relation, target, "position");

create table removed_posts (
  id bigint not null,
  constraint removed_posts_pkey PRIMARY KEY (id)
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
  created_by text collate "C" not null default 'app'::text,
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

create table resend_jobs (
  id text collate "C" not null,
  app_id text collate "C",
  event_type text collate "C",
  states text collate "C" not null,
  from_ms bigint not null,
  to_ms bigint not null,
  state text collate "C" not null,
  place text collate "C",
  resent bigint not null,
  refused bigint not null,
  worker integer,
  created_at_ms bigint not null,
  finished_at_ms bigint,
  constraint resend_jobs_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX resend_jobs_running ON public.resend_jobs USING btree (state) WHERE (state = 'running'::text);

create table scheduled_feeds (
  id text collate "C" not null,
  catalog_id text collate "C" not null,
  feed_url text collate "C" not null,
  feed_format text collate "C" not null,
  frequency text collate "C" not null,
  repeat text collate "C",
  start_time text collate "C" not null,
  time_zone text collate "C" not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  due_at_ms bigint,
  worker integer,
  constraint scheduled_feeds_pkey PRIMARY KEY (id),
  constraint scheduled_feeds_catalog_id FOREIGN KEY (catalog_id) REFERENCES product_catalogs(id) ON DELETE CASCADE
);
CREATE INDEX scheduled_feeds_due ON public.scheduled_feeds USING btree (due_at_ms) WHERE (due_at_ms IS NOT NULL);
CREATE UNIQUE INDEX scheduled_feeds_of_catalog ON public.scheduled_feeds USING btree (catalog_id);

create table scheduled_posts (
  id text collate "C" not null,
  position bigint not null,
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  creator_id text collate "C" not null,
  changer_id text collate "C" not null,
  text text collate "C" not null,
  name text collate "C",
  card_uri text collate "C",
  media_keys text collate "C",
  nullcast boolean not null,
  video text collate "C",
  source text collate "C" not null,
  scheduled_at_ms bigint not null,
  status text collate "C" not null,
  post_id bigint,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  completed_at_ms bigint,
  due_at_ms bigint,
  worker integer,
  constraint scheduled_posts_pkey PRIMARY KEY (id),
  constraint scheduled_posts_user_id FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX scheduled_posts_due ON public.scheduled_posts USING btree (due_at_ms) WHERE (due_at_ms IS NOT NULL);
CREATE INDEX scheduled_posts_of_account ON public.scheduled_posts USING btree (account_id, user_id, "position");
CREATE INDEX scheduled_posts_of_user ON public.scheduled_posts USING btree (user_id);

create table schema_changes (
  name character varying(255) not null,
  kind character varying(16) not null,
  version character varying(16) not null,
  former_version character varying(16) not null,
  unused_since character varying(16),
  timestamp character varying(255) not null,
  constraint schema_changes_pkey PRIMARY KEY (name)
);

create table sessions (
  id_sha256 text collate "C" not null,
  user_id text collate "C" not null,
  expires_at_ms bigint not null,
  constraint sessions_pkey PRIMARY KEY (id_sha256),
  constraint sessions_user FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at_ms);
CREATE INDEX sessions_of_user ON public.sessions USING btree (user_id);

create table sign_in_addresses (
  user_id text collate "C" not null,
  address_sha256 text collate "C" not null,
  last_at_ms bigint not null,
  constraint sign_in_addresses_pkey PRIMARY KEY (user_id, address_sha256),
  constraint sign_in_addresses_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table spaces (
  id text collate "C" not null,
  creator_id text collate "C" not null,
  title text collate "C" not null,
  state text collate "C" not null,
  lang text collate "C" not null,
  is_ticketed boolean not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  scheduled_start_ms bigint,
  started_at_ms bigint,
  ended_at_ms bigint,
  participant_count bigint not null,
  subscriber_count bigint not null,
  host_ids text collate "C",
  speaker_ids text collate "C",
  invited_user_ids text collate "C",
  topic_ids text collate "C",
  constraint spaces_pkey PRIMARY KEY (id)
);
CREATE INDEX spaces_of_creator ON public.spaces USING btree (creator_id, created_at_ms) WHERE (state <> 'ended'::text);
CREATE INDEX spaces_open ON public.spaces USING btree (created_at_ms) WHERE (state <> 'ended'::text);

create table stream_connections (
  id text collate "C" not null,
  app_id text collate "C" not null,
  worker integer not null,
  created_at_ms bigint not null,
  constraint stream_connections_pkey PRIMARY KEY (id),
  constraint stream_connections_app FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE
);
CREATE INDEX stream_connections_of_app ON public.stream_connections USING btree (app_id, worker);

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

create table tailored_audience_permissions (
  id text collate "C" not null,
  tailored_audience_id text collate "C" not null default ''::text,
  granted_account_id text collate "C" not null default ''::text,
  permission_level text collate "C" not null default ''::text,
  account_id text collate "C" not null default ''::text,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false,
  constraint tailored_audience_permissions_pkey PRIMARY KEY (id)
);
CREATE INDEX tailored_audience_permissions_by_created_at ON public.tailored_audience_permissions USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX tailored_audience_permissions_by_deleted ON public.tailored_audience_permissions USING btree (account_id, hidden, deleted, id);
CREATE INDEX tailored_audience_permissions_by_updated_at ON public.tailored_audience_permissions USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX tailored_audience_permissions_of_granted_account_id ON public.tailored_audience_permissions USING btree (account_id, granted_account_id);
CREATE INDEX tailored_audience_permissions_of_tailored_audience_id ON public.tailored_audience_permissions USING btree (account_id, tailored_audience_id);
CREATE INDEX tailored_audience_permissions_with_granted_account_id__daf77758 ON public.tailored_audience_permissions USING btree (granted_account_id, tailored_audience_id);
CREATE INDEX tailored_audience_permissions_with_tailored_audience_i_1c7f7b3b ON public.tailored_audience_permissions USING btree (tailored_audience_id, granted_account_id);

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
CREATE INDEX targeting_criteria_by_created_at ON public.targeting_criteria USING btree (account_id, hidden, created_at_ms, id);
CREATE INDEX targeting_criteria_by_deleted ON public.targeting_criteria USING btree (account_id, hidden, deleted, id);
CREATE INDEX targeting_criteria_by_updated_at ON public.targeting_criteria USING btree (account_id, hidden, updated_at_ms, id);
CREATE INDEX targeting_criteria_of_line_item_id ON public.targeting_criteria USING btree (account_id, line_item_id);
CREATE INDEX targeting_criteria_with_account_id_targeting_value ON public.targeting_criteria USING btree (account_id, targeting_value);

create table topics (
  id text collate "C" not null,
  name text collate "C" not null,
  description text collate "C" not null,
  constraint topics_pkey PRIMARY KEY (id)
);

create table upload_segments (
  upload_id text collate "C" not null,
  position integer not null,
  file_key text collate "C" not null,
  size bigint not null,
  constraint upload_segments_pkey PRIMARY KEY (upload_id, "position"),
  constraint upload_segments_upload_id FOREIGN KEY (upload_id) REFERENCES uploads(id) ON DELETE CASCADE
);
CREATE INDEX upload_segments_of_file ON public.upload_segments USING btree (file_key);

create table upload_totals (
  owner_id text collate "C" not null,
  bytes bigint not null,
  constraint upload_totals_pkey PRIMARY KEY (owner_id)
);

create table uploads (
  id text collate "C" not null,
  owner_id text collate "C" not null,
  media_key text collate "C" not null,
  category text collate "C",
  media_type text collate "C",
  additional_owners text collate "C" not null,
  total_bytes bigint not null,
  received_bytes bigint not null,
  state text collate "C" not null,
  revision bigint not null,
  progress integer not null,
  error text collate "C",
  kind text collate "C",
  created_at_ms bigint not null,
  expires_at_ms bigint not null,
  due_at_ms bigint,
  worker integer,
  constraint uploads_pkey PRIMARY KEY (id)
);
CREATE INDEX uploads_due ON public.uploads USING btree (due_at_ms) WHERE (due_at_ms IS NOT NULL);
CREATE INDEX uploads_of_owner ON public.uploads USING btree (owner_id, state);

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
CREATE INDEX user_tokens_of_user ON public.user_tokens USING btree (user_id);

create table users (
  id text collate "C" not null,
  username text collate "C" not null,
  username_key text collate "C" not null,
  name text collate "C" not null,
  password_hash text collate "C",
  created_at_ms bigint not null,
  disabled boolean not null default false,
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
  last_challenge_at_ms bigint,
  last_challenge_failure text collate "C",
  challenge_history text collate "C" not null default ''::text,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_normal_url UNIQUE (app_id, normal_url),
  constraint webhooks_app FOREIGN KEY (app_id) REFERENCES apps(id)
);
CREATE INDEX webhooks_due ON public.webhooks USING btree (next_challenge_at_ms);
CREATE INDEX webhooks_invalid ON public.webhooks USING btree (id) WHERE (valid = false);

create table worker_leases (
  worker smallint not null,
  until timestamp with time zone not null,
  constraint worker_leases_pkey PRIMARY KEY (worker)
);
