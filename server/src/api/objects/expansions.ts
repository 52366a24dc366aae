import type { ContentRow } from '../../storage/content-tables.ts'
import type { Expansion } from './data-object.ts'

const NONE: readonly string[] = []

/** The keys in a list that is stored as JSON. Most lists have one, which is cut out. */
export function keysIn(value: unknown): readonly string[] {
  if (typeof value !== 'string' || value === '') return NONE
  const isOnePlainKey = value.startsWith('["') && value.indexOf('"', 2) === value.length - 2 && !value.includes('\\')
  return isOnePlainKey ? [value.slice(2, -2)] : JSON.parse(value)
}

const keyIn = (value: unknown): readonly string[] => (typeof value === 'string' && value !== '' ? [value] : NONE)

const inColumn =
  (read: (value: unknown) => readonly string[]) =>
  (to: string, column: string, field: string = column): Expansion => ({
    to,
    field,
    columns: [column],
    compile(placeOf) {
      const place = placeOf(column)
      return (row) => read(row[place])
    },
  })

/** An object whose key a column has. */
export const refersToOne = inColumn(keyIn)

/** Objects whose keys a column has as a JSON list. */
export const refersToMany = inColumn(keysIn)

/** What objects here never refer to: clients that ask for every expansion get none of these. */
export const refersToNone = (to: string, field: string): Expansion => ({ to, field, columns: [], compile: () => () => NONE })

/** Objects that a member of a JSON column names. A row without the member is not parsed. */
export const refersInJson = (
  to: string,
  { column, member, field = member }: { column: string; member: string; field?: string },
  // biome-ignore lint/suspicious/noExplicitAny: the shape of the member is known to the one who names it
  keysOf: (value: any) => readonly string[],
): Expansion => ({
  to,
  field,
  columns: [column],
  compile(placeOf) {
    const [place, quoted] = [placeOf(column), `"${member}"`]
    return (row: ContentRow) => {
      const value = row[place]
      return typeof value === 'string' && value.includes(quoted) ? keysOf(JSON.parse(value)[member] ?? []) : NONE
    }
  },
})
