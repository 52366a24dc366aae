import { sha256Hex } from '../../../lib/crypto.ts'
import { type ColumnType, columnsOf, type RecordType } from '../../records.ts'
import { searchColumn } from './derived-columns.ts'
import { columnName, storedValue } from './row-codec.ts'

/** The columns that every table of records has besides its key. */
export const COMMON_COLUMNS = ['created_at_ms', 'updated_at_ms', 'deleted', 'hidden']

export interface DeclaredColumn {
  name: string
  type: ColumnType
  nullable: boolean
  /** Computed from fields of the record, for all records again when it is newly declared. */
  isDerived?: boolean
}

const required = (name: string): DeclaredColumn => ({ name, type: 'text', nullable: false })

/** The declared columns of a record type without its key. */
export function declaredColumns(recordType: RecordType): DeclaredColumn[] {
  const search = searchColumn(recordType)
  return [
    ...(recordType.scope in recordType.columns ? [] : [required(recordType.scope)]),
    ...Object.entries(columnsOf(recordType)).map(([field, { type, nullable }]) => ({
      name: columnName(recordType, field),
      type,
      nullable,
    })),
    ...(search ? [{ ...required(search.name), isDerived: true }] : []),
    { name: 'hidden', type: 'flag', nullable: false },
  ]
}

/** The columns of the primary key. */
export const primaryKey = ({ key, keyUniqueIn, scope }: RecordType): string[] => (keyUniqueIn === 'scope' ? [key, scope] : [key])

/** The initial values of new columns by column name. A nullable column without one starts as null. */
export function initialValues(recordType: RecordType): Map<string, unknown> {
  const defaults = Object.entries(recordType.defaults ?? {}).map(([field, value]) => [
    columnName(recordType, field),
    storedValue(recordType, field, value),
  ])
  const search = searchColumn(recordType)
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

/** PostgreSQL cuts longer names off, and would not be found to have them. */
const MAX_NAME = 63
const HASH_LENGTH = 8

/** A name of an index; of a long one the beginning, with a hash of the whole. */
const indexName = (name: string) =>
  name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - HASH_LENGTH - 1)}_${sha256Hex(name).slice(0, HASH_LENGTH)}`

/** The fields with a lookup index: those of filters, and the one with the parent's key. */
const lookupFields = ({ childOf, filterable }: RecordType) => [...new Set([...(childOf ? [childOf.by] : []), ...filterable])]

/** The indexes of lists: one for each sort field, and one for a search by prefix. With `part` the values of that field come first. */
function listIndexes(recordType: RecordType, part?: string): DeclaredIndex[] {
  const { table, scope, key, search } = recordType
  const sorts = recordType.listedFrom ? [] : [...new Set(['created_at', ...recordType.sortable])]
  const name = (by: string) => (part === undefined ? `${table}_by_${by}` : `${table}_of_${part}_by_${by}`)
  const within = part === undefined ? [scope] : [scope, part]
  const byPrefix = search !== undefined && 'prefixOf' in search
  return [
    ...sorts.map((field) => ({ name: name(field), columns: [...within, 'hidden', columnName(recordType, field), key] })),
    ...(byPrefix ? [{ name: name('prefix'), columns: [...within, searchColumn(recordType)!.name] }] : []),
  ]
}

/**
 * The indexes of a record type: those of its lists, one for each filter and each counter, and those that it declares. A search by terms has
 * none: it reads the records of its scope through the index of the sort.
 */
export function declaredIndexes(recordType: RecordType): DeclaredIndex[] {
  const { table, scope, dividedBy } = recordType
  const indexes = [
    ...listIndexes(recordType),
    ...(dividedBy === undefined ? [] : listIndexes(recordType, dividedBy)),
    ...lookupFields(recordType).map((field) => ({ name: `${table}_of_${field}`, columns: [scope, columnName(recordType, field)] })),
    ...(recordType.counted ?? []).map((field) => ({
      name: `${table}_counted_by_${field}`,
      columns: [scope, 'hidden', columnName(recordType, field)],
    })),
    ...(recordType.indexes ?? []).map((fields) => ({
      name: `${table}_with_${fields.join('_')}`,
      columns: fields.map((field) => columnName(recordType, field)),
    })),
  ]
  return indexes.map(({ name, columns }) => ({ name: indexName(name), columns }))
}
