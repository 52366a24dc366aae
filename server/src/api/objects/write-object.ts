import { compileJsonObject } from '../../lib/json-members.ts'
import type { ContentRow } from '../../storage/content-tables.ts'
import type { Dialect } from '../declare/dialect.ts'
import type { DataObject, ObjectField, PlaceOf, Shown, WriteField } from './data-object.ts'

/** What of one kind of object a request asks for: the fields, and the columns that are read for them. */
export interface ObjectPlan {
  object: DataObject
  /** Those that were selected, and the default ones. */
  fields: readonly string[]
  /** Those of `fields` that only the dialect `x` has, because they were not selected. */
  onlyInX: ReadonlySet<string>
  columns: readonly string[]
  placeOf: PlaceOf
}

type WriteRow = (row: ContentRow, shown: Shown) => string

/** The column of the owner, where a field is shown to the owner alone. */
const ownerOf = ({ owner, fields }: DataObject, names: readonly string[]) =>
  owner !== undefined && names.some((name) => fields[name]!.only !== undefined) ? [owner] : []

/** Plans what is read of an object: the default fields, those that were selected, and columns for other purposes. */
export function planObject(object: DataObject, selected: readonly string[], more: readonly string[] = []): ObjectPlan {
  const wanted = new Set(selected)
  const fields = Object.keys(object.fields).filter((name) => object.fields[name]!.isDefault || wanted.has(name))
  const columns = [
    ...new Set([object.table.key, ...ownerOf(object, fields), ...fields.flatMap((name) => object.fields[name]!.columns), ...more]),
  ]
  const places = new Map(columns.map((column, place) => [column, place]))
  return {
    object,
    fields,
    onlyInX: new Set(fields.filter((name) => object.fields[name]!.isDefault === 'in x' && !wanted.has(name))),
    columns,
    placeOf(column) {
      const place = places.get(column)
      if (place === undefined) throw new Error(`${object.title}: the column ${column} is not read`)
      return place
    },
  }
}

/** Compiles how rows of a plan are written as JSON, in a dialect: a closure for each field, so that no object is made for a row. */
export function compileObjectWriter({ object, fields, onlyInX, placeOf }: ObjectPlan, dialect: Dialect): WriteRow {
  const { owner } = object
  const shown = dialect.name === 'x' ? fields : fields.filter((name) => !onlyInX.has(name))
  const members = shown.map((name) => {
    const { only, scope, compile } = object.fields[name]!
    const write: WriteField = compile(placeOf, dialect.out)
    return {
      name: dialect.out(name),
      write: only === undefined ? write : onlyFor({ only, scope }, owner === undefined ? undefined : placeOf(owner), write),
    }
  })
  return compileJsonObject(members)
}

/** Who may read a field. */
type Readers = Pick<ObjectField, 'only' | 'scope'>

/** Whether a viewer may read a field of the object of this owner. */
export function mayRead({ only, scope }: Readers, ownerId: unknown, { viewerId, scopes }: Pick<Shown, 'viewerId' | 'scopes'>): boolean {
  if (only === undefined) return true
  const hasScope = scope === undefined || scopes === undefined || scopes.includes(scope)
  return viewerId !== undefined && hasScope && (only === 'user' || ownerId === viewerId)
}

/** Writes a field for those who may read it. */
const onlyFor =
  (readers: Readers, ownerPlace: number | undefined, write: WriteField): WriteField =>
  (row, shown) =>
    mayRead(readers, ownerPlace === undefined ? undefined : row[ownerPlace], shown) ? write(row, shown) : undefined
