import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { RecordType } from '../../records.ts'
import type { Database } from '../schema.ts'
import { declaredColumns, declaredIndexes, primaryKey } from './declared-table.ts'

/** Grows by one with every release that declares other tables, columns or indexes: a version that knows less refuses the database. */
export const RECORDS_VERSION = 1

/** The fact that says which tables the database has: `<version> <fingerprint>`. */
export const DECLARED_TABLES = 'declared_tables'

/** The primary key, where it is not the usual one. */
const ownKeyOf = (kind: RecordType) => (primaryKey(kind).join() === 'id' ? [] : [primaryKey(kind)])

/** What the declared record types want of the database, as one short text. */
export const fingerprintOf = (recordTypes: readonly RecordType[]): string =>
  createHash('sha256')
    .update(JSON.stringify(recordTypes.map((kind) => [kind.table, declaredColumns(kind), declaredIndexes(kind), ...ownKeyOf(kind)])))
    .digest('hex')

/**
 * Whether the database has what was declared.
 * @throws when its tables were declared by a newer version.
 */
export async function hasTables(db: Kysely<Database>, wanted: string): Promise<boolean> {
  const existing = (await db.selectFrom('facts').select('value').where('name', '=', DECLARED_TABLES).executeTakeFirst())?.value
  if (existing === wanted) return true
  const version = Number(/^(\d+) /.exec(existing ?? '')?.[1] ?? 0)
  if (version <= RECORDS_VERSION) return false
  throw new Error(
    `The database is newer than this Postern: it has version ${version} of the declared tables, and this version knows ${RECORDS_VERSION}. Start the version that last used it, or a newer one.`,
  )
}
