import { isoMoment } from '../../lib/time.ts'
import type { ContentColumn, ContentTable } from '../../storage/content-tables.ts'
import { integer, object, optional, type Params, type TSchema } from '../declare/words.ts'
import type { ObjectField, WriteField } from './data-object.ts'

type WriteValue = (value: unknown) => string | undefined

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

/** How a value of each type of column is written. Empty lists and objects are left out like empty texts. */
const writers: Record<ContentColumn, WriteValue> = {
  text: (value) => (isEmpty(value) ? undefined : JSON.stringify(value)),
  bigid: (value) => (value === null ? undefined : `"${value}"`),
  number: (value) => (value === null ? undefined : String(value)),
  flag: (value) => (value ? 'true' : 'false'),
  time: (value) => (value === null ? undefined : `"${isoMoment(value as number)}"`),
  json: (value) => (isEmpty(value) || value === '[]' || value === '{}' ? undefined : (value as string)),
}

const same = (value: unknown) => value

/** A text that every answer has, even if it is empty. */
const writeAnyText: WriteValue = (value) => JSON.stringify(value ?? '')

/** How a value of each type of column is read from an answer's. */
const readers: Record<ContentColumn, (value: unknown) => unknown> = {
  text: same,
  number: same,
  flag: same,
  json: same,
  bigid: (value) => String(BigInt(value as string)),
  time: (value) => Date.parse(value as string),
}

type More = Partial<Pick<ObjectField, 'isDefault' | 'only' | 'scope' | 'needsRelations' | 'read'>>

/** The field without its way back: its values follow from other fields. */
export const computedOnly = ({ read: _, ...field }: ObjectField): ObjectField => field

/** A member of the column with the rare fields. */
const rare = (name: string, word: TSchema, column = 'more'): ObjectField => ({
  word,
  columns: [column],
  read: (value) => ({ [column]: { [name]: value } }),
  compile(placeOf) {
    const place = placeOf(column)
    return (row) => {
      const all = row[place]
      if (typeof all !== 'string' || !all.includes(`"${name}"`)) return undefined
      return JSON.stringify((JSON.parse(all) as Record<string, unknown>)[name])
    }
  },
})

/** A field that is computed from columns: `make` answers a value, or undefined for none. */
const computed = (
  columns: readonly string[],
  word: TSchema,
  make: (values: readonly unknown[], shown: Parameters<WriteField>[1]) => unknown,
  more: More = {},
): ObjectField => ({
  word,
  columns,
  ...more,
  compile(placeOf) {
    const places = columns.map(placeOf)
    return (row, shown) => {
      const value = make(
        places.map((place) => row[place]),
        shown,
      )
      return value === undefined ? undefined : JSON.stringify(value)
    }
  },
})

/** Makes the fields of one table. */
export function fieldsOf(table: ContentTable) {
  const writerOf = (column: string): WriteValue => {
    const type = table.columns[column]
    if (!type) throw new Error(`${table.name} has no column ${column}`)
    return writers[type]
  }

  /** A field that is a column. */
  const stored = (column: string, word: TSchema, more: More = {}): ObjectField => {
    const write = more.isDefault === true && table.columns[column] === 'text' ? writeAnyText : writerOf(column)
    return {
      word,
      columns: [column],
      ...more,
      read: (value) => ({ [column]: readers[table.columns[column]!](value) }),
      compile(placeOf) {
        const place = placeOf(column)
        return (row) => write(row[place])
      },
    }
  }

  /** An object whose members are numbers, one for each column: `public_metrics`. */
  const counts = (members: Readonly<Record<string, string>>, more: More = {}): ObjectField => ({
    word: object(Object.fromEntries(Object.keys(members).map((name) => [name, integer({ min: 0 })]))),
    ...more,
    columns: [...new Set(Object.values(members))],
    read: (value: Record<string, number>) => Object.fromEntries(Object.entries(value).map(([name, count]) => [members[name]!, count])),
    compile(placeOf, spell) {
      const parts = Object.entries(members).map(([name, column], index) => ({
        before: `${index === 0 ? '{' : ','}${JSON.stringify(spell(name))}:`,
        place: placeOf(column),
      }))
      return (row) => {
        let text = ''
        for (const { before, place } of parts) text += before + (row[place] ?? 0)
        return `${text}}`
      }
    },
  })

  /** An object made of columns, without those that are empty. */
  const group = (members: Readonly<Record<string, { column: string; word: TSchema }>>, more: More = {}): ObjectField => ({
    word: object(Object.fromEntries(Object.entries(members).map(([name, { word }]) => [name, optional(word)])) as Params),
    ...more,
    columns: Object.values(members).map(({ column }) => column),
    read: (value: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [members[name]!.column, readers[table.columns[members[name]!.column]!](inner)]),
      ),
    compile(placeOf, spell) {
      const parts = Object.entries(members).map(([name, { column }]) => ({
        name: JSON.stringify(spell(name)),
        place: placeOf(column),
        write: writerOf(column),
      }))
      return (row) => {
        const written = parts.flatMap(({ name, place, write }) => {
          const value = write(row[place])
          return value === undefined ? [] : [`${name}:${value}`]
        })
        return written.length > 0 ? `{${written.join()}}` : undefined
      }
    },
  })

  return { stored, counts, group, rare, computed }
}
