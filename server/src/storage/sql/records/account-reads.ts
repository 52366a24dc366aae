import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { AccountTransaction, RecordType, StoredRecord } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { columnName, rowReader, selectRows, storedValue } from './row-codec.ts'

/** The part of a transaction that reads. */
export type AccountReads = Pick<AccountTransaction, 'get' | 'among' | 'find' | 'findAmong' | 'count'>

type Values = Readonly<Record<string, unknown>>

/** The condition that a record belongs to the account, where its type belongs to accounts. */
export const ownedBy = (accountId: string, { scope }: RecordType): RawBuilder<unknown>[] =>
  scope === 'account_id' ? [sql`account_id = ${accountId}`] : []

/** Reads records of one account in a transaction. */
export function createAccountReads(trx: Transaction<Database>, flavour: Flavour, accountId: string): AccountReads {
  const columnOf = (kind: RecordType, field: string) => sql.ref(columnName(kind, field))

  const matching = (kind: RecordType, equal: Values, withDeleted = false, more: RawBuilder<unknown>[] = []) => {
    const same = Object.entries(equal).map(([field, value]) => sql`${columnOf(kind, field)} = ${storedValue(kind, field, value)}`)
    return sql.join([...ownedBy(accountId, kind), ...same, ...more, ...(withDeleted ? [] : [sql`hidden = false`])], sql` and `)
  }

  const select = async <R extends StoredRecord>(kind: RecordType<R>, where: RawBuilder<unknown>): Promise<R[]> => {
    const { rows } = await sql`${selectRows(kind, flavour)} where ${where} order by ${sql.ref(kind.key)}`.execute(trx)
    return rows.map(rowReader(kind))
  }

  return {
    get: async (kind, key, withDeleted) => (await select(kind, matching(kind, { [kind.key]: key }, withDeleted)))[0],
    among(kind, keys, withDeleted) {
      const wanted = sql`${sql.ref(kind.key)} in (select wanted.value from ${flavour.values(JSON.stringify(keys))})`
      return select(kind, matching(kind, {}, withDeleted, [wanted]))
    },
    find: (kind, field, value, withDeleted) => select(kind, matching(kind, { [field]: value }, withDeleted)),
    findAmong(kind, equal, field, values) {
      const isAmong = sql`(${columnOf(kind, field)} in (${sql.join(values)})) is true`
      return select(kind, matching(kind, equal, false, [isAmong]))
    },
    async count(kind, equal, most) {
      const limit = most === undefined ? sql`` : sql`limit ${most}`
      const found = sql`select 1 as one from ${sql.table(kind.table)} where ${matching(kind, equal)} ${limit}`
      const { rows } = await sql<{ count: number }>`select count(*) as count from (${found}) as found`.execute(trx)
      return rows[0]!.count
    },
  }
}
