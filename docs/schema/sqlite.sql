-- The storage on sqlite, without the file of the event log. Printed by server/scripts/print-schema.ts.

CREATE TABLE account_apps (
  id text not null primary key,
  account_id text not null default '',
  app_store_identifier text not null default '',
  os_type text not null default '',
  deep_link_pattern text ,
  conversion_tracking_enabled boolean not null default false,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false
);
CREATE INDEX account_apps_by_created_at on account_apps (account_id, hidden, created_at_ms, id);
CREATE INDEX account_apps_by_deleted on account_apps (account_id, hidden, deleted, id);
CREATE INDEX account_apps_by_updated_at on account_apps (account_id, hidden, updated_at_ms, id);

CREATE TABLE account_history (
  number integer primary key autoincrement,
  account_id text not null,
  entity text not null,
  entity_id text not null,
  change_type text not null,
  user_id text not null,
  at_ms bigint not null,
  changes text not null,
  entity_data text not null
);
CREATE INDEX account_history_of_entity on account_history (account_id, entity, entity_id, number);

CREATE TABLE account_media (
  id text not null primary key,
  account_id text not null default '',
  creative_type text not null default '',
  video_id text ,
  media_url text ,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false
);
CREATE INDEX account_media_by_created_at on account_media (account_id, hidden, created_at_ms, id);
CREATE INDEX account_media_by_deleted on account_media (account_id, hidden, deleted, id);
CREATE INDEX account_media_by_updated_at on account_media (account_id, hidden, updated_at_ms, id);
CREATE INDEX account_media_of_creative_type on account_media (account_id, creative_type);
CREATE INDEX account_media_with_account_id_video_id on account_media (account_id, video_id);

CREATE TABLE account_members (
  user_id text not null,
  account_id text not null,
  role text not null,
  host text not null,
  hidden boolean not null,
  deleted boolean not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  name text not null,
  name_key text not null,
  permissions text default '[]' not null,
  constraint account_members_pkey primary key (user_id, account_id),
  constraint account_members_user foreign key (user_id) references users (id)
);
CREATE INDEX account_members_by_created_at_ms on account_members (user_id, host, hidden, created_at_ms, account_id);
CREATE INDEX account_members_by_deleted on account_members (user_id, host, hidden, deleted, account_id);
CREATE INDEX account_members_by_name on account_members (user_id, host, hidden, name, account_id);
CREATE INDEX account_members_by_prefix on account_members (user_id, host, name_key);
CREATE INDEX account_members_by_updated_at_ms on account_members (user_id, host, hidden, updated_at_ms, account_id);
CREATE INDEX account_members_of_account_id on account_members (account_id);

CREATE TABLE accounts (
  id text not null primary key,
  name text not null default '',
  business_name text ,
  business_id text ,
  timezone text not null default 'America/Los_Angeles',
  timezone_switch_at_ms bigint ,
  approval_status text not null default 'ACCEPTED',
  industry_type text ,
  host text not null default '',
  features text not null default '[]',
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_key text not null default '',
  hidden boolean not null default false
);
CREATE INDEX accounts_by_prefix on accounts (host, name_key);

CREATE TABLE ads_posts (
  id text not null,
  post_id bigint not null,
  account_id text not null,
  made boolean not null,
  name text,
  scheduled_at_ms bigint,
  video text,
  constraint ads_posts_pkey primary key (id),
  constraint ads_posts_post_id foreign key (post_id) references posts (id) on delete cascade
);
CREATE UNIQUE INDEX ads_posts_of_post on ads_posts (post_id, account_id);

CREATE TABLE app_loads (
  process text,
  part bigint,
  bucket bigint not null,
  minutes bigint not null,
  counts text not null,
  primary key (process, part)
);
CREATE INDEX app_loads_by_time on app_loads (bucket);

CREATE TABLE app_usage (
  app_id text not null,
  month integer not null,
  deliveries bigint not null,
  events bigint default 0 not null,
  constraint app_usage_pkey primary key (app_id),
  constraint app_usage_app foreign key (app_id) references apps (id) on delete cascade
);

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
  activity_enrolled boolean default true not null,
  usage_cap bigint,
  oauth2_client_id text,
  oauth2_client_type text,
  oauth2_client_secret_sealed text,
  streamed_at_ms bigint,
  portal_generation integer default 1 not null,
  event_quota bigint,
  delivery_quota bigint,
  row_quota bigint,
  constraint apps_pkey primary key (id),
  constraint apps_consumer_key unique (consumer_key)
);
CREATE UNIQUE INDEX apps_oauth2_client on apps (oauth2_client_id);

