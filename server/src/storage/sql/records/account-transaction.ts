import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { writeExactJson } from '../../../lib/numbers.ts'
import { wholeSeconds } from '../../../lib/time.ts'
import type { ChangeType } from '../../account-history.ts'
import type { Membership } from '../../account-members.ts'
import {
  type AccountTransaction,
  type ChangeBy,
  fieldOf,
  keyOf,
  type NewRecord,
  type RecordType,
  type StoredRecord,
} from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { columnName, rowReader, selectRows, storedValue, toRow } from './row-codec.ts'

/** The reading methods of a transaction. */
type AccountReads = Pick<AccountTransaction, 'get' | 'among' | 'find' | 'findAmong' | 'count' | 'missingPosts'>

type Values = Readonly<Record<string, unknown>>

/** The condition that a record belongs to the account; none for types that do not belong to an account. */
const ownedBy = (accountId: string, { scope }: RecordType): RawBuilder<unknown>[] =>
  scope === 'account_id' ? [sql`account_id = ${accountId}`] : []

/** Reads records of one account in a transaction. */
function createAccountReads(trx: Transaction<Database>, flavour: Flavour, accountId: string): AccountReads {
  const columnOf = (recordType: RecordType, field: string) => sql.ref(columnName(recordType, field))

  const matching = (recordType: RecordType, equal: Values, withDeleted = false, others: RawBuilder<unknown>[] = []) => {
    const same = Object.entries({ ...recordType.only, ...equal }).map(
      ([field, value]) => sql`${columnOf(recordType, field)} = ${storedValue(recordType, field, value)}`,
    )
    return sql.join([...ownedBy(accountId, recordType), ...same, ...others, ...(withDeleted ? [] : [sql`hidden = false`])], sql` and `)
  }

  const select = async <R extends StoredRecord>(recordType: RecordType<R>, where: RawBuilder<unknown>): Promise<R[]> => {
    const { rows } = await sql`${selectRows(recordType, flavour)} where ${where} order by ${sql.ref(recordType.key)}`.execute(trx)
    return rows.map(rowReader(recordType))
  }

  return {
    get: async (recordType, key, withDeleted) =>
      (await select(recordType, matching(recordType, { [recordType.key]: key }, withDeleted)))[0],
    among(recordType, keys, withDeleted) {
      const wanted = sql`${sql.ref(recordType.key)} in (select wanted.value from ${flavour.values(JSON.stringify(keys))})`
      return select(recordType, matching(recordType, {}, withDeleted, [wanted]))
    },
    find: (recordType, field, value, withDeleted) => select(recordType, matching(recordType, { [field]: value }, withDeleted)),
    findAmong(recordType, equal, field, values) {
      const isAmong = sql`(${columnOf(recordType, field)} in (${sql.join(values)})) is true`
      return select(recordType, matching(recordType, equal, false, [isAmong]))
    },
    async count(recordType, equal, max) {
      const limit = max === undefined ? sql`` : sql`limit ${max}`
      const found = sql`select 1 as one from ${sql.table(recordType.table)} where ${matching(recordType, equal)} ${limit}`
      const { rows } = await sql<{ count: number }>`select count(*) as count from (${found}) as found`.execute(trx)
      return rows[0]!.count
    },
    async missingPosts(postIds) {
      const wanted = sql`select cast(wanted.value as bigint) from ${flavour.values(JSON.stringify(postIds))}`
      const { rows } = await sql<{ id: string }>`select cast(id as text) as id from posts where id in (${wanted})`.execute(trx)
      const found = new Set(rows.map(({ id }) => id))
      return postIds.filter((id) => !found.has(id))
    },
  }
}

/** The columns of an account that are copied to each of its members, so that a user's list of accounts can be paged through an index. */
export const LISTED = ['host', 'hidden', 'deleted', 'created_at_ms', 'updated_at_ms', 'name', 'name_key']

const columns = sql.join(LISTED.map((column) => sql.ref(column)))

/** Copies those columns from the account to its members. */
const copyToMembers = async (trx: Transaction<Database>, accountId: string): Promise<void> => {
  const from = sql`from accounts where accounts.id = ${accountId}`
  const values = LISTED.map((column) => sql`${sql.ref(column)} = (select ${sql.ref(column)} ${from})`)
  await sql`update account_members set ${sql.join(values)} where account_id = ${accountId}`.execute(trx)
}

