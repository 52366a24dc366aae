/**
 * Advertising: members and history of accounts, product catalogs of users, what accounts know of posts. All other tables of accounts are made as their
 * resources declare.
 */
export const ADVERTISING = `
  create table account_members (
    user_id text not null, account_id text not null, role text not null, host text not null, hidden boolean not null,
    deleted boolean not null, created_at_ms bigint not null, updated_at_ms bigint not null, name text not null,
    name_key text not null, permissions text default '[]' not null,
    constraint account_members_pkey primary key (user_id, account_id),
    constraint account_members_user foreign key (user_id) references users (id)
  );
  create index account_members_by_created_at_ms on account_members (user_id, host, hidden, created_at_ms, account_id);
  create index account_members_by_deleted on account_members (user_id, host, hidden, deleted, account_id);
  create index account_members_by_name on account_members (user_id, host, hidden, name, account_id);
  create index account_members_by_prefix on account_members (user_id, host, name_key);
  create index account_members_by_updated_at_ms on account_members (user_id, host, hidden, updated_at_ms, account_id);
  create index account_members_of_account_id on account_members (account_id);

  create table account_history (
    number integer primary key autoincrement, account_id text not null, entity text not null, entity_id text not null,
    change_type text not null, user_id text not null, at_ms bigint not null, changes text not null, entity_data text not null
  );
  create index account_history_of_entity on account_history (account_id, entity, entity_id, number);

  create table product_catalogs (
    id text not null, host text not null, user_id text not null, name text not null, next_position bigint not null,
    created_at_ms bigint not null,
    constraint product_catalogs_pkey primary key (id),
    constraint product_catalogs_user_id foreign key (user_id) references users (id) on delete cascade
  );
  create unique index product_catalogs_of_user on product_catalogs (user_id, host);

  create table products (
    product_key text not null, catalog_id text not null, id text not null, position bigint not null, item_group_id text,
    item_group_key text, attributes text not null,
    constraint products_pkey primary key (product_key),
    constraint products_catalog_id foreign key (catalog_id) references product_catalogs (id) on delete cascade
  );
  create index product_groups on products (catalog_id, item_group_id);
  create index products_in_order on products (catalog_id, position);
  create unique index products_of_catalog on products (catalog_id, id);
  create index products_of_group on products (catalog_id, item_group_key, position);

  create table product_sets (
    id text not null, catalog_id text not null, name text not null, description text, type text not null, filters text not null,
    processing_status text not null, processed_to bigint not null, created_at_ms bigint not null, due_at_ms bigint, worker integer,
    constraint product_sets_pkey primary key (id),
    constraint product_sets_catalog_id foreign key (catalog_id) references product_catalogs (id) on delete cascade
  );
  create index product_sets_due on product_sets (due_at_ms) where due_at_ms is not null;
  create index product_sets_of_catalog on product_sets (catalog_id, id);

  create table product_set_members (
    set_id text not null, product_key text not null,
    constraint product_set_members_pkey primary key (set_id, product_key),
    constraint product_set_members_set_id foreign key (set_id) references product_sets (id) on delete cascade,
    constraint product_set_members_product_key foreign key (product_key) references products (product_key) on delete cascade
  );
  create index product_set_members_of_product on product_set_members (product_key);

  create table scheduled_feeds (
    id text not null, catalog_id text not null, feed_url text not null, feed_format text not null, frequency text not null,
    repeat text, start_time text not null, time_zone text not null, created_at_ms bigint not null, updated_at_ms bigint not null,
    due_at_ms bigint, worker integer,
    constraint scheduled_feeds_pkey primary key (id),
    constraint scheduled_feeds_catalog_id foreign key (catalog_id) references product_catalogs (id) on delete cascade
  );
  create index scheduled_feeds_due on scheduled_feeds (due_at_ms) where due_at_ms is not null;
  create unique index scheduled_feeds_of_catalog on scheduled_feeds (catalog_id);

  create table feed_reports (
    id text not null, feed_id text not null, state text not null, started_at_ms bigint not null, finished_at_ms bigint, failure text,
    rows bigint not null, created bigint not null, updated bigint not null, unchanged bigint not null, failed bigint not null,
    row_errors text not null,
    constraint feed_reports_pkey primary key (id),
    constraint feed_reports_feed_id foreign key (feed_id) references scheduled_feeds (id) on delete cascade
  );
  create index feed_reports_of_feed on feed_reports (feed_id, id);

  create table image_checks (
    url_sha256 text not null, url text not null, checked_at_ms bigint, problem text, due_at_ms bigint, worker integer,
    requested_by text default '' not null,
    constraint image_checks_pkey primary key (url_sha256)
  );
  create index image_checks_checked on image_checks (checked_at_ms);
  create index image_checks_due on image_checks (due_at_ms) where due_at_ms is not null;
  create index image_checks_queued on image_checks (requested_by) where due_at_ms is not null;

  -- The id is made of the account and the post.
  create table ads_posts (
    id text not null, post_id bigint not null, account_id text not null, made boolean not null, name text, scheduled_at_ms bigint,
    video text,
    constraint ads_posts_pkey primary key (id),
    constraint ads_posts_post_id foreign key (post_id) references posts (id) on delete cascade
  );
  create unique index ads_posts_of_post on ads_posts (post_id, account_id);

  create table scheduled_posts (
    id text not null, position bigint not null, account_id text not null, user_id text not null, creator_id text not null,
    changer_id text not null, text text not null, name text, card_uri text, media_keys text, nullcast boolean not null, video text,
    source text not null, scheduled_at_ms bigint not null, status text not null, post_id bigint, created_at_ms bigint not null,
    updated_at_ms bigint not null, completed_at_ms bigint, due_at_ms bigint, worker integer,
    constraint scheduled_posts_pkey primary key (id),
    constraint scheduled_posts_user_id foreign key (user_id) references users (id) on delete cascade
  );
  create index scheduled_posts_due on scheduled_posts (due_at_ms) where due_at_ms is not null;
  create index scheduled_posts_of_account on scheduled_posts (account_id, user_id, position);
  create index scheduled_posts_of_user on scheduled_posts (user_id);
`
