import { type RawBuilder, sql } from 'kysely'
import type { ColumnType, RecordType } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import { type DeclaredColumn, initialValues } from './declared-table.ts'

const types: Record<Exclude<ColumnType, 'text' | 'list'>, string> = { long: 'bigint', time: 'bigint', flag: 'boolean' }

/** The type of a column in a statement. */
export const columnType = (flavour: Flavour, type: ColumnType): RawBuilder<unknown> =>
  type === 'text' || type === 'list' ? flavour.text : sql.raw(types[type])

/** What a required column has where no default is declared, so that rows can be inserted once it is declared no more. */
const empty: Record<ColumnType, unknown> = { text: '', list: '[]', long: 0, time: 0, flag: false }

/** How the columns of a kind are defined. */
export function columnDefiner(flavour: Flavour, kind: RecordType): (column: DeclaredColumn) => RawBuilder<unknown> {
  const initial = initialValues(kind)
  return ({ name, type, nullable }) =>
    sql`${sql.ref(name)} ${columnType(flavour, type)} ${
      nullable ? sql`` : sql`not null default ${sql.lit(initial.get(name) ?? empty[type])}`
    }`
}
