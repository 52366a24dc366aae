import type { ExtraPermission, Role } from './account-members.ts'

/**
 * The type of a column. A `time` is a text in whole seconds, UTC (`2026-03-01T12:00:00Z`); a `list` is a list of texts; a `long` is a
 * `Long` (lib/numbers.ts).
 */
export type ColumnType = 'text' | 'long' | 'flag' | 'time' | 'list'

export interface Column {
  type: ColumnType
  nullable: boolean
}

/** What every record has besides its key and its own fields. */
export interface StoredRecord {
  created_at: string
  updated_at: string
  deleted: boolean
}

/**
 * How lists are searched, case-insensitively. `prefixOf`: by a prefix of one field. `termsOf`: each word of the query is a prefix of a word
 * in one of the fields. A word is a run of letters and digits.
 */
export type Search = { prefixOf: string } | { termsOf: readonly string[] }

/** The declaration of a record type, from which its table is made. `R` is the type of its records. */
export interface RecordType<R extends StoredRecord = StoredRecord> {
  table: string
  /** The field that identifies a record, a text. It is not one of `columns`. */
  key: string
  /** Whether a key is unique in the table, or only in its scope: then two accounts may have records with the same key. */
  keyUniqueIn: 'table' | 'scope'
  /** The column of the owner: `account_id`, or the host of an account. */
  scope: string
  columns: Readonly<Record<string, Column>>
  /** Values of missing fields. Existing records get them when a required field is added. */
  defaults?: Readonly<Record<string, unknown>>
  /** Fields that lists are sorted by, each with an index. `created_at` is always one. */
  sortable: readonly string[]
  /** Fields that lists are filtered by, besides the key, each with an index. */
  filterable: readonly string[]
  /** Fields with a counter per account: visible records are counted by an index. */
  counted?: readonly string[]
  /** Further indexes, each a list of fields or of columns that every record has. */
  indexes?: readonly (readonly string[])[]
  search?: Search
  /** A field whose values lists have alone: each of their indexes stands a second time, with the records of one value together. */
  dividedBy?: string
  /** Where several types share a table: the values of columns that its records have, and those of the other types do not. */
  only?: Readonly<Record<string, string>>
  /** Its parent, and the field with the parent's key. A child is hidden as soon as its parent is deleted. */
  childOf?: { parent: RecordType; by: string }
  /** Its name in the account history; without one its changes are not recorded. */
  history?: string
  /** The record as responses show it; gets the parent if `needsParent`, and what was loaded for it. By default: as it is stored. */
  present?(record: R, nowMs: number, parent?: StoredRecord, loaded?: unknown): Record<string, unknown>
  needsParent?: boolean
  /** Lists are read from this table, which has a row with the sort keys for each record and each user who may list it. */
  listedFrom?: 'account_members'
  /** Only carries the type `R`; never set. */
  readonly record?: R
}

const COMMON: Readonly<Record<string, Column>> = {
  created_at: { type: 'time', nullable: false },
  updated_at: { type: 'time', nullable: false },
  deleted: { type: 'flag', nullable: false },
}

const columns = new WeakMap<RecordType, Readonly<Record<string, Column>>>()

/** Every field of a record type except its key. */
export function columnsOf(recordType: RecordType): Readonly<Record<string, Column>> {
  const known = columns.get(recordType) ?? { ...recordType.columns, ...COMMON }
  columns.set(recordType, known)
  return known
}

/** A field of a record by its name. */
export const fieldOf = (record: object, field: string): unknown => (record as Readonly<Record<string, unknown>>)[field]

/** The key of a record. */
export const keyOf = ({ key }: RecordType, record: object): string => fieldOf(record, key) as string

export interface SortKey {
  field: string
  descending: boolean
}

export const NEWEST_FIRST: SortKey = { field: 'created_at', descending: true }

/** What a field of other records holds: of those that are visible, have these values and are of accounts that are not deleted. */
export interface OfOthers {
  recordType: RecordType
  field: string
  equal: Readonly<Record<string, string>>
}

/** Only records whose field has one of these texts, equals this value, or is what others hold. */
export type FieldFilter =
  | { field: string; anyOf: readonly string[] }
  | { field: string; equals: unknown }
  | { field: string; ofOthers: OfOthers }