/** Makes a user a member of the account. Returns true if the user was none. */
async function insertMember(
  trx: Transaction<Database>,
  accountId: string,
  userId: string,
  { role, permissions }: Omit<Membership, 'deleted'>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into account_members (account_id, user_id, role, permissions, ${columns})
    select id, ${userId}, ${role}, ${JSON.stringify(permissions)}, ${columns} from accounts where id = ${accountId} on conflict do nothing`.execute(
    trx,
  )
  return numAffectedRows === 1n
}

interface AccountTransactionOptions {
  trx: Transaction<Database>
  flavour: Flavour
  recordTypes: readonly RecordType[]
  accountId: string
  by: ChangeBy
  isClosed: boolean
}

type Changes = Record<string, { before: unknown; after: unknown }>

/** The fields whose values differ, in the form of the history. */
const differencesOf = (before: object, after: object): Changes =>
  Object.fromEntries(
    Object.entries(after)
      .map(([field, value]) => [field, { before: fieldOf(before, field), after: value }] as const)
      .filter(([, { before, after }]) => !isDeepStrictEqual(before, after)),
  )

/** Writes the history of an account, with each record as the response to its change shows it. */
function createHistoryWriter({ trx, accountId, by }: AccountTransactionOptions, reads: Pick<AccountTransaction, 'get'>) {
  const presented = async <R extends StoredRecord>(recordType: RecordType<R>, record: R): Promise<object> => {
    const { needsParent, childOf } = recordType
    const parent = needsParent && childOf ? await reads.get(childOf.parent, fieldOf(record, childOf.by) as string, true) : undefined
    return recordType.present?.(record, by.nowMs, parent) ?? record
  }
  return async <R extends StoredRecord>(recordType: RecordType<R>, type: ChangeType, record: R, changes: Changes = {}) => {
    if (!recordType.history || by.userId === undefined) return
    const entry = {
      account_id: accountId,
      entity: recordType.history,
      entity_id: keyOf(recordType, record),
      change_type: type,
      user_id: by.userId,
    }
    const json = { changes: writeExactJson(changes), entity_data: writeExactJson(await presented(recordType, record)) }
    await trx
      .insertInto('account_history')
      .values({ ...entry, at_ms: wholeMs(by.nowMs), ...json })
      .execute()
  }
}

const wholeMs = (ms: number) => Math.floor(ms / 1000) * 1000

/** Hides the descendants of the parents whose keys `parentKeys` selects. */
async function hideChildren(options: AccountTransactionOptions, parent: RecordType, parentKeys: RawBuilder<unknown>) {
  const { trx, recordTypes, accountId } = options
  for (const child of recordTypes.filter(({ childOf }) => childOf?.parent.table === parent.table)) {
    const where = sql`account_id = ${accountId} and ${sql.ref(child.childOf!.by)} in (${parentKeys})`
    await hideChildren(options, child, sql`select ${sql.ref(child.key)} from ${sql.table(child.table)} where ${where}`)
    await sql`update ${sql.table(child.table)} set hidden = true where ${where} and hidden = false`.execute(trx)
  }
}

/** Updates columns of one record. */
async function setColumns(
  { trx, accountId }: AccountTransactionOptions,
  recordType: RecordType,
  key: string,
  row: Record<string, unknown>,
) {
  const values = Object.entries(row).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  const where = sql.join([sql`${sql.ref(recordType.key)} = ${key}`, ...ownedBy(accountId, recordType)], sql` and `)
  await sql`update ${sql.table(recordType.table)} set ${sql.join(values)} where ${where}`.execute(trx)
  if (recordType.listedFrom) await copyToMembers(trx, key)
}

/** Inserts a row. Returns false if its key is taken. */
async function insertRow(trx: Transaction<Database>, { table }: RecordType, row: Record<string, unknown>): Promise<boolean> {
  const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)))
  const values = sql.join(Object.values(row))
  const { numAffectedRows } = await sql`insert into ${sql.table(table)} (${columns}) values (${values}) on conflict do nothing`.execute(trx)
  return numAffectedRows === 1n
}

export function createAccountTransaction(options: AccountTransactionOptions): AccountTransaction {
  const { trx, flavour, accountId, by, isClosed } = options
  const reads = createAccountReads(trx, flavour, accountId)
  const record = createHistoryWriter(options, reads)
  const now = wholeSeconds(wholeMs(by.nowMs))

  return {
    ...reads,
    isClosed,
    async insert<R extends StoredRecord>(recordType: RecordType<R>, given: NewRecord<R>, hidden = false) {
      const own = recordType.scope === 'account_id' ? { account_id: accountId } : {}
      const times = { created_at: now, updated_at: given.created_at ?? now, deleted: false }
      const inserted = { ...times, ...given, ...(recordType.scope in recordType.columns && own) } as object as R
      const row = { ...toRow(recordType, inserted), hidden: hidden || inserted.deleted, ...own }
      if (!(await insertRow(trx, recordType, row))) return undefined
      await record(recordType, 'CREATE', inserted)
      return inserted
    },
    async update(recordType, before, changes) {
      const differences = differencesOf(before, changes)
      if (Object.keys(differences).length === 0) return before
      const after = { ...before, ...changes, updated_at: now }
      await setColumns(options, recordType, keyOf(recordType, before), toRow(recordType, after, [...Object.keys(changes), 'updated_at']))
      await record(recordType, 'UPDATE', after, differences)
      return after
    },
    async restore(recordType, before, values) {
      const after = { ...before, ...values, created_at: now, updated_at: now, deleted: false }
      await setColumns(options, recordType, keyOf(recordType, before), { ...toRow(recordType, after), hidden: false })
      await record(recordType, 'CREATE', after)
      return after
    },
    addMember: (userId, role, permissions = []) => insertMember(trx, accountId, userId, { role, permissions }),
    async remove(recordType, before) {
      const after = { ...before, deleted: true, updated_at: now }
      const key = keyOf(recordType, before)
      await setColumns(options, recordType, key, { ...toRow(recordType, after, ['deleted', 'updated_at']), hidden: true })
      await hideChildren(options, recordType, sql`select ${key}`)
      await record(recordType, 'DELETE', after, differencesOf(before, { deleted: true }))
      return after
    },
  }
}
