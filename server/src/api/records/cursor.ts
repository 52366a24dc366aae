import { createHash } from 'node:crypto'
import { fitsLong, isLong, readExactJson, writeExactJson } from '../../lib/numbers.ts'
import { type Column, fieldOf, type ListQuery } from '../../storage/records.ts'
import { parseMoment } from '../declare/ads-words.ts'
import type { Caller } from '../declare/auth.ts'
import type { Rule } from '../declare/rules.ts'
import { badTextIn } from '../read/json.ts'

const MARK_LENGTH = 12

/** A hash of what a cursor is tied to: the whole query but its place and its page size. */
const markOf = (query: unknown) => createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, MARK_LENGTH)

const isOf: Record<Column['type'], (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  long: isLong,
  flag: (value) => typeof value === 'boolean',
  time: (value) => typeof value === 'string' && parseMoment(value) === value,
  list: () => false,
}

/** Where a list with these parameters continues; undefined without a cursor, and for one that is not of this list. */
export type After<C extends Caller = Caller> = (params: Record<string, unknown>, caller?: C) => ListQuery['after']

/** Checks a cursor against the parameters that it depends on. Beside `with_total_count`, which excludes it, any cursor will do. */
export const cursorRule = <C extends Caller>(dependsOn: readonly string[], after: After<C>): Rule => ({
  message: '`cursor` must be the next_cursor of the same list with the same parameters',
  parameters: ['cursor', ...dependsOn],
  code: 'INVALID_PARAMETER',
  holds: (params, caller?: C) => params.cursor === undefined || params.with_total_count === true || after(params, caller) !== undefined,
})

type Place = NonNullable<ListQuery['after']>

/** The order of a list. `key`: the field of the record's key. */
type Order = Pick<ListQuery, 'sort'> & { key?: string }

const encode = (tiedTo: unknown, { values, key }: Place) =>
  markOf(tiedTo) + Buffer.from(writeExactJson([values, key])).toString('base64url')

/** The place after a record. */
export const placeAfter = (record: object, { sort, key = 'id' }: Order): Place => ({
  values: sort.map(({ field }) => fieldOf(record, field)),
  key: fieldOf(record, key) as string,
})

/** The cursor of the page after a record: opaque to clients, and valid for this query alone. */
export const cursorAfter = (record: object, order: Order, tiedTo: unknown): string => encode(tiedTo, placeAfter(record, order))

function parse(cursor: string): unknown {
  try {
    return readExactJson(Buffer.from(cursor.slice(MARK_LENGTH), 'base64url').toString())
  } catch {
    return undefined
  }
}

/** Where a cursor continues; undefined for anything that is not, to the letter, a cursor of this query. */
export function readCursor(
  cursor: unknown,
  { sort }: Pick<ListQuery, 'sort'>,
  columnOf: (field: string) => Column,
  tiedTo: unknown,
): ListQuery['after'] {
  const parsed = typeof cursor === 'string' ? parse(cursor) : undefined
  const [values, key]: unknown[] = Array.isArray(parsed) ? parsed : []
  const fits = (value: unknown, index: number) => {
    const { type, nullable } = columnOf(sort[index]!.field)
    return value === null ? nullable : isOf[type](value)
  }
  if (!Array.isArray(values) || values.length !== sort.length || !values.every(fits)) return undefined
  if (typeof key !== 'string' || badTextIn([values, key])) return undefined
  return cursor === encode(tiedTo, { values, key }) ? { values, key } : undefined
}

/** Whether a key is an id of the general API, as numbers of at most 64 bits are read. */
const isDecimal = (key: string) => /^\d{1,19}$/.test(key) && fitsLong(key)

/**
 * Pages of a list in the descending order of a field, which no record lacks: `decimal` for a key that is an id of the general API. `tiedTo`:
 * the query for which a cursor is valid. Its hash says no more than that: clients can make cursors with keys that no record has.
 */
export function pagesBy(field: string, type: Column['type'] | 'decimal', tiedTo: (params: Record<string, unknown>) => unknown) {
  const order = { sort: [{ field, descending: true }] }
  const column: Column = { type: type === 'decimal' ? 'text' : type, nullable: false }
  const after: After = (params) => {
    const place = readCursor(params.cursor, order, () => column, tiedTo(params))
    return type === 'decimal' && !isDecimal(place?.key ?? '') ? undefined : place
  }
  return {
    after,
    /** The page, of the records found: one more than its size where there is a next page, which `next_cursor` then begins. */
    pageOf<R extends object>(found: readonly R[], params: Record<string, unknown> & { count: number }) {
      const page = found.slice(0, params.count)
      const last = found.length > params.count ? page.at(-1) : undefined
      return { page, next_cursor: last ? cursorAfter(last, order, tiedTo(params)) : null }
    },
  }
}
