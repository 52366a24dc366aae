import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { writeExactJson } from '../../../lib/numbers.ts'
import { wholeSeconds } from '../../../lib/time.ts'
import type { ChangeType } from '../../account-history.ts'
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
import { createAccountReads, ownedBy } from './account-reads.ts'
import { insertMember, listMembers } from './list-members.ts'
import { toRow } from './row-codec.ts'

export interface AccountTransactionOptions {
  trx: Transaction<Database>
  flavour: Flavour
  recordTypes: readonly RecordType[]
  accountId: string
  by: ChangeBy
  isClosed: boolean
}

type Changes = Record<string, { before: unknown; after: unknown }>

/** The fields that a change really changes, as the history has them. */
const differencesOf = (before: object, after: object): Changes =>
  Object.fromEntries(
    Object.entries(after)
      .map(([field, value]) => [field, { before: fieldOf(before, field), after: value }] as const)
      .filter(([, { before, after }]) => !isDeepStrictEqual(before, after)),
  )

/** Writes the history of an account: each record as the answer to its change shows it. */
function createHistoryWriter({ trx, accountId, by }: AccountTransactionOptions, reads: Pick<AccountTransaction, 'get'>) {
  const presented = async <R extends StoredRecord>(kind: RecordType<R>, record: R): Promise<object> => {
    const { needsParent, childOf } = kind
    const parent = needsParent && childOf ? await reads.get(childOf.parent, fieldOf(record, childOf.by) as string, true) : undefined
    return kind.present?.(record, by.nowMs, parent) ?? record
  }
  return async <R extends StoredRecord>(kind: RecordType<R>, type: ChangeType, record: R, changes: Changes = {}) => {
    if (!kind.history || by.userId === undefined) return
    const entry = { account_id: accountId, entity: kind.history, entity_id: keyOf(kind, record), change_type: type, user_id: by.userId }
    const json = { changes: writeExactJson(changes), entity_data: writeExactJson(await presented(kind, record)) }
    await trx
      .insertInto('account_history')
      .values({ ...entry, at_ms: wholeMs(by.nowMs), ...json })
      .execute()
  }
}

const wholeMs = (ms: number) => Math.floor(ms / 1000) * 1000

/** Hides the children of the parents whose keys `chosen` selects, and theirs. */
async function hideChildren(options: AccountTransactionOptions, parent: RecordType, chosen: RawBuilder<unknown>) {
  const { trx, recordTypes, accountId } = options
  for (const child of recordTypes.filter(({ childOf }) => childOf?.parent.table === parent.table)) {
    const where = sql`account_id = ${accountId} and ${sql.ref(child.childOf!.by)} in (${chosen})`
    await hideChildren(options, child, sql`select ${sql.ref(child.key)} from ${sql.table(child.table)} where ${where}`)
    await sql`update ${sql.table(child.table)} set hidden = true where ${where} and hidden = false`.execute(trx)
  }
}

/** Writes columns of one record. */
async function setColumns({ trx, accountId }: AccountTransactionOptions, kind: RecordType, key: string, row: Record<string, unknown>) {
  const values = Object.entries(row).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  const where = sql.join([sql`${sql.ref(kind.key)} = ${key}`, ...ownedBy(accountId, kind)], sql` and `)
  await sql`update ${sql.table(kind.table)} set ${sql.join(values)} where ${where}`.execute(trx)
  if (kind.listedFrom) await listMembers(trx, key)
}

/** Inserts a row; false when its key is taken. */
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
    async insert<R extends StoredRecord>(kind: RecordType<R>, given: NewRecord<R>, hidden = false) {
      const own = kind.scope === 'account_id' ? { account_id: accountId } : {}
      const times = { created_at: now, updated_at: given.created_at ?? now, deleted: false }
      const made = { ...times, ...given, ...(kind.scope in kind.columns && own) } as object as R
      const row = { ...toRow(kind, made), hidden: hidden || made.deleted, ...own }
      if (!(await insertRow(trx, kind, row))) return undefined
      await record(kind, 'CREATE', made)
      return made
    },
    async update(kind, before, changes) {
      const differences = differencesOf(before, changes)
      if (Object.keys(differences).length === 0) return before
      const after = { ...before, ...changes, updated_at: now }
      await setColumns(options, kind, keyOf(kind, before), toRow(kind, after, [...Object.keys(changes), 'updated_at']))
      await record(kind, 'UPDATE', after, differences)
      return after
    },
    admit: (userId, role, permissions = []) => insertMember(trx, accountId, userId, { role, permissions }),
    async remove(kind, before) {
      const after = { ...before, deleted: true, updated_at: now }
      const key = keyOf(kind, before)
      await setColumns(options, kind, key, { ...toRow(kind, after, ['deleted', 'updated_at']), hidden: true })
      await hideChildren(options, kind, sql`select ${key}`)
      await record(kind, 'DELETE', after, differencesOf(before, { deleted: true }))
      return after
    },
  }
}
