import { type RawBuilder, sql } from 'kysely'
import type { ColumnType, RecordType } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import { type DeclaredColumn, initialValues } from './declared-table.ts'

const types: Record<Exclude<ColumnType, 'text' | 'list'>, string> = { long: 'bigint', time: 'bigint', flag: 'boolean' }

/** The SQL type of a column. */
export const columnType = (flavour: Flavour, type: ColumnType): RawBuilder<unknown> =>
  type === 'text' || type === 'list' ? flavour.text : sql.raw(types[type])

/** Defaults of required columns without a declared one: rows can then still be inserted when a later version no longer declares the column. */
const emptyValues: Record<ColumnType, unknown> = { text: '', list: '[]', long: 0, time: 0, flag: false }

/** Returns a function that writes the definition of a column of the record type. */
export function columnDefiner(flavour: Flavour, recordType: RecordType): (column: DeclaredColumn) => RawBuilder<unknown> {
  const initial = initialValues(recordType)
  return ({ name, type, nullable }) =>
    sql`${sql.ref(name)} ${columnType(flavour, type)} ${
      nullable ? sql`` : sql`not null default ${sql.lit(initial.get(name) ?? emptyValues[type])}`
    }`
}
