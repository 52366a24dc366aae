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
  /** Those of an object in `includes`. */
  includedFieldsOf(object: DataObject): readonly string[]
  /** Those that the parameter of the object names, without those that an expansion selects. */
  requestedFieldsOf(object: DataObject): readonly string[]
  expansions: readonly string[]
}

/**
 * Reads the selection from the parameters of a request. An expansion selects the field that carries its reference: of the main objects, and as
 * public practice has it of those of their kind in `includes`; one that starts from these, of these alone.
 */
export function selectionOf([main]: Kinds, params: Readonly<Record<string, unknown>>): Selection {
  const expansions = (params.expansions as string[] | undefined) ?? []
  const expansionOf = (name: string) => main.expansions[name]!
  const carried = expansions.map((name) => expansionOf(expansionOf(name).after ?? name).field)
  const carriedByIncluded = expansions.map((name) => expansionOf(name).field)
  const requestedFieldsOf = ({ kind }: DataObject) => (params[`${kind}.fields`] as string[] | undefined) ?? []
  return {
    expansions,
    requestedFieldsOf,
    fieldsOf: (object) => (object === main ? [...requestedFieldsOf(object), ...carried] : requestedFieldsOf(object)),
    includedFieldsOf: (object) => [...requestedFieldsOf(object), ...(object === main ? [...carried, ...carriedByIncluded] : [])],
  }
}
