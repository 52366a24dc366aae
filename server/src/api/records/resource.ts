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
import { adsId, adsTime, isLongWord } from '../declare/ads-words.ts'
import { isStoredAsTime } from '../declare/codec.ts'
import { adsProblem } from '../declare/problem.ts'
import { boolean, listOf, notNull, object, optional, type Params, type TSchema } from '../declare/words.ts'
import type { Brought, Filter, RecordOf, ResourceDeclaration, SeedRule } from './resource-declaration.ts'

/** A declared resource. Each one is assignable to `AnyResource`. */
export interface Resource<
  R extends StoredRecord = StoredRecord,
  Fields extends Params = Params,
  Title extends string = string,
  Name extends string = string,
> extends RecordType<R> {
  title: Title
  table: Name
  fields: Fields
  /** The type of its key. */
  keyWord: TSchema
  filters: Readonly<Record<string, Filter>>
  search?: Search & { max: number }
  inherits: readonly string[]
  /** The fields that answers have as they are stored, in their order; and those that are computed for each answer. */
  shownFields: readonly string[]
  derived: readonly string[]
  /** The fields that `computed` reads; undefined: any. */
  derivedFrom: readonly string[] | undefined
  /** Whether answers leave out fields that are unset. */
  omitsUnset: boolean
  rateLimit: 'core' | undefined
  seedDefaults: object
  seedRules: readonly SeedRule<R>[]
  fromSeed(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  brings?: Brought<R>
  /** The schema of a record in responses, and of a list of records. */
  schema: TObject
  list: TArray
  /** Completes a new record: adds inherited fields, defaults, and fields that depend on others. */
  complete(given: object, parent?: object): NewRecord<R>
  present(record: R, nowMs: number, parent?: StoredRecord, loaded?: unknown): Record<string, unknown>
  /** The computed fields alone. */
  computed(record: R, nowMs: number, parent?: StoredRecord, loaded?: unknown): Record<string, unknown>
  /** Loads what fields are computed from besides the record and its parent. */
  load?(records: readonly R[], accountId: string, services: object): Promise<ReadonlyMap<string, unknown>>
  /** 404 for an unknown key. `parameter` is the parameter with the key. */
  absent(key: string, parameter?: string): Error
}

/** A resource of any records. */
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

/** Returns a function that copies these fields; a loop, because lists are long. */
const picker = (names: readonly string[]) => (record: object) => {
  const picked: Record<string, unknown> = {}
  for (const name of names) picked[name] = fieldOf(record, name)
  return picked
}

const withoutUndefined = (given: object) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

const withoutUnset = (record: Record<string, unknown>) => Object.fromEntries(Object.entries(record).filter(([, value]) => value != null))

/** Fields that may be unset, as members that may be absent. */
const absentForNull = (fields: Params): Params =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { word, nullable } = notNull(field)
      return [name, nullable ? optional(word) : field]
    }),
  )

/** The name and the type of the key. */
function keyFrom(title: string, declared: Params = { id: adsId() }): [string, TSchema] {
  const [entry, ...others] = Object.entries(declared)
  if (!entry || others.length > 0 || columnOf(entry[1]).type !== 'text') throw new Error(`${title} needs one key, of text`)
  return entry
}

/** The fields of filters. Throws if a field does not support its filter. */
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

type Checked = Pick<AnyResource, 'title' | 'search'> & { childOf?: { by: string } }

/** Throws for an invalid key, parent or search. */
function assertDeclared({ title, search, childOf }: Checked, columns: RecordType['columns'], key: string) {
  if (key in columns) throw new Error(`${title}: the key ${key} is one of its fields too`)
  if (childOf && columns[childOf.by]?.nullable !== false)
    throw new Error(`${title}: every record has its parent, so ${childOf.by} is a field that is never null`)
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
  Loaded = unknown,
  Read extends keyof RecordOf<Fields & Internal, Key> & string = keyof RecordOf<Fields & Internal, Key> & string,
>(
  declared: ResourceDeclaration<Fields, Internal, Key, Parent, Loaded, RecordOf<Fields & Internal, Key>, Read> & {
    title: Title
    name: Name
  },
): Resource<RecordOf<Fields & Internal, Key>, Fields, Title, Name> {
  const { title, name, notFound, fields, inherits = [], filters = {}, omitsUnset = false } = declared
  const [key, keyWord] = keyFrom(title, declared.key)
  const members: Params = { [key]: keyWord, ...(omitsUnset ? absentForNull(fields) : fields), ...declared.derived, ...COMMON }
  const schema = object(members)
  const storedFields = [key, ...Object.keys(fields), ...Object.keys(COMMON)]
  const stored = picker(storedFields)
  const derived = Object.keys(declared.derived ?? {})
  const shownFields = storedFields.filter((name) => !derived.includes(name))
  const asStored = picker(shownFields)
  const columns = Object.fromEntries(Object.entries({ ...fields, ...declared.internal }).map(([name, word]) => [name, columnOf(word)]))
  assertDeclared(declared, columns, key)
  const nulls = Object.fromEntries(Object.keys(columns).flatMap((name) => (columns[name]!.nullable ? [[name, null]] : [])))
  const inherited = picker(inherits)
  const computed: Resource<RecordOf<Fields & Internal, Key>>['computed'] = (record, nowMs, parent, loaded) =>
    declared.derive?.(record, nowMs, parent as Parent | undefined, loaded as Loaded | undefined) ?? {}
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
    indexes: declared.indexes,
    search: declared.search,
    childOf: declared.childOf,
    history: declared.history,
    listedFrom: declared.listedFrom,
    fields,
    inherits,
    shownFields,
    derived,
    derivedFrom: declared.derivedFrom,
    omitsUnset,
    dividedBy: declared.dividedBy,
    only: declared.only,
    rateLimit: declared.rateLimit,
    seedDefaults: declared.seedDefaults ?? {},
    seedRules: declared.seedRules ?? [],
    fromSeed: declared.fromSeed ?? ((given) => given),
    brings: declared.brings,
    schema,
    list: listOf(schema),
    complete(given, parent = {}) {
      const known = { ...nulls, ...declared.defaults, ...inherited(parent), ...withoutUndefined(given) }
      return { ...known, ...declared.fill?.(known), ...declared.only } as NewRecord<RecordOf<Fields & Internal, Key>>
    },
    needsParent: declared.needsParent ?? false,
    computed,
    present(record, nowMs, parent, loaded) {
      const values = computed(record, nowMs, parent, loaded)
      return omitsUnset ? { ...withoutUnset(asStored(record)), ...withoutUndefined(values) } : { ...stored(record), ...values }
    },
    load: declared.load,
    absent: (key, parameter) => adsProblem(notFound, `${title} ${key} was not found`, parameter),
  }
}
