import type { TArray, TObject, TString } from 'typebox'
import {
  type Column,
  type ColumnType,
  fieldOf,
  type NewRecord,
  type RecordType,
  type Search,
  type StoredRecord,
} from '../../storage/records.ts'
import type { AdsCode } from '../declare/ads-codes.ts'
import { adsId, adsTime, isLongWord } from '../declare/ads-words.ts'
import { isStoredAsTime } from '../declare/codec.ts'
import { adsProblem } from '../declare/problem.ts'
import { before } from '../declare/rules.ts'
import { boolean, listOf, notNull, object, type Params, type ParamsOf, type TSchema } from '../declare/words.ts'

/** A record as handlers have it: its key, its own fields, and what every record has. */
export type RecordOf<Fields extends Params, Key extends Params = { id: TString }> = StoredRecord & ParamsOf<Key> & ParamsOf<Fields>

/**
 * A filter of lists: `anyOf` takes a list of up to 200 values of a field of text, `equals` one value of a field of any type.
 * The values are of the field's own word.
 */
export type Filter<Field extends string = string> = { anyOf: Field } | { equals: Field }

/** A rule for records of a seed, beyond what their fields say. A refusal names the field, its value and what is wrong: `says`. */
export interface SeedRule<R = StoredRecord, Field extends string = string> {
  field: Field
  says: string
  /** `count` counts the visible records of the same resource and account that have some values. */
  holds(record: R, count: (equal: Readonly<Record<string, unknown>>) => Promise<number>): boolean | Promise<boolean>
}

const startsBeforeEnd = before('start_time', 'end_time')

export const endsAfterStart: SeedRule<StoredRecord, 'end_time'> = {
  field: 'end_time',
  says: 'must lie after start_time',
  holds: (record) => startsBeforeEnd.holds({ ...record }),
}

/** How a resource of the advertising API is declared: its table, its lists and its answers come from this. */
export interface ResourceDeclaration<
  Fields extends Params,
  Internal extends Params,
  Key extends Params,
  Parent extends StoredRecord,
  R extends StoredRecord = RecordOf<Fields & Internal, Key>,
> {
  /** Its name in messages: `Campaign`. */
  title: string
  /** Its name in documents, plural: the table, and its member in seeds. */
  name: string
  /** Error code when the record does not exist. */
  notFound: AdsCode
  /**
   * The field that identifies a record, and its word; `id`, base 36, by default. A key that is declared is unique within its account,
   * because clients may have chosen it; an `id` of Postern's own making is unique everywhere.
   */
  key?: Key
  fields: Fields
  /** Fields that are stored and never shown. */
  internal?: Internal
  /** Fields that are computed for each answer; `needsParent` when that takes the parent. */
  derived?: Params
  derive?(record: R, nowMs: number, parent?: Parent): Record<string, unknown>
  needsParent?: boolean
  /** Fields that lists are sorted by, besides `created_at`, `updated_at` and `deleted`. */
  sortable?: readonly (keyof Fields & string)[]
  /** Parameters that filter lists, each with the field that it is compared with. */
  filters?: Readonly<Record<string, Filter<keyof NoInfer<Key & Fields> & string>>>
  /** What the parameter `q` of lists searches, and its greatest length. */
  search?: ({ prefixOf: keyof Fields & string } | { termsOf: readonly (keyof Fields & string)[] }) & { max: number }
  /** Fields with a counter per account. */
  counted?: readonly (keyof Fields & string)[]
  /** Its parent, and the field with the parent's key. */
  childOf?: { parent: RecordType<Parent>; by: keyof Fields & string }
  /** Fields that it takes over from its parent. */
  inherits?: readonly (keyof Fields & string)[]
  /** Values of missing fields; a nullable field is null without one. */
  defaults?: Partial<ParamsOf<Fields>>
  /** More defaults, for records of a seed. */
  seedDefaults?: Partial<ParamsOf<Fields>>
  /** Rules for records of a seed, besides those of their fields, their parent and what they inherit. */
  seedRules?: readonly SeedRule<R, keyof NoInfer<R> & string>[]
  /** Fields of a new record that depend on the others. */
  fill?(given: Partial<ParamsOf<Fields>>): Partial<ParamsOf<Fields>>
  /** Its name in the account history; without one its changes are not recorded. */
  history?: string
  /** `core` if its reads are counted for each account. */
  rateLimit?: 'core'
  scope?: string
  listedFrom?: RecordType['listedFrom']
}

/** A declared resource. Every one is also a `Resource` of whichever records and fields: `AnyResource`. */
export interface Resource<
  R extends StoredRecord = StoredRecord,
  Fields extends Params = Params,
  Title extends string = string,
  Name extends string = string,
> extends RecordType<R> {
  title: Title
  table: Name
  fields: Fields
  /** The word of its key. */
  keyWord: TSchema
  filters: Readonly<Record<string, Filter>>
  search?: Search & { max: number }
  inherits: readonly string[]
  rateLimit: 'core' | undefined
  seedDefaults: object
  seedRules: readonly SeedRule<R>[]
  /** The schema of a record in answers, and of a list of them. */
  schema: TObject
  list: TArray
  /** A new record: the fields that are given, those of its parent, defaults, and what depends on them. */
  complete(given: object, parent?: object): NewRecord<R>
  present(record: R, nowMs: number, parent?: StoredRecord): Record<string, unknown>
  /** 404 for a key that no record has; `parameter` is the one that the key came in. */
  absent(key: string, parameter?: string): Error
}