CREATE TABLE audit_log (
  number integer primary key autoincrement,
  at_ms bigint not null,
  action text not null,
  status integer not null,
  detail text not null,
  token_name text,
  address text ,
  app_id text,
  user_id text,
  changes text
);

CREATE TABLE bearer_tokens (
  app_id text not null,
  token_sha256 text not null,
  token_sealed text not null,
  secret_version integer default 1 not null,
  constraint bearer_tokens_pkey primary key (app_id),
  constraint bearer_tokens_sha256 unique (token_sha256),
  constraint bearer_tokens_app foreign key (app_id) references apps (id)
);

CREATE TABLE campaigns (
  id text not null primary key,
  account_id text not null default '',
  name text not null default '',
  budget_optimization text not null default 'LINE_ITEM',
  purchase_order_number text ,
  daily_budget_amount_local_micro bigint ,
  total_budget_amount_local_micro bigint ,
  funding_instrument_id text not null default '',
  duration_in_days bigint ,
  frequency_cap bigint ,
  standard_delivery boolean not null default true,
  entity_status text not null default 'ACTIVE',
  start_time_ms bigint ,
  end_time_ms bigint ,
  currency text not null default '',
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_key text not null default '',
  hidden boolean not null default false
);
CREATE INDEX campaigns_by_created_at on campaigns (account_id, hidden, created_at_ms, id);
CREATE INDEX campaigns_by_daily_budget_amount_local_micro on campaigns (account_id, hidden, daily_budget_amount_local_micro, id);
CREATE INDEX campaigns_by_deleted on campaigns (account_id, hidden, deleted, id);
CREATE INDEX campaigns_by_end_time on campaigns (account_id, hidden, end_time_ms, id);
CREATE INDEX campaigns_by_name on campaigns (account_id, hidden, name, id);
CREATE INDEX campaigns_by_prefix on campaigns (account_id, name_key);
CREATE INDEX campaigns_by_standard_delivery on campaigns (account_id, hidden, standard_delivery, id);
CREATE INDEX campaigns_by_start_time on campaigns (account_id, hidden, start_time_ms, id);
CREATE INDEX campaigns_by_total_budget_amount_local_micro on campaigns (account_id, hidden, total_budget_amount_local_micro, id);
CREATE INDEX campaigns_by_updated_at on campaigns (account_id, hidden, updated_at_ms, id);
CREATE INDEX campaigns_counted_by_entity_status on campaigns (account_id, hidden, entity_status);
CREATE INDEX campaigns_of_funding_instrument_id on campaigns (account_id, funding_instrument_id);

CREATE TABLE cards (
  id text not null primary key,
  account_id text not null default '',
  name text not null default '',
  card_type text not null default '',
  card_uri text not null default '',
  first_choice text ,
  second_choice text ,
  third_choice text ,
  fourth_choice text ,
  duration_in_minutes text ,
  title text ,
  first_cta text ,
  first_cta_post text ,
  second_cta text ,
  second_cta_post text ,
  third_cta text ,
  third_cta_post text ,
  fourth_cta text ,
  fourth_cta_post text ,
  thank_you_text text ,
  thank_you_url text ,
  poster_media_key text ,
  unlocked_video_media_key text ,
  components text ,
  slides text ,
  media_key text ,
  unlocked_image_media_key text ,
  kind text not null default '',
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_key text not null default '',
  hidden boolean not null default false
);
CREATE INDEX cards_by_created_at on cards (account_id, hidden, created_at_ms, id);
CREATE INDEX cards_by_deleted on cards (account_id, hidden, deleted, id);
CREATE INDEX cards_by_name on cards (account_id, hidden, name, id);
CREATE INDEX cards_by_prefix on cards (account_id, name_key);
CREATE INDEX cards_by_updated_at on cards (account_id, hidden, updated_at_ms, id);
CREATE INDEX cards_of_card_type on cards (account_id, card_type);
CREATE INDEX cards_of_card_uri on cards (account_id, card_uri);
CREATE INDEX cards_of_kind_by_created_at on cards (account_id, kind, hidden, created_at_ms, id);
CREATE INDEX cards_of_kind_by_deleted on cards (account_id, kind, hidden, deleted, id);
CREATE INDEX cards_of_kind_by_name on cards (account_id, kind, hidden, name, id);
CREATE INDEX cards_of_kind_by_prefix on cards (account_id, kind, name_key);
CREATE INDEX cards_of_kind_by_updated_at on cards (account_id, kind, hidden, updated_at_ms, id);

