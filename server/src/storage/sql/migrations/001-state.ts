import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { type Columns, newTable } from './new-table.ts'

/** Apps, their tokens, webhooks, subscriptions and replays; users; the audit log, facts and rate windows. */
export const createState = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  const table = (name: string, columns: Columns) => newTable(db, flavour, name, columns)

  await table('apps', {
    id: 'text',
    name: 'text',
    consumer_key: 'text',
    consumer_secret_sealed: 'text',
    previous_consumer_secret_sealed: 'text?',
    previous_secret_until_ms: 'bigint?',
    callback_urls: 'text',
    permissions: 'text',
    sign_in_with_service: 'boolean',
    webhook_limit: 'integer',
    ads_access: 'boolean',
    early_access: 'text',
    suspended: 'boolean',
    created_at_ms: 'bigint',
  })
    .addPrimaryKeyConstraint('apps_pkey', ['id'])
    .addUniqueConstraint('apps_consumer_key', ['consumer_key'])
    .execute()

  await table('bearer_tokens', { app_id: 'text', token_sha256: 'text', token_sealed: 'text' })
    .addPrimaryKeyConstraint('bearer_tokens_pkey', ['app_id'])
    .addUniqueConstraint('bearer_tokens_sha256', ['token_sha256'])
    .addForeignKeyConstraint('bearer_tokens_app', ['app_id'], 'apps', ['id'])
    .execute()

  await table('users', {
    id: 'text',
    username: 'text',
    username_key: 'text',
    name: 'text',
    password_hash: 'text?',
    created_at_ms: 'bigint',
  })
    .addPrimaryKeyConstraint('users_pkey', ['id'])
    .addUniqueConstraint('users_username_key', ['username_key'])
    .execute()

  await table('webhooks', {
    id: 'text',
    app_id: 'text',
    url: 'text',
    normal_url: 'text',
    valid: 'boolean',
    created_at_ms: 'bigint',
    next_challenge_at_ms: 'bigint?',
  })
    .addPrimaryKeyConstraint('webhooks_pkey', ['id'])
    .addUniqueConstraint('webhooks_normal_url', ['app_id', 'normal_url'])
    .addForeignKeyConstraint('webhooks_app', ['app_id'], 'apps', ['id'])
    .execute()
  await db.schema.createIndex('webhooks_due').on('webhooks').column('next_challenge_at_ms').execute()

  await table('subscriptions', {
    id: 'text',
    app_id: 'text',
    webhook_id: 'text?',
    event_type: 'text',
    user_id: 'text',
    keyword: 'text',
    direction: 'text',
    tag: 'text?',
    created_at_ms: 'bigint',
    updated_at_ms: 'bigint',
  })
    .addPrimaryKeyConstraint('subscriptions_pkey', ['id'])
    .addForeignKeyConstraint('subscriptions_app', ['app_id'], 'apps', ['id'])
    .addForeignKeyConstraint('subscriptions_webhook', ['webhook_id'], 'webhooks', ['id'])
    .execute()
  await db.schema.createIndex('subscriptions_match').on('subscriptions').columns(['event_type', 'user_id']).execute()
  await db.schema.createIndex('subscriptions_of_app').on('subscriptions').columns(['app_id', 'id']).execute()
  await db.schema.createIndex('subscriptions_of_webhook').on('subscriptions').column('webhook_id').execute()
  await db.schema
    .createIndex('subscriptions_unlike')
    .unique()
    .on('subscriptions')
    .expression(sql`app_id, event_type, user_id, keyword, direction, coalesce(webhook_id, '')`)
    .execute()

  await table('replay_jobs', {
    id: 'text',
    app_id: 'text',
    webhook_id: 'text',
    from_ms: 'bigint',
    to_ms: 'bigint',
    state: 'text',
    position: 'bigint',
    delivered: 'bigint',
    failed: 'bigint',
    created_at_ms: 'bigint',
    finished_at_ms: 'bigint?',
    reported: 'boolean',
    worker: 'integer?',
  })
    .addPrimaryKeyConstraint('replay_jobs_pkey', ['id'])
    .addForeignKeyConstraint('replay_jobs_app', ['app_id'], 'apps', ['id'])
    .execute()
  await sql`create unique index replay_jobs_running on replay_jobs (webhook_id) where state = 'running'`.execute(db)
  await sql`create index replay_jobs_unfinished on replay_jobs (created_at_ms, id) where reported = false`.execute(db)

  await db.schema
    .createTable('audit_log')
    .addColumn('number', flavour.rowNumber)
    .addColumn('at_ms', 'bigint', (it) => it.notNull())
    .addColumn('action', flavour.text, (it) => it.notNull())
    .addColumn('status', 'integer', (it) => it.notNull())
    .addColumn('detail', flavour.text, (it) => it.notNull())
    .execute()

  await table('facts', { name: 'text', value: 'text' }).addPrimaryKeyConstraint('facts_pkey', ['name']).execute()

  if (!flavour.hasRateWindows) return
  await sql`create unlogged table rate_windows (
      key text collate "C" primary key, count integer not null, reset_at_ms bigint not null)`.execute(db)
  await db.schema.createIndex('rate_windows_reset').on('rate_windows').column('reset_at_ms').execute()
}
