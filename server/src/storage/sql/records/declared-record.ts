import type { Kysely } from 'kysely'
import type { RecordType } from '../../records.ts'
import { newerDatabase } from '../../schema-changes.ts'
import type { Database } from '../schema.ts'
import { type DeclaredColumn, declaredColumns, declaredIndexes, primaryKey } from './declared-table.ts'

/** The metadata key of the declaration with which the tables were last made. */
export const DECLARED_TABLES = 'declared_tables'

interface DeclaredTable {
  /** The types of its columns. */
  columns: Record<string, string>
  /** The columns of its indexes. */
  indexes: Record<string, string[]>
  /** The columns of its primary key, unless that is `id`. */
  key?: string[]
}

type Declaration = Record<string, DeclaredTable>

/** The recorded type of a column that is computed from others. */
const DERIVED = 'derived'

const typeOf = ({ type, nullable, isDerived }: DeclaredColumn) => (isDerived ? DERIVED : nullable ? `${type}?` : type)

const declarationOf = (recordTypes: readonly RecordType[]): Declaration =>
  Object.fromEntries(
    recordTypes.map((recordType) => [
      recordType.table,
      {
        columns: Object.fromEntries(declaredColumns(recordType).map((column) => [column.name, typeOf(column)])),
        indexes: Object.fromEntries(declaredIndexes(recordType).map(({ name, columns }) => [name, columns])),
        ...(recordType.key !== 'id' || recordType.keyUniqueIn === 'scope' ? { key: primaryKey(recordType) } : {}),
      },
    ]),
  )

/** The declaration of the record types as one text, which is recorded and compared. */
export const fingerprintOf = (recordTypes: readonly RecordType[]): string => JSON.stringify(declarationOf(recordTypes))

/** Parses a recorded declaration. Earlier versions recorded a number or a hash, which say nothing about columns. */
const parse = (recorded: string): Declaration => (recorded.startsWith('{') ? JSON.parse(recorded) : {})

/** The first recorded table or column that is not declared. Derived columns do not count: they are computed again when they are declared again. */
function undeclared(recorded: Declaration, declared: Declaration): string | undefined {
  for (const [table, { columns }] of Object.entries(recorded)) {
    const current = declared[table]
    if (!current) return `the table ${table}`
    const column = Object.keys(columns).find((name) => columns[name] !== DERIVED && !(name in current.columns))
    if (column !== undefined) return `the column ${column} of the table ${table}`
  }
  return undefined
}

/**
 * Throws if the recorded declaration has a table or column that is not declared here. Then a newer version has used the database, and
 * records that this one writes would lack values that the newer one needs. A version that drops a declaration needs a migration.
 */
export function assertNotNewer(recorded: string | undefined, recordTypes: readonly RecordType[]): void {
  const extra = undeclared(parse(recorded ?? ''), declarationOf(recordTypes))
  if (extra !== undefined) throw newerDatabase(`${extra}, which this version does not declare`)
}

/** The recorded declaration; undefined if the tables were never made. */
export const recordedTables = async (db: Kysely<Database>): Promise<string | undefined> =>
  (await db.selectFrom('metadata').select('value').where('name', '=', DECLARED_TABLES).executeTakeFirst())?.value

/** Records the declaration with which the tables were made. */
export async function recordTables(db: Kysely<Database>, value: string): Promise<void> {
  const insert = db.insertInto('metadata').values({ name: DECLARED_TABLES, value })
  await insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute()
}
