import type { Kysely } from 'kysely'
import { newerDatabase } from '../../migrate.ts'
import type { RecordType } from '../../records.ts'
import type { Database } from '../schema.ts'
import { declaredColumns, declaredIndexes, primaryKey } from './declared-table.ts'
import { searchColumn } from './derived-columns.ts'

/** The metadata that says how the declared tables were last made. */
export const DECLARED_TABLES = 'declared_tables'

/** For each table its columns and their types, its indexes with their columns, its derived column and its primary key. */
type Declaration = Record<
  string,
  { columns: Record<string, string>; indexes: Record<string, string[]>; derived?: string | undefined; key?: string[] }
>

/** The derived columns of a table: whoever adds or drops one computes it anew from the others. */
const derivedOf = (kind: RecordType) => searchColumn(kind)?.name

const declaredFields = (kind: RecordType) => declaredColumns(kind).filter(({ name }) => name !== derivedOf(kind))

const declarationOf = (recordTypes: readonly RecordType[]): Declaration =>
  Object.fromEntries(
    recordTypes.map((kind) => [
      kind.table,
      {
        columns: Object.fromEntries(declaredFields(kind).map(({ name, type, nullable }) => [name, nullable ? `${type}?` : type])),
        indexes: Object.fromEntries(declaredIndexes(kind).map(({ name, columns }) => [name, columns])),
        derived: derivedOf(kind),
        key: primaryKey(kind),
      },
    ]),
  )

/** What the record types want of the database, as one text: another declaration is another text. */
export const fingerprintOf = (recordTypes: readonly RecordType[]): string => JSON.stringify(declarationOf(recordTypes))

/** What was recorded; earlier versions recorded a number and a hash, of which nothing can be told. */
const parse = (recorded: string): Declaration => (recorded.startsWith('{') ? JSON.parse(recorded) : {})

/** The first table or column that was recorded and is not declared. */
function undeclared(recorded: Declaration, declared: Declaration): string | undefined {
  for (const [table, { columns }] of Object.entries(recorded)) {
    const known = declared[table]
    if (!known) return `the table ${table}`
    const column = Object.keys(columns).find((name) => !(name in known.columns))
    if (column !== undefined) return `the column ${column} of the table ${table}`
  }
  return undefined
}

/**
 * Throws when the tables were last made with a table or column that is not declared here: a newer version did that, and records that an
 * older one writes would lack what the newer one relies on. A version that no longer declares something says so with a migration.
 */
export function assertNotNewer(recorded: string | undefined, recordTypes: readonly RecordType[]): void {
  const unknown = undeclared(parse(recorded ?? ''), declarationOf(recordTypes))
  if (unknown !== undefined) throw newerDatabase(`${unknown}, which this version does not declare`)
}

/** How the declared tables were last made; undefined when they never were. */
export const recordedTables = async (db: Kysely<Database>): Promise<string | undefined> =>
  (await db.selectFrom('metadata').select('value').where('name', '=', DECLARED_TABLES).executeTakeFirst())?.value

/** Records that the tables were made as `value` says. */
export async function recordTables(db: Kysely<Database>, value: string): Promise<void> {
  const insert = db.insertInto('metadata').values({ name: DECLARED_TABLES, value })
  await insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute()
}
