import type { ContentRow } from '../../storage/content-tables.ts'
import type { Dialect } from '../declare/dialect.ts'
import type { DataObject, PlaceOf, Shown, WriteField } from './data-object.ts'

/** What of one kind of object a request asks for: the fields, and the columns that are read for them. */
export interface ObjectPlan {
  object: DataObject
  fields: readonly string[]
  columns: readonly string[]
  placeOf: PlaceOf
}

type WriteRow = (row: ContentRow, shown: Shown) => string

/** Plans what is read of an object: the default fields, those that were selected, and columns for other purposes. */
export function planObject(object: DataObject, selected: readonly string[], more: readonly string[] = []): ObjectPlan {
  const wanted = new Set(selected)
  const fields = Object.keys(object.fields).filter((name) => object.fields[name]!.isDefault || wanted.has(name))
  const columns = [...new Set([object.table.key, ...fields.flatMap((name) => object.fields[name]!.columns), ...more])]
  const places = new Map(columns.map((column, place) => [column, place]))
  return {
    ...{ object, fields, columns },
    placeOf(column) {
      const place = places.get(column)
      if (place === undefined) throw new Error(`${object.title}: the column ${column} is not read`)
      return place
    },
  }
}

/** Compiles how rows of a plan are written as JSON, in a dialect: a closure for each field, so that no object is made for a row. */
export function compileObjectWriter({ object, fields, placeOf }: ObjectPlan, dialect: Dialect): WriteRow {
  const { owner } = object
  const ownerPlace = owner !== undefined && fields.some((name) => object.fields[name]!.only === 'owner') ? placeOf(owner) : undefined
  const parts = fields.map((name) => {
    const { only, compile } = object.fields[name]!
    const write: WriteField = compile(placeOf, dialect.out)
    return { before: `${JSON.stringify(dialect.out(name))}:`, only, write }
  })
  return (row, shown) => {
    let text = ''
    for (const { before, only, write } of parts) {
      if (only !== undefined && (shown.viewerId === undefined || (only === 'owner' && row[ownerPlace!] !== shown.viewerId))) continue
      const value = write(row, shown)
      if (value !== undefined) text += (text === '' ? before : `,${before}`) + value
    }
    return `{${text}}`
  }
}