/** A resource of whichever records. */
export type AnyResource = Resource

function columnTypeOf(word: TSchema): ColumnType {
  const { type } = word as { type?: string }
  if (isStoredAsTime(word)) return 'time'
  return isLongWord(word) || type === 'integer' ? 'long' : type === 'boolean' ? 'flag' : type === 'array' ? 'list' : 'text'
}

function columnOf(field: TSchema): Column {
  const { word, nullable } = notNull(field)
  return { type: columnTypeOf(word), nullable }
}

const COMMON = { created_at: adsTime(), updated_at: adsTime(), deleted: boolean() }

/** Copies the fields of these names; a loop, because lists are long. */
const picker = (names: readonly string[]) => (record: object) => {
  const picked: Record<string, unknown> = {}
  for (const name of names) picked[name] = fieldOf(record, name)
  return picked
}

const withoutUndefined = (given: object) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

/** The name and the word of the key. */
function keyFrom(title: string, declared: Params = { id: adsId() }): [string, TSchema] {
  const [entry, ...others] = Object.entries(declared)
  if (!entry || others.length > 0 || columnOf(entry[1]).type !== 'text') throw new Error(`${title} needs one key, of text`)
  return entry
}

/** The fields of filters, each of which must be able to be compared so. */
function filteredFields(title: string, filters: Readonly<Record<string, Filter>>, columns: RecordType['columns'], key: string): string[] {
  const fields = Object.entries(filters).flatMap(([parameter, filter]) => {
    const field = 'anyOf' in filter ? filter.anyOf : filter.equals
    const type = field === key ? 'text' : columns[field]?.type
    if (type === undefined || type === 'list' || ('anyOf' in filter && type !== 'text'))
      throw new Error(`${title}: the filter ${parameter} cannot compare the field ${field}`)
    return field === key ? [] : [field]
  })
  return [...new Set(fields)]
}

/** Throws for a key or a search that a table cannot have. */
function assertDeclared({ title, search }: Pick<AnyResource, 'title' | 'search'>, columns: RecordType['columns'], key: string) {
  if (key in columns) throw new Error(`${title}: the key ${key} is one of its fields too`)
  const searched = search === undefined ? [] : 'prefixOf' in search ? [search.prefixOf] : search.termsOf
  const other = searched.find((field) => columns[field]?.type !== 'text')
  if (other !== undefined) throw new Error(`${title}: the field ${other} cannot be searched`)
}

/** Declares a resource (§2.4): its key, `created_at`, `updated_at` and `deleted` come with every one. */
export function resource<
  Fields extends Params,
  const Title extends string,
  const Name extends string,
  Internal extends Params = Record<never, never>,
  Key extends Params = { id: TString },
  Parent extends StoredRecord = StoredRecord,
>(
  declared: ResourceDeclaration<Fields, Internal, Key, Parent> & { title: Title; name: Name },
): Resource<RecordOf<Fields & Internal, Key>, Fields, Title, Name> {
  const { title, name, notFound, fields, inherits = [], filters = {} } = declared
  const [key, keyWord] = keyFrom(title, declared.key)
  const members: Params = { [key]: keyWord, ...fields, ...declared.derived, ...COMMON }
  const schema = object(members)
  const stored = picker([key, ...Object.keys(fields), ...Object.keys(COMMON)])
  const columns = Object.fromEntries(Object.entries({ ...fields, ...declared.internal }).map(([name, word]) => [name, columnOf(word)]))
  assertDeclared(declared, columns, key)
  const nulls = Object.fromEntries(Object.keys(columns).flatMap((name) => (columns[name]!.nullable ? [[name, null]] : [])))
  const inherited = picker(inherits)
  return {
    title,
    table: name,
    key,
    keyWord,
    keyUniqueIn: declared.key ? 'scope' : 'table',
    scope: declared.scope ?? 'account_id',
    columns,
    defaults: declared.defaults,
    sortable: ['created_at', 'updated_at', 'deleted', ...(declared.sortable ?? [])],
    filters,
    filterable: filteredFields(title, filters, columns, key),
    counted: declared.counted,
    search: declared.search,
    childOf: declared.childOf,
    history: declared.history,
    listedFrom: declared.listedFrom,
    fields,
    inherits,
    rateLimit: declared.rateLimit,
    seedDefaults: declared.seedDefaults ?? {},
    seedRules: declared.seedRules ?? [],
    schema,
    list: listOf(schema),
    complete(given, parent = {}) {
      const known = { ...nulls, ...declared.defaults, ...inherited(parent), ...withoutUndefined(given) }
      return { ...known, ...declared.fill?.(known) } as NewRecord<RecordOf<Fields & Internal, Key>>
    },
    needsParent: declared.needsParent ?? false,
    present: (record, nowMs, parent) => ({ ...stored(record), ...declared.derive?.(record, nowMs, parent as Parent | undefined) }),
    absent: (key, parameter) => adsProblem(notFound, `${title} ${key} was not found`, parameter),
  }
}
