import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { type Columns, newTable } from './new-table.ts'

const count = 'bigint' as const

const profiles: Columns = {
  user_id: 'text',
  description: 'text',
  location: 'text',
  url: 'text',
  profile_image_url: 'text',
  profile_banner_url: 'text',
  entities: 'text?',
  protected: 'boolean',
  verified: 'boolean',
  verified_type: 'text',
  receives_dms: 'boolean',
  pinned_post_id: 'bigint?',
  most_recent_post_id: 'bigint?',
  more: 'text?',
  followers_count: count,
  following_count: count,
  post_count: count,
  listed_count: count,
  like_count: count,
  media_count: count,
}

const posts: Columns = {
  id: 'bigint',
  author_id: 'text',
  text: 'text',
  created_at_ms: 'bigint',
  conversation_id: 'bigint',
  lang: 'text',
  source: 'text',
  reply_settings: 'text',
  possibly_sensitive: 'boolean',
  hidden: 'boolean',
  nullcast: 'boolean',
  restriction: 'text?',
  in_reply_to_user_id: 'text?',
  replied_to_id: 'bigint?',
  quoted_id: 'bigint?',
  reposted_id: 'bigint?',
  reposted_author_id: 'text?',
  entities: 'text?',
  media_keys: 'text?',
  poll_id: 'text?',
  place_id: 'text?',
  more: 'text?',
  repost_count: count,
  reply_count: count,
  like_count: count,
  quote_count: count,
  bookmark_count: count,
  impression_count: count,
  url_link_clicks: count,
  user_profile_clicks: count,
}

const media: Columns = {
  media_key: 'text',
  owner_id: 'text?',
  type: 'text',
  url: 'text?',
  preview_image_url: 'text?',
  alt_text: 'text?',
  width: 'bigint?',
  height: 'bigint?',
  duration_ms: 'bigint?',
  variants: 'text?',
  created_at_ms: 'bigint',
  view_count: count,
  more: 'text?',
}

const places: Columns = {
  id: 'text',
  full_name: 'text',
  name: 'text',
  country: 'text',
  country_code: 'text',
  place_type: 'text',
  geo: 'text?',
  contained_within: 'text?',
}

const lists: Columns = {
  id: 'bigint',
  owner_id: 'text',
  name: 'text',
  description: 'text',
  private: 'boolean',
  created_at_ms: 'bigint',
  member_count: count,
  follower_count: count,
}

const spaces: Columns = {
  id: 'text',
  creator_id: 'text',
  title: 'text',
  state: 'text',
  lang: 'text',
  is_ticketed: 'boolean',
  created_at_ms: 'bigint',
  updated_at_ms: 'bigint',
  scheduled_start_ms: 'bigint?',
  started_at_ms: 'bigint?',
  ended_at_ms: 'bigint?',
  participant_count: count,
  subscriber_count: count,
  host_ids: 'text?',
  speaker_ids: 'text?',
  invited_user_ids: 'text?',
  topic_ids: 'text?',
}

const messages: Columns = {
  id: 'bigint',
  conversation_id: 'text',
  event_type: 'text',
  sender_id: 'text',
  text: 'text?',
  created_at_ms: 'bigint',
  entities: 'text?',
  media_keys: 'text?',
  referenced_post_id: 'bigint?',
  participant_ids: 'text?',
}

/** Data objects: profiles of users, posts with the terms that they are found by, media, lists, spaces, messages, and their relations. */
export const addContent = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  const table = (name: string, columns: Columns, key: string) =>
    newTable(db, flavour, name, columns).addPrimaryKeyConstraint(`${name}_pkey`, [key])
  const index = (name: string, on: string, columns: string[]) => db.schema.createIndex(name).on(on).columns(columns).execute()

  await table('profiles', profiles, 'user_id')
    .addForeignKeyConstraint('profiles_user', ['user_id'], 'users', ['id'], (it) => it.onDelete('cascade'))
    .execute()
  await sql`insert into profiles (user_id, description, location, url, profile_image_url, profile_banner_url, protected, verified,
    verified_type, receives_dms, followers_count, following_count, post_count, listed_count, like_count, media_count)
    select id, '', '', '', '', '', false, false, '', true, 0, 0, 0, 0, 0, 0 from users`.execute(db)

  await table('posts', posts, 'id').execute()
  await index('posts_of_author', 'posts', ['author_id', 'id'])
  await sql`create index posts_quoting on posts (quoted_id, id) where quoted_id is not null`.execute(db)
  await sql`create index posts_reposting_newest on posts (reposted_id, id) where reposted_id is not null`.execute(db)
  await sql`create index posts_reposting_author on posts (reposted_author_id, id) where reposted_author_id is not null`.execute(db)
  await sql`create unique index posts_reposting on posts (reposted_id, author_id) where reposted_id is not null`.execute(db)

  const terms = newTable(db, flavour, 'post_terms', { term: 'bigint', post_id: 'bigint' })
  const termsWithKey = terms.addPrimaryKeyConstraint('post_terms_pkey', ['term', 'post_id'])
  await (flavour.name === 'sqlite' ? termsWithKey.modifyEnd(sql`without rowid`) : termsWithKey).execute()

  // Posts that are gone and whose likes and bookmarks still are to be removed.
  await table('removed_posts', { id: 'bigint' }, 'id').execute()

  await table('media', media, 'media_key').execute()
  await table('polls', { id: 'text', options: 'text', duration_minutes: 'bigint', end_ms: 'bigint' }, 'id').execute()
  await table('places', places, 'id').execute()
  await table('lists', lists, 'id').execute()
  await index('lists_of_owner', 'lists', ['owner_id', 'id'])
  await table('spaces', spaces, 'id').execute()
  await sql`create index spaces_of_creator on spaces (creator_id, created_at_ms) where state <> 'ended'`.execute(db)
  await sql`create index spaces_open on spaces (created_at_ms) where state <> 'ended'`.execute(db)
  await table('topics', { id: 'text', name: 'text', description: 'text' }, 'id').execute()
  await table('dm_events', messages, 'id').execute()
  await index('dm_events_of_conversation', 'dm_events', ['conversation_id', 'id'])

  const relations = newTable(db, flavour, 'relations', { relation: 'text', source: 'text', target: 'text', position: 'bigint' })
  await relations.addPrimaryKeyConstraint('relations_pkey', ['relation', 'source', 'target']).execute()
  await index('relations_from', 'relations', ['relation', 'source', 'position'])
  await index('relations_to', 'relations', ['relation', 'target', 'position'])
}
