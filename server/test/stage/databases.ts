import { join, relative } from 'node:path'
import { isSlowLane } from './cases.ts'
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
    'ads/longs',
    'ads/posts/list-posts',
    'content/bounded-search',
    'endpoints/get-event',
    'endpoints/operate',
    'endpoints/usage',
    'endpoints/search-events',
    'content/counts',
    'content/deleted-posts',
    'content/deleted-users',
    'content/direct-messages',
    'content/fields',
    'content/hidden-from-lists',
    'content/lists',
    'content/pages',
    'content/post-pages',
    'content/search',
    'content/seeds',
    'content/statements',
    'content/visibility',
    'endpoints/seed-statements',
    'journeys/backups',
    'journeys/exact-payloads',
    'journeys/metrics',
    'journeys/snapshots',
  ],
  'audiences, which are files beside SQLite and tables in PostgreSQL': [
    'ads/audiences/audience-seeds',
    'ads/audiences/memberships',
    'ads/audiences/users-batch',
  ],
  'work that one process claims, by the time of the database': [
    'ads/catalogs/images',
    'ads/posts/scheduled-posts',
    'delivery/hourly-round',
    'delivery/outbox',
    'delivery/retention',
  ],
  'revocations and changes that the caches of all processes must hear of': [
    'journeys/cache-fleet',
    'journeys/consent',
    'journeys/disabled-users',
    'journeys/oauth2',
    'journeys/revoked-tokens',
    'journeys/rotated-secrets',
    'journeys/stream-fleet',
  ],
  'rate limits, which are in memory beside SQLite and a table in PostgreSQL': ['access/login-limits', 'journeys/credential-attacks'],
  'recovery from kills, full disks, damage and lost events': [
    'journeys/disk-full',
    'journeys/faults',
    'journeys/kill',
    'journeys/post-created',
    'journeys/register-and-receive',
    'journeys/replay',
    'journeys/unreadable-row',
    'slow/programs/broker-faults',
    'postern/test/kit',
  ],
}

/**
 * What the slow lane runs on both databases and `npm test` on SQLite alone, by what shows there that PostgreSQL does the same.
 */
export const onBothInSlowLane: Record<string, readonly string[]> = {
  'journeys/kill and journeys/post-created kill processes on both; storage/ commits and takes over on both': [
    'ads/audiences/kill',
    'ads/posts/kill-scheduled',
    'journeys/killed-actions',
    'journeys/nonces-after-a-kill',
    'journeys/resend',
    'journeys/resend-jobs',
    'media/upload-kill',
  ],
  'storage/due-work and ads/posts/scheduled-posts claim work on both, delivery/hourly-round the challenges': [
    'ads/catalogs/scheduled-feeds',
    'journeys/advance',
    'journeys/clock-steps',
  ],
  'storage/rate-windows, access/login-limits and journeys/credential-attacks count on both': ['journeys/login-attacks'],
  'the queries of one world and one app are asked on both by the files above': [
    'content/generated-world',
    'content/same-texts',
    'journeys/isolation',
    'journeys/worlds',
  ],
  'journeys/revoked-tokens, disabled-users, rotated-secrets and consent hear of changes on both, token-races compete there': [
    'journeys/activity-apps',
    'journeys/oauth2-attacks',
    'journeys/operator-tokens',
    'journeys/update-subscription',
  ],
  'content/deleted-users deletes what is theirs on both': ['journeys/deleted-users'],
  'journeys/roles and fleet run what the handbook describes on PostgreSQL': ['journeys/operating-page'],
  'journeys/metrics tells on both what the queries name': ['slow/programs/prometheus'],
  'ads/declared-resource has a list on both with what a resource can declare': ['ads/lists'],
  'ads/catalogs/catalogs and ads/busy-accounts compete for the rows of an account on both': ['ads/catalogs/concurrent-puts'],
}

/** The path in the repository of an entry, which is a folder when it ends in a slash. */
export const pathOf = (entry: string): string =>
  (entry.includes('/test/') ? entry : `server/test/${entry}`) + (entry.endsWith('/') ? '' : '.test.ts')

const pathsOf = (listed: Record<string, readonly string[]>) => Object.values(listed).flat().map(pathOf)

/** Files that the slow lane runs for PostgreSQL. */
export const withPostgresInSlowLane: readonly string[] = pathsOf(onBothInSlowLane)

const both = [...pathsOf(onBoth), ...(isSlowLane ? withPostgresInSlowLane : [])]

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
