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
 * How lists are searched, whatever the case: `prefixOf` finds records by the beginning of one field; `termsOf` those in which each word of
 * the query is the beginning of a word of one of the fields. A word is a run of letters and digits.
 */
export type Search = { prefixOf: string } | { termsOf: readonly string[] }

/** A declared type of records: its table is made from this. `R` is the type of its records. */
export interface RecordType<R extends StoredRecord = StoredRecord> {
  table: string
  /** The field that identifies a record, a text. It is not one of `columns`. */
  key: string
  /** Whether a key is unique in its table, or in its scope alone: two accounts may then have records of the same key. */
  keyUniqueIn: 'table' | 'scope'
  /** The column that says whose a record is: `account_id`, or the host of an account. */
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
  search?: Search
  /** Its parent, and the field with the parent's key. A child is hidden as soon as its parent is deleted. */
  childOf?: { parent: RecordType; by: string }
  /** Its name in the account history; without one its changes are not recorded. */
  history?: string
  /** The record as answers show it, beside its parent where `needsParent`; without, as it is stored. */
  present?(record: R, nowMs: number, parent?: StoredRecord): Record<string, unknown>
  needsParent?: boolean
  /** Lists are read from this table, which has the sort keys of each record for every user who may list it. */
  listedFrom?: 'account_members'
  /** Carries the type; never set. */
  readonly record?: R
}

const COMMON: Readonly<Record<string, Column>> = {
  created_at: { type: 'time', nullable: false },
  updated_at: { type: 'time', nullable: false },
  deleted: { type: 'flag', nullable: false },
}

const columns = new WeakMap<RecordType, Readonly<Record<string, Column>>>()

/** Every field of a record type except its key. */
export function columnsOf(kind: RecordType): Readonly<Record<string, Column>> {
  const known = columns.get(kind) ?? { ...kind.columns, ...COMMON }
  columns.set(kind, known)
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

/** Only records whose field has one of some texts, or exactly this value. */
export type FieldFilter = { field: string; anyOf: readonly string[] } | { field: string; equals: unknown }

export interface ListQuery {
  /** Whose records: the values of the columns that say so. */
  scope: Readonly<Record<string, string>>
  /** At least one; the record's key is the last, in the direction of the one before. Nulls come first in ascending order. */
  sort: readonly SortKey[]
  /** Continue after the record with these values of the sort keys, and this key. */
  after?: { values: readonly unknown[]; key: string }
  limit: number
  withDeleted: boolean
  filters?: readonly FieldFilter[]
  /** Only records that the declared search finds by this text. */
  search?: string
}

/** Who changes something, and when, in milliseconds since 1970. A change without a user is not recorded in the history. */
export interface ChangeBy {
  userId?: string
  nowMs: number
}

/** A record to insert; times that are missing are now. */
export type NewRecord<R extends StoredRecord> = Omit<R, keyof StoredRecord> & Partial<StoredRecord>

/** A transaction on the records of one account, which nobody else changes meanwhile. */
export interface AccountTransaction {
  /** The account was deleted: nothing of it may be changed any more. */
  isClosed: boolean
  /** Undefined when there is no such record, or when it is hidden, unless hidden ones are asked for too. */
  get<R extends StoredRecord>(kind: RecordType<R>, key: string, withDeleted?: boolean): Promise<R | undefined>
  /** Records with one of these keys that are not hidden, unless hidden ones are asked for too. */
  among<R extends StoredRecord>(kind: RecordType<R>, keys: readonly string[], withDeleted?: boolean): Promise<R[]>
  /** All records whose field has the value and that are not hidden, unless hidden ones are asked for too. */
  find<R extends StoredRecord>(kind: RecordType<R>, field: string, value: string, withDeleted?: boolean): Promise<R[]>
  /** Visible records with the values of `equal` whose field has one of `values`. Only those are read, however many others there are. */
  findAmong<R extends StoredRecord>(
    kind: RecordType<R>,
    equal: Readonly<Record<string, unknown>>,
    field: string,
    values: readonly string[],
  ): Promise<R[]>
  /** How many visible records have these values; stops counting at `most`. */
  count(kind: RecordType, equal: Readonly<Record<string, unknown>>, most?: number): Promise<number>
  /**
   * Undefined when the key is taken. A deleted record is hidden; `hidden` says that it is hidden for its parent's sake.
   * @throws when a required field has no value.
   */
  insert<R extends StoredRecord>(kind: RecordType<R>, record: NewRecord<R>, hidden?: boolean): Promise<R | undefined>
  /** @throws when a required field would have no value. */
  update<R extends StoredRecord>(kind: RecordType<R>, record: R, changes: Partial<R>): Promise<R>
  /** Makes a user a member of the account. False when the user is one already. */
  admit(userId: string, role: Role, permissions?: readonly ExtraPermission[]): Promise<boolean>
  /** Marks a record deleted, and hides it with all its children. */
  remove<R extends StoredRecord>(kind: RecordType<R>, record: R): Promise<R>
}

/** The records of declared types. Deleting is soft: a deleted record and its children stay, hidden unless asked for. */
export interface Records {
  get<R extends StoredRecord>(kind: RecordType<R>, scope: string, key: string, withDeleted?: boolean): Promise<R | undefined>
  list<R extends StoredRecord>(kind: RecordType<R>, query: ListQuery): Promise<R[]>
  /** How many records a list has over all its pages. */
  count(kind: RecordType, query: Pick<ListQuery, 'scope' | 'withDeleted' | 'filters' | 'search'>): Promise<number>
  /**
   * Runs a transaction on an account: all of it happens, or nothing. Changes of one account happen one after the other, and are written
   * to its history in the same transaction.
   */
  change<T>(accountId: string, by: ChangeBy, run: (transaction: AccountTransaction) => Promise<T>): Promise<T>
}