CREATE TABLE custom_audiences (
  id text not null primary key,
  name text not null default '',
  description text ,
  audience_type text not null default 'CRM',
  partner_source text not null default 'OTHER',
  account_id text not null default '',
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_key text not null default '',
  hidden boolean not null default false
);
CREATE INDEX custom_audiences_by_created_at on custom_audiences (account_id, hidden, created_at_ms, id);
CREATE INDEX custom_audiences_by_deleted on custom_audiences (account_id, hidden, deleted, id);
CREATE INDEX custom_audiences_by_name on custom_audiences (account_id, hidden, name, id);
CREATE INDEX custom_audiences_by_prefix on custom_audiences (account_id, name_key);
CREATE INDEX custom_audiences_by_updated_at on custom_audiences (account_id, hidden, updated_at_ms, id);

CREATE TABLE dm_events (
  id bigint not null,
  conversation_id text not null,
  event_type text not null,
  sender_id text not null,
  text text,
  created_at_ms bigint not null,
  entities text,
  media_keys text,
  referenced_post_id bigint,
  participant_ids text,
  constraint dm_events_pkey primary key (id)
);
CREATE INDEX dm_events_of_conversation on dm_events (conversation_id, id);

CREATE TABLE do_not_reach_lists (
  id text not null primary key,
  account_id text not null default '',
  name text not null default 'Do Not Reach List',
  description text ,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false
);
CREATE INDEX do_not_reach_lists_by_created_at on do_not_reach_lists (account_id, hidden, created_at_ms, id);
CREATE INDEX do_not_reach_lists_by_deleted on do_not_reach_lists (account_id, hidden, deleted, id);
CREATE INDEX do_not_reach_lists_by_updated_at on do_not_reach_lists (account_id, hidden, updated_at_ms, id);

CREATE TABLE failed_attempts (
  number integer primary key autoincrement,
  hour_ms bigint not null,
  kind text not null,
  address text not null,
  count bigint not null,
  constraint failed_attempts_of_hour unique (hour_ms, kind, address)
);

CREATE TABLE feed_reports (
  id text not null,
  feed_id text not null,
  state text not null,
  started_at_ms bigint not null,
  finished_at_ms bigint,
  failure text,
  rows bigint not null,
  created bigint not null,
  updated bigint not null,
  unchanged bigint not null,
  failed bigint not null,
  row_errors text not null,
  constraint feed_reports_pkey primary key (id),
  constraint feed_reports_feed_id foreign key (feed_id) references scheduled_feeds (id) on delete cascade
);
CREATE INDEX feed_reports_of_feed on feed_reports (feed_id, id);

CREATE TABLE funding_instruments (
  id text not null primary key,
  account_id text not null default '',
  type text not null default '',
  description text not null default '(no payment method has been set up yet)',
  currency text not null default '',
  start_time_ms bigint ,
  end_time_ms bigint ,
  entity_status text not null default 'ACTIVE',
  able_to_fund boolean not null default true,
  reasons_not_able_to_fund text not null default '[]',
  io_header text ,
  credit_limit_local_micro bigint ,
  credit_remaining_local_micro bigint ,
  funded_amount_local_micro bigint ,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false
);
CREATE INDEX funding_instruments_by_created_at on funding_instruments (account_id, hidden, created_at_ms, id);
CREATE INDEX funding_instruments_by_deleted on funding_instruments (account_id, hidden, deleted, id);
CREATE INDEX funding_instruments_by_end_time on funding_instruments (account_id, hidden, end_time_ms, id);
CREATE INDEX funding_instruments_by_funded_amount_local_micro on funding_instruments (account_id, hidden, funded_amount_local_micro, id);
CREATE INDEX funding_instruments_by_start_time on funding_instruments (account_id, hidden, start_time_ms, id);
CREATE INDEX funding_instruments_by_updated_at on funding_instruments (account_id, hidden, updated_at_ms, id);

CREATE TABLE image_checks (
  url_sha256 text not null,
  url text not null,
  checked_at_ms bigint,
  problem text,
  due_at_ms bigint,
  worker integer,
  requested_by text default '' not null,
  constraint image_checks_pkey primary key (url_sha256)
);
CREATE INDEX image_checks_checked on image_checks (checked_at_ms);
CREATE INDEX image_checks_due on image_checks (due_at_ms) where due_at_ms is not null;
CREATE INDEX image_checks_queued on image_checks (requested_by) where due_at_ms is not null;

