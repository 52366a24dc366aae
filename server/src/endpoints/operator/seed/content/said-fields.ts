import { isDeepStrictEqual } from 'node:util'
import type { ColumnValues, DataObject } from '../../../../api/objects/data-object.ts'
import type { ContentRow, ContentTable } from '../../../../storage/content-tables.ts'
import type { ContentSeed } from '../content-words.ts'

/** A field of a data object as a seed has it, and the columns that it is stored in. */
export interface SaidField {
  field: string
  values: ColumnValues
}

/** The column of the rare fields, of which each is a member. */
const RARE = 'more'

/** The fields that a seed says and that are stored. The others are computed, so that an answer can be loaded as it is. */
export const saidFields = ({ fields }: DataObject, seed: ContentSeed): SaidField[] =>
  Object.entries(seed).flatMap(([field, value]) => {
    const read = fields[field]?.read
    return read && value !== undefined ? [{ field, values: read(value) }] : []
  })

/** The values of all columns that a seed says. */
export function saidColumns(said: readonly SaidField[]): Record<string, unknown> {
  const all: Record<string, unknown> = {}
  for (const { values } of said)
    for (const column in values) all[column] = column === RARE ? { ...(all[RARE] as object), ...(values[RARE] as object) } : values[column]
  return all
}

/** Counters go on from what a seed says: that they have changed since is no difference. */
export const isCounter = (column: string): boolean => /_(count|clicks)$/.test(column)

/** The values of a row: flags as booleans, JSON as what it says. */
export function readRow({ columns }: ContentTable, names: readonly string[], row: ContentRow): Record<string, unknown> {
  const read = (name: string, value: unknown) => {
    if (columns[name] === 'flag') return Boolean(value)
    return columns[name] === 'json' && typeof value === 'string' ? JSON.parse(value) : value
  }
  return Object.fromEntries(names.map((name, place) => [name, read(name, row[place])]))
}

const isSame = (said: unknown, existing: unknown) => isDeepStrictEqual(said, existing) || (said === '' && existing === null)

function differs(column: string, said: unknown, existing: unknown): boolean {
  if (isCounter(column)) return false
  if (column !== RARE) return !isSame(said, existing)
  return Object.entries(said as object).some(([name, value]) => !isSame(value, (existing as Record<string, unknown> | null)?.[name]))
}

/** The fields in which the existing row differs from a seed. */
export const differingFields = (said: readonly SaidField[], existing: Readonly<Record<string, unknown>>): string[] =>
  said
    .filter(({ values }) => Object.entries(values).some(([column, value]) => differs(column, value, existing[column])))
    .map(({ field }) => field)

/** The values of all columns of a table, as they are stored. */
export function storedRow({ columns }: ContentTable, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const stored = (name: string, value: unknown) => (columns[name] === 'json' && value !== null ? JSON.stringify(value) : value)
  return Object.fromEntries(Object.keys(columns).map((name) => [name, stored(name, values[name] ?? null)]))
}
