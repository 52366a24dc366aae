import type { TArray, TObject } from 'typebox'
import type { Column, ColumnType, RecordType, StoredRecord } from '../../storage/records.ts'
import type { AdsCode } from '../declare/ads-codes.ts'
import { adsId, adsTime, isLongWord } from '../declare/ads-words.ts'
import { isStoredAsTime } from '../declare/codec.ts'
import { adsProblem } from '../declare/problem.ts'
import { boolean, notNull, object, type Params, type ParamsOf, type TSchema } from '../declare/words.ts'

/** A record as handlers have it: its own fields, and what every resource has. */
export type RecordOf<Fields extends Params> = StoredRecord & ParamsOf<Fields>

/** How a resource of the advertising API is declared: its table, its lists and its shape come from this. */
export interface ResourceDeclaration<Fields extends Params, Internal extends Params> {
  /** What messages call it: `Campaign`. */
  title: string
  /** Its name in documents, plural: the table, and what seeds call it. */
  name: string
  /** The code of its absence. */
  notFound: AdsCode
  fields: Fields
  /** Fields that are kept and never shown. */
  internal?: Internal
  /** Fields that are worked out whenever it is shown; `needsParent` when that takes what it is a part of. */
  derived?: Params
  derive?(record: RecordOf<Fields & Internal>, nowMs: number, parent?: StoredRecord): Record<string, unknown>
  needsParent?: boolean
  /** Fields that lists are sorted by, besides `created_at`, `updated_at` and `deleted`. */
  sortable?: readonly (keyof Fields & string)[]
  /** Fields that lists are filtered by, besides `id`. */
  filterable?: readonly (keyof Fields & string)[]
  /** Fields that an account's are counted by. */
  counted?: readonly (keyof Fields & string)[]
  hasPrefix?: boolean
  childOf?: { parent: RecordType; by: keyof Fields & string }
  /** Fields that it takes over from what it is a part of. */
  inherits?: readonly (keyof Fields & string)[]
  /** What one of a seed has besides when nothing is said. */
  seedDefaults?: Partial<ParamsOf<Fields>>
  /** What it has when nothing is said; what may be null is null. */
  defaults?: Partial<ParamsOf<Fields>>
  /** What follows from what was said, for a new one. */
  fill?(given: Partial<ParamsOf<Fields>>): Partial<ParamsOf<Fields>>
  history?: string
  scope?: string
  listedFrom?: RecordType['listedFrom']
}

export interface Resource<
  Fields extends Params = Params,
  Internal extends Params = Params,
  Title extends string = string,
  Name extends string = string,
> extends RecordType<RecordOf<Fields & Internal>> {
  title: Title
  table: Name
  fields: Fields
  /** Fields that it takes over from what it is a part of. */
  inherits: readonly string[]
  seedDefaults: Partial<ParamsOf<Fields>>
  /** What answers show. */
  schema: TObject
  list: TArray
  /** The fields of a new record: those that are given, and what follows from them and from what it is a part of. */
  complete(given: object, parent?: object): RecordOf<Fields & Internal>
  present(record: RecordOf<Fields & Internal>, nowMs: number, parent?: StoredRecord): Record<string, unknown>
  /** 404 for an id that none has. */
  absent(id: string, parameter?: string): Error
}

/** A resource of whichever fields. */
// biome-ignore lint/suspicious/noExplicitAny: what is general over resources asks for no field by its name
export type AnyResource = Resource<any, any>

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

/** Takes over the fields of these names; lists are long, hence the loop. */
const taker = (names: readonly string[]) => (record: Record<string, unknown>) => {
  const taken: Record<string, unknown> = {}
  for (const name of names) taken[name] = record[name]
  return taken
}

/** Declares a resource (§2.4): `id`, `created_at`, `updated_at` and `deleted` come with every one. */
export function resource<
  Fields extends Params,
  const Title extends string,
  const Name extends string,
  Internal extends Params = Record<never, never>,
>(declared: ResourceDeclaration<Fields, Internal> & { title: Title; name: Name }): Resource<Fields, Internal, Title, Name> {
  const { title, name, notFound, fields, internal = {} as Internal, derived = {}, derive } = declared
  const schema = object({ id: adsId(), ...fields, ...derived, ...COMMON })
  const shown = taker(['id', ...Object.keys(fields), ...Object.keys(COMMON)])
  const columns = Object.fromEntries(Object.entries({ ...fields, ...internal }).map(([name, word]) => [name, columnOf(word)]))
  return {
    title,
    table: name,
    scope: declared.scope ?? 'account_id',
    columns,
    defaults: declared.defaults,
    sortable: ['created_at', 'updated_at', 'deleted', ...(declared.sortable ?? [])],
    filterable: declared.filterable ?? [],
    counted: declared.counted,
    hasPrefix: declared.hasPrefix ?? false,
    childOf: declared.childOf,
    history: declared.history,
    listedFrom: declared.listedFrom,
    fields,
    inherits: declared.inherits ?? [],
    seedDefaults: declared.seedDefaults ?? {},
    schema: schema as unknown as TObject,
    list: { type: 'array', items: schema } as unknown as TArray,
    complete(given, parent) {
      const taken = Object.fromEntries(
        (declared.inherits ?? []).map((name) => [name, (parent as Record<string, unknown> | undefined)?.[name]]),
      )
      const unset = Object.fromEntries(Object.entries(columns).flatMap(([name, { nullable }]) => (nullable ? [[name, null]] : [])))
      const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      const known = { ...unset, ...declared.defaults, ...taken, ...said }
      return { ...known, ...declared.fill?.(known as Partial<ParamsOf<Fields>>) } as unknown as RecordOf<Fields & Internal>
    },
    needsParent: declared.needsParent ?? false,
    present: (record, nowMs, parent) => ({ ...shown(record as unknown as Record<string, unknown>), ...derive?.(record, nowMs, parent) }),
    absent: (id, parameter) => adsProblem(notFound, `${title} ${id} was not found`, parameter),
  }
}