CREATE TABLE line_item_curated_categories (
  id text not null primary key,
  account_id text not null default '',
  line_item_id text not null default '',
  curated_category_id text not null default '',
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false
);
CREATE INDEX line_item_curated_categories_by_created_at on line_item_curated_categories (account_id, hidden, created_at_ms, id);
CREATE INDEX line_item_curated_categories_by_deleted on line_item_curated_categories (account_id, hidden, deleted, id);
CREATE INDEX line_item_curated_categories_by_updated_at on line_item_curated_categories (account_id, hidden, updated_at_ms, id);
CREATE INDEX line_item_curated_categories_of_line_item_id on line_item_curated_categories (account_id, line_item_id);

CREATE TABLE line_items (
  id text not null primary key,
  account_id text not null default '',
  campaign_id text not null default '',
  funding_instrument_id text not null default '',
  name text ,
  objective text not null default '',
  goal text not null default '',
  product_type text not null default '',
  placements text not null default '[]',
  bid_strategy text not null default '',
  bid_amount_local_micro bigint ,
  pay_by text not null default '',
  currency text not null default '',
  categories text not null default '[]',
  advertiser_user_id text ,
  advertiser_domain text ,
  android_app_store_identifier text ,
  ios_app_store_identifier text ,
  audience_expansion text ,
  frequency_cap bigint ,
  duration_in_days bigint ,
  start_time_ms bigint ,
  end_time_ms bigint ,
  total_budget_amount_local_micro bigint ,
  daily_budget_amount_local_micro bigint ,
  entity_status text not null default 'ACTIVE',
  creative_source text not null default 'MANUAL',
  standard_delivery boolean not null default true,
  target_cpa_local_micro bigint ,
  primary_web_event_tag text ,
  automatic_tweet_promotion boolean not null default false,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_key text not null default '',
  hidden boolean not null default false
);
CREATE INDEX line_items_by_bid_amount_local_micro on line_items (account_id, hidden, bid_amount_local_micro, id);
CREATE INDEX line_items_by_created_at on line_items (account_id, hidden, created_at_ms, id);
CREATE INDEX line_items_by_deleted on line_items (account_id, hidden, deleted, id);
CREATE INDEX line_items_by_name on line_items (account_id, hidden, name, id);
CREATE INDEX line_items_by_prefix on line_items (account_id, name_key);
CREATE INDEX line_items_by_updated_at on line_items (account_id, hidden, updated_at_ms, id);
CREATE INDEX line_items_counted_by_entity_status on line_items (account_id, hidden, entity_status);
CREATE INDEX line_items_of_campaign_id on line_items (account_id, campaign_id);
CREATE INDEX line_items_of_funding_instrument_id on line_items (account_id, funding_instrument_id);

CREATE TABLE lists (
  id bigint not null,
  owner_id text not null,
  name text not null,
  description text not null,
  private boolean not null,
  created_at_ms bigint not null,
  member_count bigint not null,
  follower_count bigint not null,
  constraint lists_pkey primary key (id)
);
CREATE INDEX lists_of_owner on lists (owner_id, id);

CREATE TABLE media (
  media_key text not null,
  owner_id text,
  type text not null,
  url text,
  preview_image_url text,
  alt_text text,
  width bigint,
  height bigint,
  duration_ms bigint,
  variants text,
  created_at_ms bigint not null,
  view_count bigint not null,
  more text,
  category text,
  constraint media_pkey primary key (media_key)
);

CREATE TABLE media_library (
  media_key text not null,
  account_id text not null default '',
  media_type text not null default '',
  media_category text not null default '',
  name text ,
  file_name text ,
  title text ,
  description text ,
  poster_media_key text ,
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  name_title_file_name_description_terms text not null default '',
  hidden boolean not null default false,
  primary key (media_key, account_id)
);
CREATE INDEX media_library_by_created_at on media_library (account_id, hidden, created_at_ms, media_key);
CREATE INDEX media_library_by_deleted on media_library (account_id, hidden, deleted, media_key);
CREATE INDEX media_library_by_updated_at on media_library (account_id, hidden, updated_at_ms, media_key);
CREATE INDEX media_library_of_media_type on media_library (account_id, media_type);

CREATE TABLE metadata (
  name text not null,
  value text not null,
  constraint metadata_pkey primary key (name)
);

CREATE TABLE migrations (
  name varchar(255) not null primary key,
  timestamp varchar(255) not null
);

CREATE TABLE nonces (
  key text not null,
  expires_at_ms bigint not null,
  request_id bigint,
  constraint nonces_pkey primary key (key)
);
CREATE INDEX nonces_expiry on nonces (expires_at_ms);

