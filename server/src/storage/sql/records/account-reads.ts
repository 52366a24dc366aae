import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { AccountTransaction, RecordType, StoredRecord } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { columnName, rowReader, selectRows, storedValue } from './row-codec.ts'

/** The reading methods of a transaction. */
export type AccountReads = Pick<AccountTransaction, 'get' | 'among' | 'find' | 'findAmong' | 'count' | 'missingPosts'>

type Values = Readonly<Record<string, unknown>>

/** The condition that a record belongs to the account; none for types that do not belong to an account. */
export const ownedBy = (accountId: string, { scope }: RecordType): RawBuilder<unknown>[] =>
  scope === 'account_id' ? [sql`account_id = ${accountId}`] : []

/** Reads records of one account in a transaction. */
export function createAccountReads(trx: Transaction<Database>, flavour: Flavour, accountId: string): AccountReads {
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
