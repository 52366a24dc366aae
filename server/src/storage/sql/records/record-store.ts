import { sql } from 'kysely'
import type { Records, RecordType, StoredRecord } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import { type Exclusive, type SqlDatabase, unannounced } from '../sql-database.ts'
import { createAccountTransaction } from './account-transaction.ts'
import { countStatement, manyStatement, pageStatements } from './list-query.ts'
import { rowReader, selectRows } from './row-codec.ts'

const readers = new WeakMap<RecordType, (row: unknown) => StoredRecord>()

/** The row reader of a record type, created once. */
export function readerOf<R extends StoredRecord>(recordType: RecordType<R>): (row: unknown) => R {
  const reader = (readers.get(recordType) as ((row: unknown) => R) | undefined) ?? rowReader(recordType)
  readers.set(recordType, reader)
  return reader
}

/** Locks an account for a transaction. The result is whether the account is deleted. */
const lockAccount = (flavour: Flavour, accountId: string): Exclusive<boolean> => ({
  key: `account ${accountId}`,
  async lock(trx) {
    const lock = sql.raw(flavour.locksRows ? 'for no key update' : '')
    const { rows } = await sql<{ hidden: unknown }>`select hidden from accounts where id = ${accountId} ${lock}`.execute(trx)
    return Boolean(rows[0]?.hidden)
  },
})

export function createRecords({ db, flavour, inExclusiveTransaction }: SqlDatabase, recordTypes: readonly RecordType[]): Records {
  return {
    async get(recordType, scope, key, withDeleted = false) {
      const visible = withDeleted ? sql`` : sql`and hidden = false`
      const query = sql`${selectRows(recordType, flavour)} where ${sql.ref(recordType.key)} = ${key} and ${sql.ref(recordType.scope)} = ${scope} ${visible}`
      const { rows } = await query.execute(db)
      return rows[0] === undefined ? undefined : readerOf(recordType)(rows[0])
    },
    async list(recordType, query) {
      const found: unknown[] = []
      const many = await manyStatement(recordType, flavour, query)?.execute(db)
      for (const statement of pageStatements(recordType, flavour, query, many !== undefined && many.rows.length > 0)) {
        if (found.length >= query.limit) break
        found.push(...(await statement(query.limit - found.length).execute(db)).rows)
      }
      return found.map(readerOf(recordType))
    },
    count: async (recordType, query) => (await countStatement(recordType, flavour, query).execute(db)).rows[0]!.count,
    change: (accountId, by, run) =>
      inExclusiveTransaction(lockAccount(flavour, accountId), async (trx, isClosed) =>
        unannounced(await run(createAccountTransaction({ trx, flavour, recordTypes, accountId, by, isClosed }))),
      ),
  }
}