CREATE TABLE oauth2_access_tokens (
  token_sha256 text not null,
  grant_id text not null,
  scopes text not null,
  expires_at_ms bigint not null,
  constraint oauth2_access_tokens_pkey primary key (token_sha256),
  constraint oauth2_access_tokens_grant foreign key (grant_id) references oauth2_grants (id) on delete cascade
);
CREATE INDEX oauth2_access_tokens_expiry on oauth2_access_tokens (expires_at_ms);
CREATE INDEX oauth2_access_tokens_of_grant on oauth2_access_tokens (grant_id);

CREATE TABLE oauth2_codes (
  code_sha256 text not null,
  app_id text not null,
  user_id text not null,
  scopes text not null,
  redirect_uri text not null,
  challenge text not null,
  challenge_method text not null,
  expires_at_ms bigint not null,
  constraint oauth2_codes_pkey primary key (code_sha256),
  constraint oauth2_codes_app foreign key (app_id) references apps (id),
  constraint oauth2_codes_user foreign key (user_id) references users (id)
);
CREATE INDEX oauth2_codes_expiry on oauth2_codes (expires_at_ms);
CREATE INDEX oauth2_codes_of_app on oauth2_codes (app_id);
CREATE INDEX oauth2_codes_of_user on oauth2_codes (user_id);

CREATE TABLE oauth2_grants (
  id text not null,
  app_id text not null,
  user_id text not null,
  scopes text not null,
  code_sha256 text not null,
  refresh_sha256 text,
  rotated_at_ms bigint,
  created_at_ms bigint not null,
  expires_at_ms bigint not null,
  former_tokens text,
  constraint oauth2_grants_pkey primary key (id),
  constraint oauth2_grants_code unique (code_sha256),
  constraint oauth2_grants_app foreign key (app_id) references apps (id),
  constraint oauth2_grants_user foreign key (user_id) references users (id)
);
CREATE INDEX oauth2_grants_expiry on oauth2_grants (expires_at_ms);
CREATE INDEX oauth2_grants_of_app on oauth2_grants (app_id, user_id);
CREATE INDEX oauth2_grants_of_user on oauth2_grants (user_id);
CREATE INDEX oauth2_grants_refresh on oauth2_grants (refresh_sha256);

CREATE TABLE outbox (
  event_uuid text not null,
  event_type text not null,
  user_id text not null,
  body text not null,
  due_at_ms bigint,
  worker integer,
  constraint outbox_pkey primary key (event_uuid)
);
CREATE INDEX outbox_due on outbox (due_at_ms) where due_at_ms is not null;

CREATE TABLE parked_messages (
  id text not null primary key,
  stream text not null,
  stream_life text not null,
  sequence bigint not null,
  subject text not null,
  reason text not null,
  bytes bigint not null,
  content text not null,
  received_at_ms bigint not null,
  parked_at_ms bigint not null
);
CREATE UNIQUE INDEX parked_messages_place on parked_messages (stream_life, sequence);

CREATE TABLE places (
  id text not null,
  full_name text not null,
  name text not null,
  country text not null,
  country_code text not null,
  place_type text not null,
  geo text,
  contained_within text,
  constraint places_pkey primary key (id)
);

CREATE TABLE polls (
  id text not null,
  options text not null,
  duration_minutes bigint not null,
  end_ms bigint not null,
  constraint polls_pkey primary key (id)
);

CREATE TABLE post_terms (
  term bigint not null,
  post_id bigint not null,
  constraint post_terms_pkey primary key (term, post_id)
) without rowid;

CREATE TABLE posts (
  id bigint not null,
  author_id text not null,
  text text not null,
  created_at_ms bigint not null,
  conversation_id bigint not null,
  lang text not null,
  source text not null,
  reply_settings text not null,
  possibly_sensitive boolean not null,
  hidden boolean not null,
  nullcast boolean not null,
  restriction text,
  in_reply_to_user_id text,
  replied_to_id bigint,
  quoted_id bigint,
  reposted_id bigint,
  reposted_author_id text,
  entities text,
  media_keys text,
  poll_id text,
  place_id text,
  more text,
  repost_count bigint not null,
  reply_count bigint not null,
  like_count bigint not null,
  quote_count bigint not null,
  bookmark_count bigint not null,
  impression_count bigint not null,
  url_link_clicks bigint not null,
  user_profile_clicks bigint not null,
  text_hash bigint,
  constraint posts_pkey primary key (id)
);
CREATE INDEX posts_by_time on posts (created_at_ms, id);
CREATE INDEX posts_for_promotion on posts (author_id, id) where nullcast;
CREATE INDEX posts_of_author on posts (author_id, id);
CREATE INDEX posts_quoting on posts (quoted_id, id) where quoted_id is not null;
CREATE UNIQUE INDEX posts_reposting on posts (reposted_id, author_id) where reposted_id is not null;
CREATE INDEX posts_reposting_author on posts (reposted_author_id, id) where reposted_author_id is not null;
CREATE INDEX posts_reposting_newest on posts (reposted_id, id) where reposted_id is not null;
CREATE INDEX posts_same_text on posts (author_id, text_hash) where text_hash is not null;

