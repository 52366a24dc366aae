import type { ExtraPermission, Role } from './account-members.ts'

/**
 * What a field is stored as. A `time` is a text in whole seconds, UTC (`2026-03-01T12:00:00Z`); a `list` is one of texts; a `long` is a
 * `Long` (lib/long.ts).
 */
export type ColumnType = 'text' | 'long' | 'flag' | 'time' | 'list'

export interface Column {
  type: ColumnType
  nullable: boolean
}

/** What every declared kind has besides its own fields. */
export interface StoredRecord {
  id: string
  created_at: string
  updated_at: string
  deleted: boolean
}

/** A declared kind of thing that is kept: a table of its own is made from this. `R` is the type of its records. */
export interface RecordType<R extends StoredRecord = StoredRecord> {
  table: string
  /** The column that says whose a record is: `account_id`, or the host of an account. */
  scope: string
  columns: Readonly<Record<string, Column>>
  /** What a record has where nothing is said: records that stand get it for a required field that is new. */
  defaults?: Readonly<Record<string, unknown>>
  /** The fields that lists are sorted by, each with an index. `created_at` is always one. */
  sortable: readonly string[]
  /** The fields that lists are filtered by, besides `id`, each with an index. */
  filterable: readonly string[]
  /** The fields that visible records are counted by, each with an index. */
  counted?: readonly string[]
  /** Lists are filtered by the beginning of `name`. */
  hasPrefix: boolean
  /** What it is a part of, and the field with that one's id: it is hidden as soon as that is deleted. */
  childOf?: { parent: RecordType; by: string }
  /** What the account history calls it; without, its changes are not written there. */
  history?: string
  /** How it is shown at a moment, beside what it is a part of where `needsParent` says so; without, as it is kept. */
  present?(record: R, nowMs: number, whole?: StoredRecord): Record<string, unknown>
  needsParent?: boolean
  /** Lists are read from this table, which has the keys and by whom they are listed. */
  listedFrom?: 'account_members'
  /** Holds the type; nothing is ever there. */
  readonly record?: R
}

const COMMON: Readonly<Record<string, Column>> = {
  created_at: { type: 'time', nullable: false },
  updated_at: { type: 'time', nullable: false },
  deleted: { type: 'flag', nullable: false },
}

/** Every field of a kind but its id, with what it is stored as. */
export const columnsOf = (kind: RecordType): Record<string, Column> => ({ ...kind.columns, ...COMMON })

export interface SortKey {
  field: string
  descending: boolean
}

export const NEWEST_FIRST: SortKey = { field: 'created_at', descending: true }

export interface ListQuery {
  /** Whose records: the values of the columns that say so. */
  scope: Readonly<Record<string, string>>
  /** At least one; the id is the last key, in the direction of the one before. Records without a value come first in ascending order. */
  sort: readonly SortKey[]
  /** Continue after the record with these values of the sort keys. */
  after?: { values: readonly unknown[]; id: string }
  limit: number
  withDeleted: boolean
  /** Only records whose field has one of the values. */
  oneOf?: readonly { field: string; values: readonly string[] }[]
  /** Only records whose name begins so, whatever the case. */
  namePrefix?: string
}

/** Who changes something, and when, in milliseconds since 1970. Without a user it stands in no history. */
export interface ChangeBy {
  userId?: string
  nowMs: number
}

/** A record that is to be made; times that are left out are now. */
export type NewRecord<R extends StoredRecord> = Omit<R, 'created_at' | 'updated_at' | 'deleted'> & Partial<StoredRecord>

/** What may be done with the records of one account while nobody else changes any of them. */
export interface AccountTransaction {
  /** The account was deleted: nothing of it is to be changed any more. */
  isClosed: boolean
  /** Undefined when there is no such record, or when it is hidden, unless those are asked for too. */
  get<R extends StoredRecord>(kind: RecordType<R>, id: string, withDeleted?: boolean): Promise<R | undefined>
  /** Those with one of these ids, and that are not hidden, unless those are asked for too. */
  among<R extends StoredRecord>(kind: RecordType<R>, ids: readonly string[], withDeleted?: boolean): Promise<R[]>
  /** All records whose field has the value, and that are not hidden, unless those are asked for too. */
  find<R extends StoredRecord>(kind: RecordType<R>, field: string, value: string, withDeleted?: boolean): Promise<R[]>
  /** Those of the records with these values whose field has one of some others: however many there are, only those are read. */
  findAmong<R extends StoredRecord>(
    kind: RecordType<R>,
    equal: Readonly<Record<string, unknown>>,
    field: string,
    values: readonly string[],
  ): Promise<R[]>
  /** How many records have these values and are not hidden; no more are looked at than `most`. */
  count(kind: RecordType, equal: Readonly<Record<string, unknown>>, most?: number): Promise<number>
  /** Undefined when the id is taken. What is deleted is hidden; so is what is a part of something hidden, which is the caller's to say. */
  insert<R extends StoredRecord>(kind: RecordType<R>, record: NewRecord<R>, hidden?: boolean): Promise<R | undefined>
  update<R extends StoredRecord>(kind: RecordType<R>, record: R, changes: Partial<R>): Promise<R>
  /** Makes a user a member of the account. False when the user is one already. */
  admit(userId: string, role: Role, permissions?: readonly ExtraPermission[]): Promise<boolean>
  /** Marks it deleted, and hides it with all its parts. */
  remove<R extends StoredRecord>(kind: RecordType<R>, record: R): Promise<R>
}

/** The records of declared record types. A deleted one stays, as do its parts; both are hidden unless asked for. */
export interface Records {
  get<R extends StoredRecord>(kind: RecordType<R>, scope: string, id: string, withDeleted?: boolean): Promise<R | undefined>
  list<R extends StoredRecord>(kind: RecordType<R>, query: ListQuery): Promise<R[]>
  /** How many a list has over all its pages. */
  count(kind: RecordType, query: Pick<ListQuery, 'scope' | 'withDeleted' | 'oneOf' | 'namePrefix'>): Promise<number>
  /**
   * Does everything in `run` as a whole or not at all, holding the account: every change of one account happens after the other. What
   * changes is written to the account's history with it.
   */
  change<T>(accountId: string, by: ChangeBy, run: (transaction: AccountTransaction) => Promise<T>): Promise<T>
}
