import { type ColumnType, columnsOf, type RecordType } from '../../records.ts'
import { columnName, storedValue } from './row-codec.ts'

/** The folded name, which lists are filtered by the beginning of. */
export const NAME_KEY = 'name_key'

/** The columns of every declared kind. */
export const COMMON_COLUMNS = ['id', 'created_at_ms', 'updated_at_ms', 'deleted', 'hidden']

export interface DeclaredColumn {
  name: string
  type: ColumnType
  nullable: boolean
}

/** The columns that a kind wants, besides its id. */
export const declaredColumns = (kind: RecordType): DeclaredColumn[] => [
  ...(kind.scope in kind.columns ? [] : [{ name: kind.scope, type: 'text' as const, nullable: false }]),
  ...Object.entries(columnsOf(kind)).map(([field, { type, nullable }]) => ({ name: columnName(kind, field), type, nullable })),
  ...(kind.hasPrefix ? [{ name: NAME_KEY, type: 'text' as const, nullable: false }] : []),
  { name: 'hidden', type: 'flag', nullable: false },
]

/** What is stored in a column where nothing is said, by column; what may be null is null. */
export const initialValues = (kind: RecordType): Map<string, unknown> =>
  new Map([
    ...Object.entries(kind.defaults ?? {}).map(
      ([field, value]) => [columnName(kind, field), storedValue(kind, field, value)] as [string, unknown],
    ),
    [NAME_KEY, ''],
    ['hidden', false],
  ])

export interface DeclaredIndex {
  name: string
  columns: string[]
}

/** The indexes by which a kind is listed and counted: one for each sort, each filter, the name's beginning and each field that is counted by. */
export function declaredIndexes(kind: RecordType): DeclaredIndex[] {
  const sorts = kind.listedFrom ? [] : [...new Set(['created_at', ...kind.sortable])]
  return [
    ...sorts.map((field) => ({
      name: `${kind.table}_by_${field}`,
      columns: [kind.scope, 'hidden', columnName(kind, field), 'id'],
    })),
    ...kind.filterable.map((field) => ({ name: `${kind.table}_of_${field}`, columns: [kind.scope, columnName(kind, field)] })),
    ...(kind.counted ?? []).map((field) => ({
      name: `${kind.table}_counted_by_${field}`,
      columns: [kind.scope, 'hidden', columnName(kind, field)],
    })),
    ...(kind.hasPrefix ? [{ name: `${kind.table}_by_prefix`, columns: [kind.scope, NAME_KEY] }] : []),
  ]
}
