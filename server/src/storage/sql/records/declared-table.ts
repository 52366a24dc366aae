import { type ColumnType, columnsOf, type RecordType } from '../../records.ts'
import { searchColumn } from './derived-columns.ts'
import { columnName, storedValue } from './row-codec.ts'

/** The columns that every table of records has besides its key. */
export const COMMON_COLUMNS = ['created_at_ms', 'updated_at_ms', 'deleted', 'hidden']

export interface DeclaredColumn {
  name: string
  type: ColumnType
  nullable: boolean
  /** Computed from fields of the record, and computed again whenever it is newly declared. */
  isDerived?: boolean
}

const required = (name: string): DeclaredColumn => ({ name, type: 'text', nullable: false })

/** The declared columns of a record type, besides its key. */
export function declaredColumns(kind: RecordType): DeclaredColumn[] {
  const search = searchColumn(kind)
  return [
    ...(kind.scope in kind.columns ? [] : [required(kind.scope)]),
    ...Object.entries(columnsOf(kind)).map(([field, { type, nullable }]) => ({ name: columnName(kind, field), type, nullable })),
    ...(search ? [{ ...required(search.name), isDerived: true }] : []),
    { name: 'hidden', type: 'flag', nullable: false },
  ]
}

/** The columns of the primary key. */
export const primaryKey = ({ key, keyUniqueIn, scope }: RecordType): string[] => (keyUniqueIn === 'scope' ? [key, scope] : [key])

/** The initial values of new columns, by column; a nullable one is null without one. */
export function initialValues(kind: RecordType): Map<string, unknown> {
  const defaults = Object.entries(kind.defaults ?? {}).map(([field, value]) => [columnName(kind, field), storedValue(kind, field, value)])
  const search = searchColumn(kind)
  return new Map<string, unknown>([
    ...(defaults as [string, unknown][]),
    ['hidden', false],
    ...(search ? [[search.name, ''] as const] : []),
  ])
}

export interface DeclaredIndex {
  name: string
  columns: string[]
}

/** The fields that records are found by: those of filters, and the one with the key of the parent. */
const foundBy = ({ childOf, filterable }: RecordType) => [...new Set([...(childOf ? [childOf.by] : []), ...filterable])]

/**
 * The indexes of a record type: one for each sort, each filter, each counter, and a search by prefix. A search by terms reads the records
 * of its scope in the order of the list, through the index of the sort.
 */
export function declaredIndexes(kind: RecordType): DeclaredIndex[] {
  const { table, scope, search } = kind
  const sorts = kind.listedFrom ? [] : [...new Set(['created_at', ...kind.sortable])]
  return [
    ...sorts.map((field) => ({ name: `${table}_by_${field}`, columns: [scope, 'hidden', columnName(kind, field), kind.key] })),
    ...foundBy(kind).map((field) => ({ name: `${table}_of_${field}`, columns: [scope, columnName(kind, field)] })),
    ...(kind.counted ?? []).map((field) => ({
      name: `${table}_counted_by_${field}`,
      columns: [scope, 'hidden', columnName(kind, field)],
    })),
    ...(search && 'prefixOf' in search ? [{ name: `${table}_by_prefix`, columns: [scope, searchColumn(kind)!.name] }] : []),
  ]
}
