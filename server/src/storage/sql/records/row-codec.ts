import { type RawBuilder, sql } from 'kysely'
import { readStored } from '../../record-rows.ts'
import { type ColumnType, columnsOf, fieldOf, type RecordType, type StoredRecord } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import { searchColumn } from './derived-columns.ts'

type Row = Record<string, unknown>

const nameOf = (field: string, type: ColumnType | undefined) => (type === 'time' ? `${field}_ms` : field)

/** The column of a field. Times are stored in milliseconds since 1970. */
export const columnName = (recordType: RecordType, field: string): string => nameOf(field, columnsOf(recordType)[field]?.type)

const write: Record<ColumnType, (value: unknown) => unknown> = {
  text: (value) => value,
  long: (value) => value,
  flag: (value) => value,
  time: (value) => Date.parse(value as string),
  list: (value) => JSON.stringify(value),
}

/** The stored form of a field's value. */
export const storedValue = (recordType: RecordType, field: string, value: unknown): unknown =>
  value === null || value === undefined ? null : field === recordType.key ? value : write[columnsOf(recordType)[field]!.type](value)

/** Throws if a required one of these fields has no value. */
function assertValues(recordType: RecordType, record: object, fields: readonly string[]) {
  const columns = columnsOf(recordType)
  const missing = fields.filter((field) => !columns[field]?.nullable && (fieldOf(record, field) ?? null) === null)
  if (missing.length > 0) throw new Error(`A record of ${recordType.table} needs a value for ${missing.join(', ')}`)
}

/**
 * The columns of these fields of a record, and the derived columns computed from them.
 * @throws if a required one of the fields has no value.
 */
export function toRow(
  recordType: RecordType,
  record: object,
  fields: readonly string[] = [recordType.key, ...Object.keys(columnsOf(recordType))],
): Row {
  const columns = columnsOf(recordType)
  const stored = fields.filter((field) => field === recordType.key || field in columns)
  assertValues(recordType, record, stored)
  const row: Row = Object.fromEntries(
    stored.map((field) => [columnName(recordType, field), storedValue(recordType, field, fieldOf(record, field))]),
  )
  const search = searchColumn(recordType)
  if (search?.fields.some((field) => stored.includes(field))) row[search.name] = search.compute(record)
  return row
}

/** Cached column lists. */
const lists = new WeakMap<RecordType, Map<string, RawBuilder<unknown>>>()

function listColumns(recordType: RecordType, flavour: Flavour, of: string) {
  const quoted = (column: string) => `${of}"${column}"`
  const columns = Object.entries(columnsOf(recordType)).map(([field, { type }]) =>
    type === 'long' ? `${flavour.exactly(quoted(field))} as "${field}"` : quoted(nameOf(field, type)),
  )
  return sql.raw([quoted(recordType.key), ...columns].join())
}

/** The column list that `rowReader` needs. */
export function columnsRead(recordType: RecordType, flavour: Flavour, of: '' | 'k.' | 't.'): RawBuilder<unknown> {
  const cached = lists.get(recordType) ?? new Map<string, RawBuilder<unknown>>()
  const key = flavour.name + of
  const list = cached.get(key) ?? listColumns(recordType, flavour, of)
  lists.set(recordType, cached.set(key, list))
  return list
}

/** A select statement for `rowReader`, without its conditions. */
export const selectRows = (recordType: RecordType, flavour: Flavour): RawBuilder<unknown> =>
  sql`select ${columnsRead(recordType, flavour, '')} from ${sql.table(recordType.table)}`

/** Creates a function that converts rows to records. */
export function rowReader<R extends StoredRecord>(recordType: RecordType<R>): (row: unknown) => R {
  const fields = Object.entries(columnsOf(recordType)).map(([field, { type }]) => ({
    field,
    column: nameOf(field, type),
    from: readStored[type],
  }))
  return (row) => {
    const record: Row = { [recordType.key]: (row as Row)[recordType.key] }
    for (const { field, column, from } of fields) {
      const value = (row as Row)[column]
      record[field] = value === null || value === undefined ? null : from(value)
    }
    return record as object as R
  }
}