CREATE TABLE product_catalogs (
  id text not null,
  host text not null,
  user_id text not null,
  name text not null,
  next_position bigint not null,
  created_at_ms bigint not null,
  due_at_ms bigint,
  worker integer,
  constraint product_catalogs_pkey primary key (id),
  constraint product_catalogs_user_id foreign key (user_id) references users (id) on delete cascade
);
CREATE INDEX product_catalogs_due on product_catalogs (due_at_ms) where due_at_ms is not null;
CREATE UNIQUE INDEX product_catalogs_of_user on product_catalogs (user_id, host);

CREATE TABLE product_set_members (
  set_id text not null,
  product_key text not null,
  constraint product_set_members_pkey primary key (set_id, product_key),
  constraint product_set_members_set_id foreign key (set_id) references product_sets (id) on delete cascade,
  constraint product_set_members_product_key foreign key (product_key) references products (product_key) on delete cascade
);
CREATE INDEX product_set_members_of_product on product_set_members (product_key);

CREATE TABLE product_sets (
  id text not null,
  catalog_id text not null,
  name text not null,
  description text,
  type text not null,
  filters text not null,
  processing_status text not null,
  processed_to bigint not null,
  created_at_ms bigint not null,
  due_at_ms bigint,
  worker integer,
  constraint product_sets_pkey primary key (id),
  constraint product_sets_catalog_id foreign key (catalog_id) references product_catalogs (id) on delete cascade
);
CREATE INDEX product_sets_due on product_sets (due_at_ms) where due_at_ms is not null;
CREATE INDEX product_sets_of_catalog on product_sets (catalog_id, id);

CREATE TABLE products (
  product_key text not null,
  catalog_id text not null,
  id text not null,
  position bigint not null,
  item_group_id text,
  item_group_key text,
  attributes text not null,
  constraint products_pkey primary key (product_key),
  constraint products_catalog_id foreign key (catalog_id) references product_catalogs (id) on delete cascade
);
CREATE INDEX product_groups on products (catalog_id, item_group_id);
CREATE INDEX products_in_order on products (catalog_id, position);
CREATE UNIQUE INDEX products_of_catalog on products (catalog_id, id);
CREATE INDEX products_of_group on products (catalog_id, item_group_key, position);

CREATE TABLE profiles (
  user_id text not null,
  description text not null,
  location text not null,
  url text not null,
  profile_image_url text not null,
  profile_banner_url text not null,
  entities text,
  protected boolean not null,
  verified boolean not null,
  verified_type text not null,
  receives_dms boolean not null,
  pinned_post_id bigint,
  most_recent_post_id bigint,
  more text,
  followers_count bigint not null,
  following_count bigint not null,
  post_count bigint not null,
  listed_count bigint not null,
  like_count bigint not null,
  media_count bigint not null,
  constraint profiles_pkey primary key (user_id),
  constraint profiles_user foreign key (user_id) references users (id) on delete cascade
);

CREATE TABLE promotable_users (
  id text not null primary key,
  account_id text not null default '',
  user_id text not null default '',
  promotable_user_type text not null default 'FULL',
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false
);
CREATE INDEX promotable_users_by_created_at on promotable_users (account_id, hidden, created_at_ms, id);
CREATE INDEX promotable_users_by_deleted on promotable_users (account_id, hidden, deleted, id);
CREATE INDEX promotable_users_by_updated_at on promotable_users (account_id, hidden, updated_at_ms, id);
CREATE INDEX promotable_users_counted_by_promotable_user_type on promotable_users (account_id, hidden, promotable_user_type);

