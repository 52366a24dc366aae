import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { writeExactJson } from '../../../lib/numbers.ts'
import { wholeSeconds } from '../../../lib/time.ts'
import type { ChangeType } from '../../account-history.ts'
import type { AccountTransaction, ChangeBy, RecordType, StoredRecord } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { insertMember, listMembers } from './list-members.ts'
import { columnName, rowReader, selectRows, storedValue, toRow } from './row-codec.ts'

export interface AccountTransactionOptions {
  trx: Transaction<Database>
  flavour: Flavour
  recordTypes: readonly RecordType[]
  accountId: string
  by: ChangeBy
  isClosed: boolean
}

type Changes = Record<string, { before: unknown; after: unknown }>

const changesOf = (before: object, after: object): Changes =>
  Object.fromEntries(
    Object.entries(after)
      .map(([field, value]) => [field, { before: (before as Record<string, unknown>)[field], after: value }] as const)
      .filter(([, { before, after }]) => !isDeepStrictEqual(before, after)),
  )

export function createAccountTransaction({
  trx,
  flavour,
  recordTypes,
  accountId,
  by,
  isClosed,
}: AccountTransactionOptions): AccountTransaction {
  const atMs = Math.floor(by.nowMs / 1000) * 1000

  const note = async <R extends StoredRecord>(kind: RecordType<R>, type: ChangeType, record: R, changes: Changes = {}) => {
    if (!kind.history || by.userId === undefined) return
    const entry = { account_id: accountId, entity: kind.history, entity_id: record.id, change_type: type, user_id: by.userId, at_ms: atMs }
    await trx
      .insertInto('account_history')
      .values({ ...entry, changes: writeExactJson(changes), entity_data: writeExactJson(await shown(kind, record)) })
      .execute()
  }

  const matching = (kind: RecordType, equal: Readonly<Record<string, unknown>>, withDeleted = false, more: RawBuilder<unknown>[] = []) => {
    const own = kind.scope === 'account_id' ? [sql`account_id = ${accountId}`] : []
    const same = Object.entries(equal).map(
      ([field, value]) => sql`${sql.ref(field === 'id' ? 'id' : columnName(kind, field))} = ${storedValue(kind, field, value)}`,
    )
    return sql.join([...own, ...same, ...more, ...(withDeleted ? [] : [sql`hidden = false`])], sql` and `)
  }

  const select = async <R extends StoredRecord>(
    kind: RecordType<R>,
    equal: Readonly<Record<string, unknown>>,
    withDeleted?: boolean,
  ): Promise<R[]> => {
    const { rows } = await sql`${selectRows(kind, flavour)} where ${matching(kind, equal, withDeleted)} order by id`.execute(trx)
    return rows.map(rowReader(kind))
  }

  /** The record as the answer to its change shows it. */
  const shown = async <R extends StoredRecord>(kind: RecordType<R>, record: R): Promise<object> => {
    const { needsParent, childOf } = kind
    const [whole] = needsParent && childOf ? await select(childOf.parent, { id: record[childOf.by as keyof R] }, true) : []
    return kind.present?.(record, by.nowMs, whole) ?? record
  }

  const set = async (kind: RecordType, id: string, row: Record<string, unknown>) => {
    const values = Object.entries(row).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
    await sql`update ${sql.table(kind.table)} set ${sql.join(values)} where id = ${id}`.execute(trx)
    if (kind.listedFrom) await listMembers(trx, id)
  }

  /** Hides what is part of the records that `chosen` selects the ids of. */
  const hideParts = async (whole: RecordType, chosen: RawBuilder<unknown>) => {
    for (const part of recordTypes.filter(({ childOf }) => childOf?.parent.table === whole.table)) {
      const where = sql`account_id = ${accountId} and ${sql.ref(part.childOf!.by)} in (${chosen})`
      await hideParts(part, sql`select id from ${sql.table(part.table)} where ${where}`)
      await sql`update ${sql.table(part.table)} set hidden = true where ${where} and hidden = false`.execute(trx)
    }
  }

  return {
    isClosed,
    get: async (kind, id, withDeleted) => (await select(kind, { id }, withDeleted))[0],
    async among(kind, ids, withDeleted) {
      const wanted = sql`id in (select wanted.value from ${flavour.values(JSON.stringify(ids))})`
      const { rows } = await sql`${selectRows(kind, flavour)} where ${matching(kind, {}, withDeleted, [wanted])}`.execute(trx)
      return rows.map(rowReader(kind))
    },
    find: (kind, field, value, withDeleted) => select(kind, { [field]: value }, withDeleted),
    async findAmong<R extends StoredRecord>(
      kind: RecordType<R>,
      equal: Readonly<Record<string, unknown>>,
      field: string,
      values: readonly string[],
    ) {
      const isAmong = sql`(${sql.ref(columnName(kind, field))} in (${sql.join(values)})) is true`
      const where = matching(kind, equal, false, [isAmong])
      const { rows } = await sql`${selectRows(kind, flavour)} where ${where} order by id`.execute(trx)
      return rows.map(rowReader(kind)) as R[]
    },
    async count(kind, equal, most) {
      const found = sql`select 1 as one from ${sql.table(kind.table)} where ${matching(kind, equal)} ${most === undefined ? sql`` : sql`limit ${most}`}`
      const { rows } = await sql<{ count: number }>`select count(*) as count from (${found}) as found`.execute(trx)
      return rows[0]!.count
    },
    async insert(kind, given, hidden = false) {
      const now = wholeSeconds(atMs)
      const times = { created_at: now, updated_at: given.created_at ?? now, deleted: false }
      const own = kind.scope === 'account_id' ? { account_id: accountId } : {}
      const record = { ...times, ...given, ...(kind.scope in kind.columns && own) } as unknown as StoredRecord
      const row: Record<string, unknown> = { ...toRow(kind, { ...record }), hidden: hidden || record.deleted, ...own }
      const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)))
      const insertion = sql`insert into ${sql.table(kind.table)} (${columns}) values (${sql.join(Object.values(row))}) on conflict do nothing`
      const { numAffectedRows } = await insertion.execute(trx)
      if (numAffectedRows !== 1n) return undefined
      await note(kind, 'CREATE', record)
      return record as never
    },
    async update(kind, record, changes) {
      const changed = changesOf(record, changes)
      if (Object.keys(changed).length === 0) return record
      const after = { ...record, ...changes, updated_at: wholeSeconds(atMs) }
      await set(kind, record.id, toRow(kind, { ...changes, updated_at: after.updated_at }))
      await note(kind, 'UPDATE', after, changed)
      return after
    },
    admit: (userId, role, permissions = []) => insertMember(trx, accountId, userId, { role, permissions }),
    async remove(kind, record) {
      const after = { ...record, deleted: true, updated_at: wholeSeconds(atMs) }
      const row = toRow(kind, { deleted: true, updated_at: after.updated_at })
      await set(kind, record.id, { ...row, hidden: true })
      await hideParts(kind, sql`select ${record.id}`)
      await note(kind, 'DELETE', after, changesOf(record, { deleted: true }))
      return after
    },
  }
}
