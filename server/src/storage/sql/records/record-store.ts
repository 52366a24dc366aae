import { type RawBuilder, sql } from 'kysely'
import { recordOfRow } from '../../record-rows.ts'
import type { ListQuery, Records, RecordType, StoredRecord } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { ReadRows } from '../read-rows.ts'
import { type Exclusive, type SqlDatabase, unannounced } from '../sql-database.ts'
import { createAccountTransaction } from './account-transaction.ts'
import { createKeptPages } from './kept-pages.ts'
import { countStatement, manyStatement, pageStatements, storedQuery } from './list-query.ts'
import { rowReader, selectRows } from './row-codec.ts'

const readers = new WeakMap<RecordType, (row: unknown) => StoredRecord>()

/** The row reader of a record type, created once. */
export function readerOf<R extends StoredRecord>(recordType: RecordType<R>): (row: unknown) => R {
  const reader = (readers.get(recordType) as ((row: unknown) => R) | undefined) ?? rowReader(recordType)
  readers.set(recordType, reader)
  return reader
}

/** Reads a page of a list as rows, from its segments in order until it is full. */
function createPageReader({ db, flavour, readRows }: SqlDatabase): Records['rows'] {
  const keptPages = createKeptPages(db, flavour)
  const run = (statement: RawBuilder<unknown>) => {
    const { sql: text, parameters } = statement.compile(db)
    return readRows(text, parameters)
  }

  /** How each segment is read: so many records at most. */
  async function segmentsOf(recordType: RecordType, query: ListQuery): Promise<((missing: number) => ReturnType<ReadRows>)[]> {
    const { filters = [], search } = query
    if (filters.length === 0 && search === undefined) {
      const stored = storedQuery(recordType, query)
      return keptPages(recordType, stored).map(
        ({ text, valuesFor }) =>
          (missing) =>
            readRows(text, valuesFor(stored, missing)),
      )
    }
    const many = manyStatement(recordType, flavour, query)
    const isLong = many !== undefined && (await run(many)).length > 0
    return pageStatements(recordType, flavour, query, isLong).map((statement) => (missing) => run(statement(missing)))
  }

  return async (recordType, query) => {
    let found: readonly (readonly unknown[])[] = []
    for (const read of await segmentsOf(recordType, query)) {
      if (found.length >= query.limit) break
      const more = await read(query.limit - found.length)
      found = found.length === 0 ? more : [...found, ...more]
    }
    return found
  }
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

export function createRecords(database: SqlDatabase, recordTypes: readonly RecordType[]): Records {
  const { db, flavour, inExclusiveTransaction } = database
  const rows = createPageReader(database)
  return {
    async get(recordType, scope, key, withDeleted = false) {
      const visible = withDeleted ? sql`` : sql`and hidden = false`
      const owned = Object.entries({ ...recordType.only, [recordType.scope]: scope })
      const conditions = sql.join(
        owned.map(([name, value]) => sql`and ${sql.ref(name)} = ${value}`),
        sql` `,
      )
      const query = sql`${selectRows(recordType, flavour)} where ${sql.ref(recordType.key)} = ${key} ${conditions} ${visible}`
      const { rows } = await query.execute(db)
      return rows[0] === undefined ? undefined : readerOf(recordType)(rows[0])
    },
    list: async (recordType, query) => (await rows(recordType, query)).map((row) => recordOfRow(recordType, row)),
    rows,
    count: async (recordType, query) => (await countStatement(recordType, flavour, query).execute(db)).rows[0]!.count,
    isAccountClosed: async (accountId) =>
      (await sql`select 1 from accounts where id = ${accountId} and hidden = true`.execute(db)).rows.length > 0,
    change: (accountId, by, run) =>
      inExclusiveTransaction(lockAccount(flavour, accountId), async (trx, isClosed) =>
        unannounced(await run(createAccountTransaction({ trx, flavour, recordTypes, accountId, by, isClosed }))),
      ),
  }
}
