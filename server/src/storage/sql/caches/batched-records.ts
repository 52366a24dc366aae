import { type Kysely, sql } from 'kysely'
import { fieldOf, type Records, type RecordType, type StoredRecord } from '../../records.ts'
import { postgresFlavour } from '../flavour.ts'
import { ANY_KEY, type PreparedQuery } from '../prepared-query.ts'
import { readerOf } from '../records/record-store.ts'
import { columnsRead } from '../records/row-codec.ts'
import type { Database } from '../schema.ts'
import { createLookup } from './batched-lookups.ts'

interface Found {
  record: StoredRecord
  scope: string
  isHidden: boolean
}

interface FoundRow {
  lookup_scope: string
  lookup_hidden: boolean
}

/** Looks up the records of a key; there may be several if keys are unique only in their scope. */
function createKeyLookup(
  name: string,
  recordType: RecordType,
  db: Kysely<Database>,
  query: PreparedQuery,
): (key: string) => Promise<readonly Found[]> {
  const key = sql.ref(recordType.key)
  const columns = sql`${key} as key, ${sql.ref(recordType.scope)} as lookup_scope, hidden as lookup_hidden, ${columnsRead(recordType, postgresFlavour, '')}`
  const readRecord = readerOf(recordType)
  return createLookup(query, {
    name,
    text: sql`select ${columns} from ${sql.table(recordType.table)} where ${key} = ${sql.raw(ANY_KEY)}`.compile(db).sql,
    read: (rows: readonly FoundRow[]) =>
      rows.map((row) => ({ record: readRecord(row), scope: row.lookup_scope, isHidden: row.lookup_hidden })),
  })
}

/** Whether a record of the table is one of the type. */
const isOf = ({ only = {} }: RecordType, record: object) => Object.entries(only).every(([field, value]) => fieldOf(record, field) === value)

/** Batches the lookups of records, for each record type. */
export function batchRecords(store: Records, db: Kysely<Database>, query: PreparedQuery): Records {
  const lookups = new Map<string, ReturnType<typeof createKeyLookup>>()
  const lookupOf = (recordType: RecordType) => {
    const name = ['records-of', recordType.table, ...Object.values(recordType.only ?? {})].join('-')
    const lookup = lookups.get(name) ?? createKeyLookup(name, recordType, db, query)
    lookups.set(name, lookup)
    return lookup
  }

  return {
    ...store,
    async get<R extends StoredRecord>(recordType: RecordType<R>, scope: string, key: string, withDeleted = false) {
      const found = (await lookupOf(recordType)(key)).find((each) => each.scope === scope)
      return found && isOf(recordType, found.record) && (withDeleted || !found.isHidden) ? (found.record as R) : undefined
    },
  }
}
