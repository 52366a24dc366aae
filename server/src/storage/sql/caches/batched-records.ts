import { type Kysely, sql } from 'kysely'
import type { Records, RecordType, StoredRecord } from '../../records.ts'
import { postgresFlavour } from '../flavour.ts'
import { ANY_KEY, type PreparedQuery } from '../prepared-query.ts'
import { readerOf } from '../records/record-store.ts'
import { columnsRead } from '../records/row-codec.ts'
import type { Database } from '../schema.ts'
import { createRowLookup } from './batched-lookup.ts'

interface Found {
  record: StoredRecord
  scope: string
  isHidden: boolean
}

type FoundRow = Record<'lookup_scope', string> & Record<'lookup_hidden', boolean>

function createKindLookup(kind: RecordType, db: Kysely<Database>, query: PreparedQuery): (id: string) => Promise<Found | undefined> {
  const from = sql`${sql.table(kind.table)} where id = ${sql.raw(ANY_KEY)}`
  const columns = sql`id as key, ${sql.ref(kind.scope)} as lookup_scope, hidden as lookup_hidden, ${columnsRead(kind, postgresFlavour, '')}`
  const readRecord = readerOf(kind)
  return createRowLookup(query, {
    name: `records-of-${kind.table}`,
    text: sql`select ${columns} from ${from}`.compile(db).sql,
    read: (row: FoundRow) => ({ record: readRecord(row), scope: row.lookup_scope, isHidden: row.lookup_hidden }),
  })
}

/** Asks for the records of one kind of many requests with one statement. */
export function batchRecords(store: Records, db: Kysely<Database>, query: PreparedQuery): Records {
  const lookups = new Map<string, ReturnType<typeof createKindLookup>>()
  const lookupOf = (kind: RecordType) => {
    const lookup = lookups.get(kind.table) ?? createKindLookup(kind, db, query)
    lookups.set(kind.table, lookup)
    return lookup
  }

  return {
    ...store,
    async get<R extends StoredRecord>(kind: RecordType<R>, scope: string, id: string, withDeleted = false) {
      const found = await lookupOf(kind as unknown as RecordType)(id)
      return found && found.scope === scope && (withDeleted || !found.isHidden) ? (found.record as R) : undefined
    },
  }
}
