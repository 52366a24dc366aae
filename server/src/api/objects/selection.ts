import { nameList } from '../declare/name-list.ts'
import { optional, type Params } from '../declare/words.ts'
import type { DataObject } from './data-object.ts'

/** The kinds of objects that an endpoint's answers hold: the one that it is about first, then those in `includes`. */
export type Kinds = readonly [DataObject, ...DataObject[]]

/** The parameters with which a request shapes the answer (§2.9): `<kind>.fields` for each kind, and `expansions`. */
export function shapeParams([main, ...others]: Kinds): Params {
  const fields = [main, ...others].map(({ kind, title, fields }) => [
    `${kind}.fields`,
    optional(nameList(Object.keys(fields), { description: `The fields of each ${title}, besides the default ones.` })),
  ])
  const names = Object.keys(main.expansions)
  const expansions = names.length > 0 && {
    expansions: optional(nameList(names, { description: 'The objects that are added to `includes`.' })),
  }
  return { ...Object.fromEntries(fields), ...expansions }
}

/** What a request selected, by kind. */
export interface Selection {
  fieldsOf(object: DataObject): readonly string[]
  /** Those that the parameter of the object names, without those that an expansion selects. */
  requestedFieldsOf(object: DataObject): readonly string[]
  expansions: readonly string[]
}

/** Reads the selection from the parameters of a request. An expansion selects the field that carries its reference. */
export function selectionOf([main]: Kinds, params: Readonly<Record<string, unknown>>): Selection {
  const expansions = (params.expansions as string[] | undefined) ?? []
  const carried = expansions.map((name) => main.expansions[name]!.field)
  const requestedFieldsOf = ({ kind }: DataObject) => (params[`${kind}.fields`] as string[] | undefined) ?? []
  return {
    expansions,
    requestedFieldsOf,
    fieldsOf: (object) => (object === main ? [...requestedFieldsOf(object), ...carried] : requestedFieldsOf(object)),
  }
}