export interface ListQuery {
  /** The owner: the values of the scope columns. */
  scope: Readonly<Record<string, string>>
  /** At least one. Ties are broken by the record's key, in the direction of the last sort key. Nulls come first in ascending order. */
  sort: readonly SortKey[]
  /** Continue after the record with these values of the sort keys, and this key. */
  after?: { values: readonly unknown[]; key: string }
  limit: number
  withDeleted: boolean
  filters?: readonly FieldFilter[]
  /** The query of the declared search. */
  search?: string
}

/** Who makes a change, and when, in milliseconds since 1970. A change without a user is not recorded in the history. */
export interface ChangeBy {
  userId?: string
  nowMs: number
}

/** A record to insert. Missing times are set to now. */
export type NewRecord<R extends StoredRecord> = Omit<R, keyof StoredRecord> & Partial<StoredRecord>

/** A transaction on the records of one account, with the account locked. */
export interface AccountTransaction {
  /** Whether the account is deleted: then none of its records may be changed. */
  isClosed: boolean
  /** Undefined if there is no such record, or if it is hidden and `withDeleted` is not set. */
  get<R extends StoredRecord>(recordType: RecordType<R>, key: string, withDeleted?: boolean): Promise<R | undefined>
  /** Records with one of these keys; without hidden ones unless `withDeleted` is set. */
  among<R extends StoredRecord>(recordType: RecordType<R>, keys: readonly string[], withDeleted?: boolean): Promise<R[]>
  /** All records whose field has the value; without hidden ones unless `withDeleted` is set. */
  find<R extends StoredRecord>(recordType: RecordType<R>, field: string, value: string, withDeleted?: boolean): Promise<R[]>
  /** Visible records with the values of `equal` whose field has one of `values`. Reads no other records. */
  findAmong<R extends StoredRecord>(
    recordType: RecordType<R>,
    equal: Readonly<Record<string, unknown>>,
    field: string,
    values: readonly string[],
  ): Promise<R[]>
  /** How many visible records have these values; stops counting at `max`. */
  count(recordType: RecordType, equal: Readonly<Record<string, unknown>>, max?: number): Promise<number>
  /** Which of these posts do not exist, or no longer. */
  missingPosts(postIds: readonly string[]): Promise<string[]>
  /**
   * Returns undefined if the key is taken. A deleted record is hidden; `hidden` hides it because its parent is hidden.
   * @throws if a required field has no value.
   */
  insert<R extends StoredRecord>(recordType: RecordType<R>, record: NewRecord<R>, hidden?: boolean): Promise<R | undefined>
  /** @throws if a required field would have no value. */
  update<R extends StoredRecord>(recordType: RecordType<R>, record: R, changes: Partial<R>): Promise<R>
  /** Makes a deleted record visible again, with these values, as if it were created now. Its parent must be visible. */
  restore<R extends StoredRecord>(recordType: RecordType<R>, record: R, values: Partial<R>): Promise<R>
  /** Makes a user a member of the account. Returns false if the user is one already. */
  addMember(userId: string, role: Role, permissions?: readonly ExtraPermission[]): Promise<boolean>
  /** Marks a record deleted, and hides it with all its children. */
  remove<R extends StoredRecord>(recordType: RecordType<R>, record: R): Promise<R>
}

/** The records of the declared types. Deletion is soft: a deleted record and its children stay, but are hidden by default. */
export interface Records {
  get<R extends StoredRecord>(recordType: RecordType<R>, scope: string, key: string, withDeleted?: boolean): Promise<R | undefined>
  list<R extends StoredRecord>(recordType: RecordType<R>, query: ListQuery): Promise<R[]>
  /** The same as rows (`record-rows.ts`), for answers that are written straight from them. */
  rows(recordType: RecordType, query: ListQuery): Promise<readonly (readonly unknown[])[]>
  /** How many records a list has in total. */
  count(recordType: RecordType, query: Pick<ListQuery, 'scope' | 'withDeleted' | 'filters' | 'search'>): Promise<number>
  /** Whether an account is deleted. */
  isAccountClosed(accountId: string): Promise<boolean>
  /**
   * Runs a transaction on an account. Transactions on one account run one at a time, and write its history in the same transaction.
   */
  change<T>(accountId: string, by: ChangeBy, run: (transaction: AccountTransaction) => Promise<T>): Promise<T>
}