CREATE TABLE promoted_posts (
  id text not null primary key,
  account_id text not null default '',
  line_item_id text not null default '',
  post_id text not null default '',
  entity_status text not null default 'ACTIVE',
  approval_status text not null default 'ACCEPTED',
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false
);
CREATE INDEX promoted_posts_by_created_at on promoted_posts (account_id, hidden, created_at_ms, id);
CREATE INDEX promoted_posts_by_deleted on promoted_posts (account_id, hidden, deleted, id);
CREATE INDEX promoted_posts_by_updated_at on promoted_posts (account_id, hidden, updated_at_ms, id);
CREATE INDEX promoted_posts_of_line_item_id on promoted_posts (account_id, line_item_id);

CREATE TABLE relations (
  relation text not null,
  source text not null,
  target text not null,
  position bigint not null,
  constraint relations_pkey primary key (relation, source, target)
);
CREATE INDEX relations_from on relations (relation, source, position);
CREATE INDEX relations_to on relations (relation, target, position);

CREATE TABLE removed_posts (
  id bigint not null,
  constraint removed_posts_pkey primary key (id)
);

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
  created_by text default 'app' not null,
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

CREATE TABLE resend_jobs (
  id text not null primary key,
  app_id text,
  event_type text,
  states text not null,
  from_ms bigint not null,
  to_ms bigint not null,
  state text not null,
  place text,
  resent bigint not null,
  refused bigint not null,
  worker integer,
  created_at_ms bigint not null,
  finished_at_ms bigint
);
CREATE UNIQUE INDEX resend_jobs_running on resend_jobs (state) where state = 'running';

CREATE TABLE scheduled_feeds (
  id text not null,
  catalog_id text not null,
  feed_url text not null,
  feed_format text not null,
  frequency text not null,
  repeat text,
  start_time text not null,
  time_zone text not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  due_at_ms bigint,
  worker integer,
  constraint scheduled_feeds_pkey primary key (id),
  constraint scheduled_feeds_catalog_id foreign key (catalog_id) references product_catalogs (id) on delete cascade
);
CREATE INDEX scheduled_feeds_due on scheduled_feeds (due_at_ms) where due_at_ms is not null;
CREATE UNIQUE INDEX scheduled_feeds_of_catalog on scheduled_feeds (catalog_id);

CREATE TABLE scheduled_posts (
  id text not null,
  position bigint not null,
  account_id text not null,
  user_id text not null,
  creator_id text not null,
  changer_id text not null,
  text text not null,
  name text,
  card_uri text,
  media_keys text,
  nullcast boolean not null,
  video text,
  source text not null,
  scheduled_at_ms bigint not null,
  status text not null,
  post_id bigint,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  completed_at_ms bigint,
  due_at_ms bigint,
  worker integer,
  constraint scheduled_posts_pkey primary key (id),
  constraint scheduled_posts_user_id foreign key (user_id) references users (id) on delete cascade
);
CREATE INDEX scheduled_posts_due on scheduled_posts (due_at_ms) where due_at_ms is not null;
CREATE INDEX scheduled_posts_of_account on scheduled_posts (account_id, user_id, position);
CREATE INDEX scheduled_posts_of_user on scheduled_posts (user_id);

CREATE TABLE schema_changes (
  name varchar(255) not null primary key,
  kind varchar(16) not null,
  version varchar(16) not null,
  former_version varchar(16) not null,
  unused_since varchar(16),
  timestamp varchar(255) not null
);

CREATE TABLE sessions (
  id_sha256 text not null,
  user_id text not null,
  expires_at_ms bigint not null,
  constraint sessions_pkey primary key (id_sha256),
  constraint sessions_user foreign key (user_id) references users (id)
);
CREATE INDEX sessions_expiry on sessions (expires_at_ms);
CREATE INDEX sessions_of_user on sessions (user_id);

CREATE TABLE sign_in_addresses (
  user_id text not null,
  address_sha256 text not null,
  last_at_ms bigint not null,
  constraint sign_in_addresses_pkey primary key (user_id, address_sha256),
  constraint sign_in_addresses_user foreign key (user_id) references users (id) on delete cascade
);

CREATE TABLE spaces (
  id text not null,
  creator_id text not null,
  title text not null,
  state text not null,
  lang text not null,
  is_ticketed boolean not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  scheduled_start_ms bigint,
  started_at_ms bigint,
  ended_at_ms bigint,
  participant_count bigint not null,
  subscriber_count bigint not null,
  host_ids text,
  speaker_ids text,
  invited_user_ids text,
  topic_ids text,
  constraint spaces_pkey primary key (id)
);
CREATE INDEX spaces_of_creator on spaces (creator_id, created_at_ms) where state <> 'ended';
CREATE INDEX spaces_open on spaces (created_at_ms) where state <> 'ended';

