import { type RawBuilder, sql } from 'kysely'
import { wholeNumber } from '../../../lib/numbers.ts'
import { foldCase } from '../../../lib/text.ts'
import { wholeSeconds } from '../../../lib/time.ts'
import { type ColumnType, columnsOf, type RecordType, type StoredRecord } from '../../records.ts'
import type { Flavour } from '../flavour.ts'

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
  value === null || value === undefined ? null : field === 'id' ? value : write[columnsOf(kind)[field]!.type](value)

/** Fields as they are stored; the folded name comes with the name. */
export function toRow(kind: RecordType, fields: Row): Row {
  const row: Row = {}
  const columns = columnsOf(kind)
  for (const [field, value] of Object.entries(fields)) {
    if (field === 'id') row.id = value
    else if (field in columns) row[columnName(kind, field)] = storedValue(kind, field, value)
  }
  if (kind.hasPrefix && fields.name !== undefined) row.name_key = foldCase((fields.name as string | null) ?? '')
  return row
}

/** The lists of columns, each made once. */
const lists = new WeakMap<RecordType, Map<string, RawBuilder<unknown>>>()

function listColumns(kind: RecordType, flavour: Flavour, of: string) {
  const place = (column: string) => `${of}"${column}"`
  const columns = Object.entries(columnsOf(kind)).map(([field, { type }]) =>
    type === 'long' ? `${flavour.exactly(place(field))} as "${field}"` : place(nameOf(field, type)),
  )
  return sql.raw([place('id'), ...columns].join())
}

/** The columns that a reader of rows wants, for a statement. */
export function columnsRead(kind: RecordType, flavour: Flavour, of: '' | 'k.' | 't.'): RawBuilder<unknown> {
  const known = lists.get(kind) ?? new Map<string, RawBuilder<unknown>>()
  const key = flavour.name + of
  const list = known.get(key) ?? listColumns(kind, flavour, of)
  lists.set(kind, known.set(key, list))
  return list
}

/** The beginning of a statement whose rows a reader reads: all but which of them. */
export const selectRows = (kind: RecordType, flavour: Flavour): RawBuilder<unknown> =>
  sql`select ${columnsRead(kind, flavour, '')} from ${sql.table(kind.table)}`

/** Reads rows of a kind. */
export function rowReader<R extends StoredRecord>(kind: RecordType<R>): (row: unknown) => R {
  const fields = Object.entries(columnsOf(kind)).map(([field, { type }]) => ({
    field,
    column: nameOf(field, type),
    from: read[type],
  }))
  return (row) => {
    const record: Row = { id: (row as Row).id }
    for (const { field, column, from } of fields) {
      const value = (row as Row)[column]
      record[field] = value === null || value === undefined ? null : from(value)
    }
    return record as unknown as R
  }
}
