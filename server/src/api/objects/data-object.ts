import type { ContentRow, ContentTable } from '../../storage/content-tables.ts'
import type { Scope } from '../declare/scopes.ts'
import { listOf, named, object, optional, type Params, type TSchema } from '../declare/words.ts'

/** What an answer shows depends on: who asks, when, and the relations that were loaded. */
export interface Shown {
  /** The user on whose behalf the app asks; undefined for an app alone. */
  viewerId: string | undefined
  /** What the viewer's OAuth 2.0 access token may do; undefined for other credentials, which no scope limits. */
  scopes?: readonly string[]
  nowMs: number
  /** `follow:<source>:<target>` and so on, of the viewer and the users of the answer. */
  relations: ReadonlySet<string>
}

/** Where a column stands in the rows that are read. */
export type PlaceOf = (column: string) => number

/** How a name is spelled in the answer. */
export type Spell = (name: string) => string

/** Writes the value of a field as JSON; undefined for a value that is left out: null, or an empty text or list. */
export type WriteField = (row: ContentRow, shown: Shown) => string | undefined

/** Values of columns: of `json` ones what the JSON says, of `time` ones milliseconds. */
export type ColumnValues = Readonly<Record<string, unknown>>

/** A field of a data object (§2.9). */
export interface ObjectField {
  /** Its type in answers. */
  word: TSchema
  /** In the answer whatever is selected: always, where the object has a value for it, or in the dialect `x` alone. */
  isDefault?: true | 'where present' | 'in x'
  /** The columns that it is made from. */
  columns: readonly string[]
  /**
   * Who may read it besides: `owner`, the user whose object it is; anybody else gets an error for it. `user`: it is about the user who asks, and
   * is left out for an app alone.
   */
  only?: 'owner' | 'user'
  /** An OAuth 2.0 access token needs this scope to read it; without it there is an error for it, as for anybody else. */
  scope?: Scope
  /** It needs the relations between the viewer and the user that it belongs to. */
  needsRelations?: true
  compile(placeOf: PlaceOf, spell: Spell): WriteField
  /** The values of columns that make a value of the field, for seeds. A field without it is computed from other things. */
  // biome-ignore lint/suspicious/noExplicitAny: a value of the type that the word declares
  read?(value: any): ColumnValues
}

/** An expansion (§2.9): which objects a field refers to. */
export interface Expansion {
  /** The kind of the objects that it adds to `includes`. */
  to: string
  /** The field that it adds to the objects from which it starts, because it carries the reference. */
  field: string
  columns: readonly string[]
  /** How the keys that a row refers to are read from it. */
  compile(placeOf: PlaceOf): (row: ContentRow) => readonly string[]
  /** It starts from the objects that another expansion added. */
  after?: string
}

export interface DataObjectDeclaration {
  /** Its name in parameters (`post.fields`), and in problems. */
  kind: string
  /** Its member of `includes`. */
  plural: string
  /** What messages call it: `post`. */
  title: string
  /** What the OpenAPI description calls it: `Post`. */
  schemaName: string
  /** The `resource_type` of its problems (§7). */
  resourceType: string
  table: ContentTable
  /** The column with the id of the user whose object it is. */
  owner?: string
  fields: Readonly<Record<string, ObjectField>>
  expansions?: Readonly<Record<string, Expansion>>
}

/** A declared data object. */
export interface DataObject extends DataObjectDeclaration {
  expansions: Readonly<Record<string, Expansion>>
  /** Its type in answers: the default fields are required, all others optional. */
  schema: TSchema
}

/** Declares a data object (§2.9). From its fields come what `*.fields` takes, its schema, the columns that are read and how it is written. */
export function dataObject(declared: DataObjectDeclaration): DataObject {
  const members: Params = Object.fromEntries(
    Object.entries(declared.fields).map(([name, { word, isDefault }]) => [name, isDefault === true ? word : optional(word)]),
  )
  for (const [name, { field }] of Object.entries(declared.expansions ?? {}))
    if (!(field in declared.fields)) throw new Error(`${declared.title}: the expansion ${name} names no field`)
  return { expansions: {}, ...declared, schema: named(declared.schemaName, object(members)) }
}

/** The type of `includes` with objects of these kinds. */
export const includesSchema = (kinds: readonly DataObject[]): TSchema =>
  object(Object.fromEntries(kinds.map(({ plural, schema }) => [plural, optional(listOf(schema))])))
