import { createHash } from 'node:crypto'
import { isLong, readExactJson, writeExactJson } from '../../lib/numbers.ts'
import type { Column, ListQuery } from '../../storage/records.ts'
import { parseMoment } from '../declare/ads-words.ts'
import type { Caller } from '../declare/auth.ts'
import type { Rule } from '../declare/rules.ts'
import { badTextIn } from '../read/json.ts'

const MARK_LENGTH = 12

/** What a cursor is tied to: all of a query but where it goes on and how much it wants. */
const markOf = (query: unknown) => createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, MARK_LENGTH)

const isOf: Record<Column['type'], (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  long: isLong,
  flag: (value) => typeof value === 'boolean',
  time: (value) => typeof value === 'string' && parseMoment(value) === value,
  list: () => false,
}

/** Where a list with these parameters goes on; undefined without a cursor, and with one of another list or none of ours. */
export type After = (params: Record<string, unknown>, caller?: Caller) => ListQuery['after']

/** Holds a cursor against the parameters that it depends on. One beside which there can be no total need not be right. */
export const cursorRule = (dependsOn: readonly string[], after: After): Rule => ({
  message: '`cursor` must be the next_cursor of the same list with the same parameters',
  parameters: ['cursor', ...dependsOn],
  code: 'INVALID_PARAMETER',
  holds: (params, caller) => params.cursor === undefined || params.with_total_count === true || after(params, caller) !== undefined,
})

const encode = (tiedTo: unknown, place: readonly [values: readonly unknown[], id: string]) =>
  markOf(tiedTo) + Buffer.from(writeExactJson(place)).toString('base64url')

/** The cursor of the page after a record: opaque to clients, and good for this query alone. */
export function cursorAfter(record: { id: string }, query: Pick<ListQuery, 'sort'>, tiedTo: unknown): string {
  const values = query.sort.map(({ field }) => (record as unknown as Record<string, unknown>)[field])
  return encode(tiedTo, [values, record.id])
}

function parse(cursor: string): unknown {
  try {
    return readExactJson(Buffer.from(cursor.slice(MARK_LENGTH), 'base64url').toString())
  } catch {
    return undefined
  }
}

/** Where a cursor goes on; undefined for what is no cursor of this query, to the letter. */
export function readCursor(
  cursor: unknown,
  { sort }: Pick<ListQuery, 'sort'>,
  columnOf: (field: string) => Column,
  tiedTo: unknown,
): ListQuery['after'] {
  const parsed = typeof cursor === 'string' ? parse(cursor) : undefined
  const [values, id]: unknown[] = Array.isArray(parsed) ? parsed : []
  const fits = (value: unknown, index: number) => {
    const { type, nullable } = columnOf(sort[index]!.field)
    return value === null ? nullable : isOf[type](value)
  }
  if (!Array.isArray(values) || values.length !== sort.length || !values.every(fits)) return undefined
  if (typeof id !== 'string' || badTextIn([values, id])) return undefined
  return cursor === encode(tiedTo, [values, id]) ? { values, id } : undefined
}
