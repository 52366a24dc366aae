import { type Kysely, sql } from 'kysely'
import { type Migrated, type MigratedDatabase, type Migration, migrate } from '../migrate.ts'
import type { RecordType } from '../records.ts'
import { holdAdvisoryLock } from './advisory-lock.ts'
import type { Flavour } from './flavour.ts'
import { createState } from './migrations/001-state.ts'
import { addSecretVersions } from './migrations/002-secret-versions.ts'
import { orderOfChallenges } from './migrations/003-order-of-challenges.ts'
import { addSignIn } from './migrations/004-sign-in.ts'
import { addAccounts } from './migrations/005-accounts.ts'
import { addMemberPermissions } from './migrations/006-member-permissions.ts'
import { addWorkerLeases } from './migrations/007-worker-leases.ts'
import { addEventLog } from './migrations/008-event-log.ts'
import { renameFacts } from './migrations/009-metadata.ts'
import { addOperators } from './migrations/010-operators.ts'
import { addCallbackResults } from './migrations/011-callback-results.ts'
import { addFailedAttempts } from './migrations/012-failed-attempts.ts'
import { addActivityApps } from './migrations/013-activity-apps.ts'
import { addCallers } from './migrations/014-callers.ts'
import { addContent } from './migrations/015-content.ts'
import { addCatalogs } from './migrations/016-catalogs.ts'
import { addAudiences } from './migrations/017-audiences.ts'
import { addKeywordIndex } from './migrations/018-keyword-index.ts'
import { addMediaCategory } from './migrations/019-media-category.ts'
import { addUploads } from './migrations/020-uploads.ts'
import { addAdsPosts } from './migrations/021-ads-posts.ts'
import { addImageRequesters } from './migrations/022-image-requesters.ts'
import { addPostTexts } from './migrations/023-post-texts.ts'
import { addOAuth2 } from './migrations/024-oauth2.ts'
import { addStreams } from './migrations/027-streams.ts'
import { dropNonces } from './migrations/028-nonce-journal.ts'
import { addCachingProcesses } from './migrations/029-caching-processes.ts'
import { dropKeywordLists } from './migrations/030-drop-keyword-lists.ts'
import { declaredTables } from './records/make-tables.ts'
import type { Database } from './schema.ts'

/** All migrations of the database, in order. The event log of SQLite is a file with its own migrations. */
const migrations = (flavour: Flavour): Migration<Kysely<Database>>[] => [
  { name: '001-state', up: createState(flavour) },
  { name: '002-secret-versions', up: addSecretVersions },
  { name: '003-order-of-challenges', up: orderOfChallenges },
  { name: '004-sign-in', up: addSignIn(flavour) },
  { name: '005-accounts', up: addAccounts(flavour) },
  { name: '006-member-permissions', up: addMemberPermissions(flavour) },
  { name: '007-worker-leases', up: addWorkerLeases(flavour) },
  { name: '008-event-log', up: addEventLog(flavour) },
  { name: '009-metadata', up: renameFacts(flavour) },
  { name: '010-operators', up: addOperators(flavour) },
  { name: '011-callback-results', up: addCallbackResults(flavour) },
  { name: '012-failed-attempts', up: addFailedAttempts(flavour) },
  { name: '013-activity-apps', up: addActivityApps(flavour) },
  { name: '014-callers', up: addCallers(flavour) },
  { name: '015-content', up: addContent(flavour) },
  { name: '016-catalogs', up: addCatalogs(flavour) },
  { name: '017-audiences', up: addAudiences(flavour) },
  { name: '018-keyword-index', up: addKeywordIndex(flavour) },
  { name: '019-media-category', up: addMediaCategory(flavour) },
  { name: '020-uploads', up: addUploads(flavour) },
  { name: '021-ads-posts', up: addAdsPosts(flavour) },
  { name: '022-image-requesters', up: addImageRequesters(flavour) },
  { name: '023-post-texts', up: addPostTexts },
  { name: '024-oauth2', up: addOAuth2(flavour) },
  { name: '027-streams', up: addStreams(flavour) },
  { name: '028-nonce-journal', up: dropNonces(flavour) },
  { name: '029-caching-processes', up: addCachingProcesses(flavour) },
  { name: '030-drop-keyword-lists', up: dropKeywordLists },
]

const now = {
  sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ')`,
  postgres: `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
}

const migrated = (db: Kysely<Database>, flavour: Flavour): MigratedDatabase<Kysely<Database>> => ({
  connection: db,
  now: now[flavour.name],
  query: async <Row>(connection: Kysely<Database>, text: string) => (await sql.raw<Row>(text).execute(connection)).rows,
  transaction: (run) =>
    db.transaction().execute(async (trx) => {
      await holdAdvisoryLock(trx, flavour, 'schema')
      await run(trx)
    }),
})

/**
 * Migrates the tables of the state, the declared tables and, on PostgreSQL, those of the event log to this version, all or nothing.
 * Without `recordTypes` the declared tables are not touched.
 * @throws if a newer version has used the database, or a declared table cannot be made. The database is unchanged then.
 */
export const migrateDatabase = (db: Kysely<Database>, flavour: Flavour, recordTypes?: readonly RecordType[]): Promise<Migrated> =>
  migrate(migrated(db, flavour), migrations(flavour), recordTypes && declaredTables(flavour, recordTypes))
