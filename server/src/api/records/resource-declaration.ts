import type { TString } from 'typebox'
import type { AccountTransaction, RecordType, StoredRecord } from '../../storage/records.ts'
import type { AdsCode } from '../declare/codes.ts'
import { before } from '../declare/rules.ts'
import type { Params, ParamsOf } from '../declare/words.ts'

/** A record as handlers see it: its key, its own fields, and the common fields of every record. */
export type RecordOf<Fields extends Params, Key extends Params = { id: TString }> = StoredRecord & ParamsOf<Key> & ParamsOf<Fields>

/**
 * A filter of lists. `anyOf` takes up to 200 values of a text field, `equals` one value of a field of any type. The values have the type of
 * the field.
 */
export type Filter<Field extends string = string> = { anyOf: Field } | { equals: Field }

/** A rule for records of a seed, besides the types of their fields. The error has the field, its value and the message. */
export interface SeedRule<R = StoredRecord, Field extends string = string> {
  field: Field
  /** What is wrong with the field; follows its value in a sentence. */
  message: string
  /** `count` counts the visible records of the same resource and account that have some values. */
  holds(record: R, count: (equal: Readonly<Record<string, unknown>>) => Promise<number>): boolean | Promise<boolean>
}

/** What comes with a new record: a record of `resource`, whose id `newId` makes; undefined where nothing does. */
export interface Brought<R = StoredRecord> {
  resource: RecordType
  add(transaction: AccountTransaction, record: R, newId: (given: object) => string): Promise<StoredRecord | undefined>
}

const startsBeforeEnd = before('start_time', 'end_time')

export const endsAfterStart: SeedRule<StoredRecord, 'end_time'> = {
  field: 'end_time',
  message: 'must lie after start_time',
  holds: (record) => startsBeforeEnd.holds({ ...record }),
}

/** The declaration of a resource of the advertising API. Its table, lists, answers, seeds and history are derived from it. */
export interface ResourceDeclaration<
  Fields extends Params,
  Internal extends Params,
  Key extends Params,
  Parent extends StoredRecord,
  Loaded = unknown,
  R extends StoredRecord = RecordOf<Fields & Internal, Key>,
  Read extends keyof R & string = keyof R & string,
> {
  /** Its name in messages: `Campaign`. */
  title: string
  /** Its name in documents, plural: the table, and its member in seeds. */
  name: string
  /** Error code when the record does not exist. */
  notFound: AdsCode
  /**
   * The field that identifies a record, and its type; by default `id`, base 36. A declared key is unique within its account, because clients
   * may have chosen it. A generated `id` is unique everywhere.
   */
  key?: Key
  fields: Fields
  /** Fields that are stored and never shown. */
  internal?: Internal
  /** Fields that are computed for each response, stored ones too if the response has another value; with `needsParent` the function gets the parent. */
  derived?: Params
  /** The fields that `derive` reads, so that lists make records of no others for it; by default all. */
  derivedFrom?: readonly Read[]
  derive?(record: Pick<NoInfer<R>, NoInfer<Read>>, nowMs: number, parent?: Parent, loaded?: Loaded): Record<string, unknown>
  /**
   * Loads what the fields of these records are computed from and the records do not hold, by their keys. `accountId` is the account for
   * which they are shown; `services` are those of the endpoint.
   */
  load?(records: readonly R[], accountId: string, services: object): Promise<ReadonlyMap<string, Loaded>>
  needsParent?: boolean
  /** Answers leave out stored fields that are unset, instead of null. What is computed is left out if it is undefined. */
  omitsUnset?: boolean
  /** Where several resources share a table: the values of fields that its records have, and those of the others do not. */
  only?: Readonly<Record<string, string>>
  /** With `only`: the field that tells the resources of the table apart. Lists of each have indexes of their own. */
  dividedBy?: keyof NoInfer<Fields & Internal> & string
  /** Fields that lists are sorted by, besides `created_at`, `updated_at` and `deleted`. */
  sortable?: readonly (keyof Fields & string)[]
  /** Parameters that filter lists, each with the field that it filters. */
  filters?: Readonly<Record<string, Filter<keyof NoInfer<Key & Fields> & string>>>
  /** What the parameter `q` of lists searches, and its maximum length. */
  search?: ({ prefixOf: keyof Fields & string } | { termsOf: readonly (keyof Fields & string)[] }) & { max: number }
  /** Fields with a counter per account. */
  counted?: readonly (keyof Fields & string)[]
  /** Further indexes, each a list of fields or of columns that every record has. */
  indexes?: readonly (readonly string[])[]
  /** Its parent, and the field with the parent's key. */
  childOf?: { parent: RecordType<Parent>; by: keyof Fields & string }
  /** Fields that are copied from its parent. */
  inherits?: readonly (keyof Fields & string)[]
  /** Values of missing fields; a nullable field is null without one. */
  defaults?: Partial<ParamsOf<Fields>>
  /** More defaults, for records of a seed. */
  seedDefaults?: Partial<ParamsOf<Fields>>
  /** Rules for records of a seed, besides the types of their fields, the existence of their parent and inherited fields. */
  seedRules?: readonly SeedRule<R, keyof NoInfer<R> & string>[]
  /** What is stored of a record that a seed has as an answer showed it. */
  fromSeed?(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** Fields of a new record that depend on the others. */
  fill?(given: Partial<ParamsOf<Key> & ParamsOf<Fields>>): Partial<ParamsOf<Fields & Internal>>
  /** A record of another resource that comes with a new record, through an endpoint or a seed. */
  brings?: Brought<R>
  /** Its name in the account history; without one its changes are not recorded. */
  history?: string
  /** `core` if its reads have a rate limit for each account. */
  rateLimit?: 'core'
  scope?: string
  listedFrom?: RecordType['listedFrom']
}
