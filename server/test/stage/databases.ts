import { join, relative } from 'node:path'
import { everyFlavour, type Flavour } from './database.ts'

const ROOT = join(import.meta.dirname, '../../..')

/**
 * What runs on both databases, by what differs there: a folder, or a file without `.test.ts`, of `server/test` unless another is named. Every
 * other file runs on SQLite alone: its subject is what comes before or after the SQL.
 */
export const onBoth: Record<string, readonly string[]> = {
  'the stores, the event log, their migrations': ['storage/'],
  'transactions that compete for rows and locks': [
    'actions/actions-at-once',
    'ads/batches/batches',
    'ads/busy-accounts',
    'ads/catalogs/concurrent-puts',
    'content/concurrent-engagement',
    'endpoints/seed-races',
    'journeys/challenge-races',
    'journeys/deletion-races',
    'journeys/delivery-races',
    'journeys/registration-races',
    'journeys/replay-races',
    'journeys/token-races',
    'media/upload-at-once',
    'media/upload-races',
  ],
  'queries that each database plans, compares and sorts by itself': [
    'ads/account-history',
    'ads/catalogs/catalogs',
    'ads/catalogs/filtered-sets',
    'ads/catalogs/product-sets',
    'ads/catalogs/products',
    'ads/declared-resource',
    'ads/keyword-insights/volumes',
    'ads/lists',
    'ads/longs',
    'ads/posts/list-posts',
    'content/bounded-search',
    'endpoints/get-event',
    'endpoints/operate',
    'endpoints/search-events',
    'content/counts',
    'content/deleted-posts',
    'content/deleted-users',
    'content/direct-messages',
    'content/fields',
    'content/generated-world',
    'content/hidden-from-lists',
    'content/lists',
    'content/pages',
    'content/post-pages',
    'content/same-texts',
    'content/search',
    'content/seeds',
    'content/statements',
    'content/visibility',
    'endpoints/seed-statements',
    'journeys/deleted-users',
    'journeys/isolation',
    'journeys/metrics',
    'journeys/snapshots',
    'journeys/worlds',
  ],
  'audiences, which are files beside SQLite and tables in PostgreSQL': [
    'ads/audiences/audience-seeds',
    'ads/audiences/kill',
    'ads/audiences/memberships',
    'ads/audiences/users-batch',
  ],
  'work that one process claims, by the time of the database': [
    'ads/catalogs/images',
    'ads/catalogs/scheduled-feeds',
    'ads/posts/scheduled-posts',
    'delivery/hourly-round',
    'delivery/outbox',
    'delivery/retention',
    'journeys/advance',
    'journeys/clock-steps',
  ],
  'revocations and changes that the caches of all processes must hear of': [
    'journeys/activity-apps',
    'journeys/cache-fleet',
    'journeys/consent',
    'journeys/disabled-users',
    'journeys/oauth2',
    'journeys/oauth2-attacks',
    'journeys/operator-tokens',
    'journeys/revoked-tokens',
    'journeys/rotated-secrets',
    'journeys/stream-fleet',
    'journeys/update-subscription',
  ],
  'rate limits, which are in memory beside SQLite and a table in PostgreSQL': [
    'access/login-limits',
    'journeys/credential-attacks',
    'journeys/login-attacks',
  ],
  'recovery from kills, full disks, damage and lost events': [
    'ads/posts/kill-scheduled',
    'journeys/disk-full',
    'journeys/faults',
    'journeys/kill',
    'journeys/killed-actions',
    'journeys/nonces-after-a-kill',
    'journeys/operating-page',
    'journeys/post-created',
    'journeys/register-and-receive',
    'journeys/replay',
    'journeys/resend',
    'journeys/unreadable-row',
    'media/upload-kill',
    'postern/test/kit',
  ],
}

/** The path in the repository of an entry, which is a folder when it ends in a slash. */
export const pathOf = (entry: string): string =>
  (entry.includes('/test/') ? entry : `server/test/${entry}`) + (entry.endsWith('/') ? '' : '.test.ts')

const both = Object.values(onBoth).flat().map(pathOf)

/** The databases that are there: SQLite, and outside the quick run PostgreSQL. */
const atHand = everyFlavour.filter((flavour) => flavour === 'sqlite' || process.env.POSTERN_TEST_POSTGRES)

/**
 * The databases that a test file runs on: `for (const flavour of databasesOf(import.meta))`. With POSTERN_TEST_ALL_DATABASES=1 all files run
 * on all of them.
 */
export function databasesOf({ filename }: Pick<ImportMeta, 'filename'>): readonly Flavour[] {
  const path = relative(ROOT, filename)
  const isOnAll =
    process.env.POSTERN_TEST_ALL_DATABASES === '1' || both.some((one) => (one.endsWith('/') ? path.startsWith(one) : path === one))
  return isOnAll ? atHand : ['sqlite']
}
