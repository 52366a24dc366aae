import { contentTables, users } from '../content-tables.ts'
import type { RecordType } from '../records.ts'
import type { Flavour } from './flavour.ts'
import { KEPT_METADATA } from './kept-metadata.ts'
import { runAll } from './run-all.ts'
import type { Database } from './schema.ts'
import { announce, type SqlDatabase } from './sql-database.ts'

/** The tables of a flavour except `metadata`, each before the tables that it references. */
const tablesOf = (flavour: Flavour): Exclude<keyof Database, 'metadata'>[] => [
  'product_set_members',
  'product_sets',
  'products',
  'feed_reports',
  'scheduled_feeds',
  'product_catalogs',
  'image_checks',
  'upload_segments',
  'uploads',
  'upload_totals',
  'outbox',
  'account_members',
  'account_history',
  'bearer_tokens',
  'request_tokens',
  'user_tokens',
  'oauth2_codes',
  'oauth2_access_tokens',
  'oauth2_grants',
  'sessions',
  'sign_in_addresses',
  'subscriptions',
  'replay_jobs',
  'resend_jobs',
  'parked_messages',
  'webhooks',
  'app_usage',
  'app_loads',
  'stream_connections',
  'apps',
  'users',
  'audit_log',
  'failed_attempts',
  'nonces',
  ...(flavour.hasRateWindows ? (['rate_windows'] as const) : []),
]

/** The tables of the data objects; users come after all that refers to them. */
const CONTENT = [
  ...contentTables.filter(({ name }) => name !== users.name).map(({ name }) => name),
  'relations',
  'post_terms',
  'removed_posts',
  'profiles',
]

/** Deletes all rows except the recorded migrations and `KEPT_METADATA`. */
export const wipe = ({ flavour, inTransaction }: SqlDatabase, recordTypes: readonly RecordType[]): Promise<void> =>
  inTransaction(async (trx) => {
    const tables = [...recordTypes.map(({ table }) => table), ...CONTENT, ...tablesOf(flavour)]
    await runAll(
      trx,
      flavour,
      tables.map((table) => `delete from "${table}"`),
    )
    await trx.deleteFrom('metadata').where('name', 'not in', KEPT_METADATA).execute()
    return announce(undefined, { kind: 'everything' })
  })
