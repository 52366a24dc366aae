import { type RawBuilder, sql } from 'kysely'
import { wholeNumber } from '../../../lib/numbers.ts'
import { wholeSeconds } from '../../../lib/time.ts'
import { type ColumnType, columnsOf, fieldOf, type RecordType, type StoredRecord } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import { searchColumn } from './derived-columns.ts'

type Row = Record<string, unknown>

const nameOf = (field: string, type: ColumnType | undefined) => (type === 'time' ? `${field}_ms` : field)

/** The column of a field: times are stored in milliseconds since 1970. */
export const columnName = (kind: RecordType, field: string): string => nameOf(field, columnsOf(kind)[field]?.type)

const write: Record<ColumnType, (value: unknown) => unknown> = {
  text: (value) => value,
  long: (value) => value,
  flag: (value) => value,
  time: (value) => Date.parse(value as string),
  list: (value) => JSON.stringify(value),
}

const read: Record<ColumnType, (value: unknown) => unknown> = {
  text: (value) => value,
  long: (value) => (typeof value === 'string' ? wholeNumber(value) : value),
  flag: Boolean,
  time: (value) => wholeSeconds(value as number),
  list: (value) => JSON.parse(value as string),
}

/** A field's value as it is stored. */
export const storedValue = (kind: RecordType, field: string, value: unknown): unknown =>
  value === null || value === undefined ? null : field === kind.key ? value : write[columnsOf(kind)[field]!.type](value)

/** Throws when one of these fields is required and has no value. */
function assertValues(kind: RecordType, record: object, fields: readonly string[]) {
  const columns = columnsOf(kind)
  const missing = fields.filter((field) => !columns[field]?.nullable && (fieldOf(record, field) ?? null) === null)
  if (missing.length > 0) throw new Error(`A record of ${kind.table} needs a value for ${missing.join(', ')}`)
}

/**
 * Fields of a record as they are stored, and the columns that are computed from them.
 * @throws when one of the fields is required and has no value.
 */
export function toRow(kind: RecordType, record: object, fields: readonly string[] = [kind.key, ...Object.keys(columnsOf(kind))]): Row {
  const columns = columnsOf(kind)
  const stored = fields.filter((field) => field === kind.key || field in columns)
  assertValues(kind, record, stored)
  const row: Row = Object.fromEntries(stored.map((field) => [columnName(kind, field), storedValue(kind, field, fieldOf(record, field))]))
  const search = searchColumn(kind)
  if (search?.fields.some((field) => stored.includes(field))) row[search.name] = search.compute(record)
  return row
}

/** The lists of columns, each made once. */
const lists = new WeakMap<RecordType, Map<string, RawBuilder<unknown>>>()

function listColumns(kind: RecordType, flavour: Flavour, of: string) {
  const place = (column: string) => `${of}"${column}"`
  const columns = Object.entries(columnsOf(kind)).map(([field, { type }]) =>
    type === 'long' ? `${flavour.exactly(place(field))} as "${field}"` : place(nameOf(field, type)),
  )
  return sql.raw([place(kind.key), ...columns].join())
}

/** The columns that a reader of rows wants, for a statement. */
export function columnsRead(kind: RecordType, flavour: Flavour, of: '' | 'k.' | 't.'): RawBuilder<unknown> {
  const known = lists.get(kind) ?? new Map<string, RawBuilder<unknown>>()
  const key = flavour.name + of
  const list = known.get(key) ?? listColumns(kind, flavour, of)
  lists.set(kind, known.set(key, list))
  return list
}

/** The beginning of a statement whose rows a reader reads: all but its conditions. */
export const selectRows = (kind: RecordType, flavour: Flavour): RawBuilder<unknown> =>
  sql`select ${columnsRead(kind, flavour, '')} from ${sql.table(kind.table)}`

/** Reads rows of a record type. */
export function rowReader<R extends StoredRecord>(kind: RecordType<R>): (row: unknown) => R {
  const fields = Object.entries(columnsOf(kind)).map(([field, { type }]) => ({
    field,
    column: nameOf(field, type),
    from: read[type],
  }))
  return (row) => {
    const record: Row = { [kind.key]: (row as Row)[kind.key] }
    for (const { field, column, from } of fields) {
      const value = (row as Row)[column]
      record[field] = value === null || value === undefined ? null : from(value)
    }
    return record as object as R
  }
}