CREATE TABLE stream_connections (
  id text not null,
  app_id text not null,
  worker integer not null,
  created_at_ms bigint not null,
  constraint stream_connections_pkey primary key (id),
  constraint stream_connections_app foreign key (app_id) references apps (id) on delete cascade
);
CREATE INDEX stream_connections_of_app on stream_connections (app_id, worker);

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

CREATE TABLE tailored_audience_permissions (
  id text not null primary key,
  tailored_audience_id text not null default '',
  granted_account_id text not null default '',
  permission_level text not null default '',
  account_id text not null default '',
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false
);
CREATE INDEX tailored_audience_permissions_by_created_at on tailored_audience_permissions (account_id, hidden, created_at_ms, id);
CREATE INDEX tailored_audience_permissions_by_deleted on tailored_audience_permissions (account_id, hidden, deleted, id);
CREATE INDEX tailored_audience_permissions_by_updated_at on tailored_audience_permissions (account_id, hidden, updated_at_ms, id);
CREATE INDEX tailored_audience_permissions_of_granted_account_id on tailored_audience_permissions (account_id, granted_account_id);
CREATE INDEX tailored_audience_permissions_of_tailored_audience_id on tailored_audience_permissions (account_id, tailored_audience_id);
CREATE INDEX tailored_audience_permissions_with_granted_account_id__daf77758 on tailored_audience_permissions (granted_account_id, tailored_audience_id);
CREATE INDEX tailored_audience_permissions_with_tailored_audience_i_1c7f7b3b on tailored_audience_permissions (tailored_audience_id, granted_account_id);

CREATE TABLE targeting_criteria (
  id text not null primary key,
  account_id text not null default '',
  line_item_id text not null default '',
  name text ,
  operator_type text not null default 'EQ',
  targeting_type text not null default '',
  targeting_value text not null default '',
  created_at_ms bigint not null default 0,
  updated_at_ms bigint not null default 0,
  deleted boolean not null default false,
  hidden boolean not null default false
);
CREATE INDEX targeting_criteria_by_created_at on targeting_criteria (account_id, hidden, created_at_ms, id);
CREATE INDEX targeting_criteria_by_deleted on targeting_criteria (account_id, hidden, deleted, id);
CREATE INDEX targeting_criteria_by_updated_at on targeting_criteria (account_id, hidden, updated_at_ms, id);
CREATE INDEX targeting_criteria_of_line_item_id on targeting_criteria (account_id, line_item_id);
CREATE INDEX targeting_criteria_with_account_id_targeting_value on targeting_criteria (account_id, targeting_value);

CREATE TABLE topics (
  id text not null,
  name text not null,
  description text not null,
  constraint topics_pkey primary key (id)
);

CREATE TABLE upload_segments (
  upload_id text not null,
  position integer not null,
  file_key text not null,
  size bigint not null,
  constraint upload_segments_pkey primary key (upload_id, position),
  constraint upload_segments_upload_id foreign key (upload_id) references uploads (id) on delete cascade
);
CREATE INDEX upload_segments_of_file on upload_segments (file_key);

CREATE TABLE upload_totals (
  owner_id text not null,
  bytes bigint not null,
  constraint upload_totals_pkey primary key (owner_id)
);

CREATE TABLE uploads (
  id text not null,
  owner_id text not null,
  media_key text not null,
  category text,
  media_type text,
  additional_owners text not null,
  total_bytes bigint not null,
  received_bytes bigint not null,
  state text not null,
  revision bigint not null,
  progress integer not null,
  error text,
  kind text,
  created_at_ms bigint not null,
  expires_at_ms bigint not null,
  due_at_ms bigint,
  worker integer,
  constraint uploads_pkey primary key (id)
);
CREATE INDEX uploads_due on uploads (due_at_ms) where due_at_ms is not null;
CREATE INDEX uploads_of_owner on uploads (owner_id, state);

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
CREATE INDEX user_tokens_of_user on user_tokens (user_id);

CREATE TABLE users (
  id text not null,
  username text not null,
  username_key text not null,
  name text not null,
  password_hash text,
  created_at_ms bigint not null,
  disabled boolean default false not null,
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
  last_challenge_at_ms bigint,
  last_challenge_failure text,
  challenge_history text default '' not null,
  constraint webhooks_pkey primary key (id),
  constraint webhooks_normal_url unique (app_id, normal_url),
  constraint webhooks_app foreign key (app_id) references apps (id)
);
CREATE INDEX webhooks_due on webhooks (next_challenge_at_ms);
CREATE INDEX webhooks_invalid on webhooks (id) where valid = false;
