import { createHash } from 'node:crypto'
import type { Column, ListQuery } from '../storage/records.ts'
import { readMoment } from './ads-words.ts'
import { badTextIn } from './json.ts'
import { adsProblem } from './problem.ts'

const MARK_LENGTH = 12

/** What a cursor is tied to: all of a query but where it goes on and how much it wants. */
const markOf = (query: unknown) => createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, MARK_LENGTH)

const isOf: Record<Column['type'], (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  long: Number.isSafeInteger,
  flag: (value) => typeof value === 'boolean',
  time: (value) => typeof value === 'string' && readMoment(value) === value,
  list: () => false,
}

const refused = () =>
  adsProblem(
    'INVALID_PARAMETER',
    'Expected the next_cursor of the same list with the same parameters, got something else for cursor',
    'cursor',
  )

/** The cursor of the page after a record: opaque to clients, and good for this query alone. */
export function cursorAfter(record: { id: string }, query: Pick<ListQuery, 'sort'>, tiedTo: unknown): string {
  const values = query.sort.map(({ field }) => (record as unknown as Record<string, unknown>)[field])
  return markOf(tiedTo) + Buffer.from(JSON.stringify([values, record.id])).toString('base64url')
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor.slice(MARK_LENGTH), 'base64url').toString())
  } catch {
    throw refused()
  }
}

/** Where a cursor goes on. Throws 400 for one that is of another query, or none of ours. */
export function readCursor(
  cursor: string,
  { sort }: Pick<ListQuery, 'sort'>,
  columnOf: (field: string) => Column,
  tiedTo: unknown,
): NonNullable<ListQuery['after']> {
  if (!cursor.startsWith(markOf(tiedTo))) throw refused()
  const parsed = parse(cursor)
  const [values, id]: unknown[] = Array.isArray(parsed) ? parsed : []
  const fits = (value: unknown, index: number) => {
    const { type, nullable } = columnOf(sort[index]!.field)
    return value === null ? nullable : isOf[type](value)
  }
  if (!Array.isArray(values) || values.length !== sort.length || !values.every(fits)) throw refused()
  if (typeof id !== 'string' || badTextIn([values, id])) throw refused()
  return { values, id }
}
