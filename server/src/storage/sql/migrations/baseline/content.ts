/**
 * Data objects: profiles of users, posts with the terms that they are found by, media with their uploads, lists, spaces, messages and their relations.
 * The outbox holds events of actions that are not published yet.
 */
export const CONTENT = `
  create table profiles (
    user_id text not null, description text not null, location text not null, url text not null, profile_image_url text not null,
    profile_banner_url text not null, entities text, protected boolean not null, verified boolean not null,
    verified_type text not null, receives_dms boolean not null, pinned_post_id bigint, most_recent_post_id bigint, more text,
    followers_count bigint not null, following_count bigint not null, post_count bigint not null, listed_count bigint not null,
    like_count bigint not null, media_count bigint not null,
    constraint profiles_pkey primary key (user_id),
    constraint profiles_user foreign key (user_id) references users (id) on delete cascade
  );

  create table posts (
    id bigint not null, author_id text not null, text text not null, created_at_ms bigint not null, conversation_id bigint not null,
    lang text not null, source text not null, reply_settings text not null, possibly_sensitive boolean not null,
    hidden boolean not null, nullcast boolean not null, restriction text, in_reply_to_user_id text, replied_to_id bigint,
    quoted_id bigint, reposted_id bigint, reposted_author_id text, entities text, media_keys text, poll_id text, place_id text,
    more text, repost_count bigint not null, reply_count bigint not null, like_count bigint not null, quote_count bigint not null,
    bookmark_count bigint not null, impression_count bigint not null, url_link_clicks bigint not null,
    user_profile_clicks bigint not null, text_hash bigint,
    constraint posts_pkey primary key (id)
  );
  create index posts_by_time on posts (created_at_ms, id);
  create index posts_for_promotion on posts (author_id, id) where nullcast;
  create index posts_of_author on posts (author_id, id);
  create index posts_quoting on posts (quoted_id, id) where quoted_id is not null;
  create unique index posts_reposting on posts (reposted_id, author_id) where reposted_id is not null;
  create index posts_reposting_author on posts (reposted_author_id, id) where reposted_author_id is not null;
  create index posts_reposting_newest on posts (reposted_id, id) where reposted_id is not null;
  create index posts_same_text on posts (author_id, text_hash) where text_hash is not null;

  -- Hashes of terms.
  create table post_terms (
    term bigint not null, post_id bigint not null,
    constraint post_terms_pkey primary key (term, post_id)
  ) without rowid;

  -- Posts that are gone, whose likes and bookmarks still are to be removed.
  create table removed_posts (
    id bigint not null,
    constraint removed_posts_pkey primary key (id)
  );

  create table media (
    media_key text not null, owner_id text, type text not null, url text, preview_image_url text, alt_text text, width bigint,
    height bigint, duration_ms bigint, variants text, created_at_ms bigint not null, view_count bigint not null, more text,
    category text,
    constraint media_pkey primary key (media_key)
  );

  create table polls (
    id text not null, options text not null, duration_minutes bigint not null, end_ms bigint not null,
    constraint polls_pkey primary key (id)
  );

  create table places (
    id text not null, full_name text not null, name text not null, country text not null, country_code text not null,
    place_type text not null, geo text, contained_within text,
    constraint places_pkey primary key (id)
  );

  create table lists (
    id bigint not null, owner_id text not null, name text not null, description text not null, private boolean not null,
    created_at_ms bigint not null, member_count bigint not null, follower_count bigint not null,
    constraint lists_pkey primary key (id)
  );
  create index lists_of_owner on lists (owner_id, id);

  create table spaces (
    id text not null, creator_id text not null, title text not null, state text not null, lang text not null,
    is_ticketed boolean not null, created_at_ms bigint not null, updated_at_ms bigint not null, scheduled_start_ms bigint,
    started_at_ms bigint, ended_at_ms bigint, participant_count bigint not null, subscriber_count bigint not null, host_ids text,
    speaker_ids text, invited_user_ids text, topic_ids text,
    constraint spaces_pkey primary key (id)
  );
  create index spaces_of_creator on spaces (creator_id, created_at_ms) where state <> 'ended';
  create index spaces_open on spaces (created_at_ms) where state <> 'ended';

  create table topics (
    id text not null, name text not null, description text not null,
    constraint topics_pkey primary key (id)
  );

  create table dm_events (
    id bigint not null, conversation_id text not null, event_type text not null, sender_id text not null, text text,
    created_at_ms bigint not null, entities text, media_keys text, referenced_post_id bigint, participant_ids text,
    constraint dm_events_pkey primary key (id)
  );
  create index dm_events_of_conversation on dm_events (conversation_id, id);

  create table relations (
    relation text not null, source text not null, target text not null, position bigint not null,
    constraint relations_pkey primary key (relation, source, target)
  );
  create index relations_from on relations (relation, source, position);
  create index relations_to on relations (relation, target, position);

  -- An upload outlives its user, until its files are removed: owner_id refers to nothing. worker has claimed it until due_at_ms, as everything that is due.
  create table uploads (
    id text not null, owner_id text not null, media_key text not null, category text, media_type text,
    additional_owners text not null, total_bytes bigint not null, received_bytes bigint not null, state text not null,
    revision bigint not null, progress integer not null, error text, kind text, created_at_ms bigint not null,
    expires_at_ms bigint not null, due_at_ms bigint, worker integer,
    constraint uploads_pkey primary key (id)
  );
  create index uploads_due on uploads (due_at_ms) where due_at_ms is not null;
  create index uploads_of_owner on uploads (owner_id, state);

  create table upload_segments (
    upload_id text not null, position integer not null, file_key text not null, size bigint not null,
    constraint upload_segments_pkey primary key (upload_id, position),
    constraint upload_segments_upload_id foreign key (upload_id) references uploads (id) on delete cascade
  );
  create index upload_segments_of_file on upload_segments (file_key);

  create table upload_totals (
    owner_id text not null, bytes bigint not null,
    constraint upload_totals_pkey primary key (owner_id)
  );

  create table outbox (
    event_uuid text not null, event_type text not null, user_id text not null, body text not null, due_at_ms bigint, worker integer,
    constraint outbox_pkey primary key (event_uuid)
  );
  create index outbox_due on outbox (due_at_ms) where due_at_ms is not null;
`
