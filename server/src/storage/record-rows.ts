import { wholeNumber } from '../lib/numbers.ts'
import { wholeSeconds } from '../lib/time.ts'
import { type ColumnType, columnsOf, type RecordType, type StoredRecord } from './records.ts'

/** A record as it is stored: its key and then the values of `columnsOf`, in that order; times in milliseconds, lists as JSON, a long as a number or digits. */
export type RecordRow = readonly unknown[]

/** The stored form of a value, as a record has it. */
export const readStored: Record<ColumnType, (value: unknown) => unknown> = {
  text: (value) => value,
  long: (value) => (typeof value === 'string' ? wholeNumber(value) : value),
  flag: Boolean,
  time: (value) => wholeSeconds(value as number),
  list: (value) => JSON.parse(value as string),
}

interface Place {
  field: string
  type: ColumnType
}

const places = new WeakMap<RecordType, readonly Place[]>()

/** What stands at each place of a row after the key. */
function placesOf(recordType: RecordType): readonly Place[] {
  const known = places.get(recordType) ?? Object.entries(columnsOf(recordType)).map(([field, { type }]) => ({ field, type }))
  places.set(recordType, known)
  return known
}

/** The place of a field in the rows of a record type, and its type; the key comes first. */
export function placeOfField(recordType: RecordType, field: string): { place: number; type: ColumnType } {
  if (field === recordType.key) return { place: 0, type: 'text' }
  const index = placesOf(recordType).findIndex((place) => place.field === field)
  return { place: index + 1, type: placesOf(recordType)[index]!.type }
}

/** Creates a function that makes records of rows, with their key and all fields or only some. */
export function recordReader<R extends StoredRecord>(recordType: RecordType<R>, fields?: readonly string[]): (row: RecordRow) => R {
  const { key } = recordType
  const read = placesOf(recordType)
    .map(({ field, type }, index) => ({ field, place: index + 1, from: readStored[type] }))
    .filter(({ field }) => fields?.includes(field) ?? true)
  return (row) => {
    const record: Record<string, unknown> = { [key]: row[0] }
    for (const { field, place, from } of read) {
      const value = row[place]
      record[field] = value === null || value === undefined ? null : from(value)
    }
    return record as object as R
  }
}

const readers = new WeakMap<RecordType, (row: RecordRow) => StoredRecord>()

/** The record of a row. */
export function recordOfRow<R extends StoredRecord>(recordType: RecordType<R>, row: RecordRow): R {
  const reader = readers.get(recordType) ?? recordReader(recordType)
  readers.set(recordType, reader)
  return reader(row) as R
}
