import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { type Columns, newTable } from './new-table.ts'

/** Work that one process of a fleet does when it is due: `worker` has claimed it until `due_at_ms`. */
const due: Columns = { due_at_ms: 'bigint?', worker: 'integer?' }

/** `id` is the account and the post. */
const adsPosts: Columns = {
  id: 'text',
  post_id: 'bigint',
  account_id: 'text',
  made: 'boolean',
  name: 'text?',
  scheduled_at_ms: 'bigint?',
  video: 'text?',
}

const scheduledPosts: Columns = {
  id: 'text',
  position: 'bigint',
  account_id: 'text',
  user_id: 'text',
  creator_id: 'text',
  changer_id: 'text',
  text: 'text',
  name: 'text?',
  card_uri: 'text?',
  media_keys: 'text?',
  nullcast: 'boolean',
  video: 'text?',
  source: 'text',
  scheduled_at_ms: 'bigint',
  status: 'text',
  post_id: 'bigint?',
  created_at_ms: 'bigint',
  updated_at_ms: 'bigint',
  completed_at_ms: 'bigint?',
  ...due,
}

const outbox: Columns = { event_uuid: 'text', event_type: 'text', user_id: 'text', body: 'text', ...due }

/** What accounts know of posts, posts that are published later, and events of actions that are not published yet. */
export const addAdsPosts = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await newTable(db, flavour, 'ads_posts', adsPosts)
    .addPrimaryKeyConstraint('ads_posts_pkey', ['id'])
    .addForeignKeyConstraint('ads_posts_post_id', ['post_id'], 'posts', ['id'], (it) => it.onDelete('cascade'))
    .execute()
  await newTable(db, flavour, 'scheduled_posts', scheduledPosts)
    .addPrimaryKeyConstraint('scheduled_posts_pkey', ['id'])
    .addForeignKeyConstraint('scheduled_posts_user_id', ['user_id'], 'users', ['id'], (it) => it.onDelete('cascade'))
    .execute()
  await newTable(db, flavour, 'outbox', outbox).addPrimaryKeyConstraint('outbox_pkey', ['event_uuid']).execute()
  await sql`create unique index ads_posts_of_post on ads_posts (post_id, account_id)`.execute(db)
  await sql`create index posts_for_promotion on posts (author_id, id) where nullcast`.execute(db)
  await sql`create index scheduled_posts_of_account on scheduled_posts (account_id, user_id, position)`.execute(db)
  await sql`create index scheduled_posts_of_user on scheduled_posts (user_id)`.execute(db)
  for (const name of ['scheduled_posts', 'outbox'])
    await sql`create index ${sql.ref(`${name}_due`)} on ${sql.table(name)} (due_at_ms) where due_at_ms is not null`.execute(db)
}
