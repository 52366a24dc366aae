import { type Kysely, sql } from 'kysely'
import { EVENT_LOGS, HELD_SINCE, LOG_IDENTITY, SHARED_SETTINGS } from '../metadata.ts'
import type { Recorded } from '../migrate.ts'
import type { SchemaChange } from '../schema-changes.ts'
import { DECLARED_TABLES } from './records/declared-record.ts'
import type { Database } from './schema.ts'
import { SEALING_PROOF } from './sealing-proof.ts'

/** What a database says of itself. */
export interface RecordedState extends Recorded {
  /** A known value, sealed. */
  proof: string | undefined
  /** Since when it is a held copy, as an ISO time; undefined or empty when it is not. */
  heldSince: string | undefined
  /** What the processes on it were started with. */
  sharedSettings: string | undefined
  /** Which of several event logs has what. */
  eventLogs: string | undefined
  /** Which of several event logs it is. */
  logIdentity: string | undefined
}

/** Reads what a start must know of a database with one query. Rejects if it lacks the tables for it, as one of a former version does. */
export async function readRecorded(db: Kysely<Database>): Promise<RecordedState> {
  const all = sql<Row>`select name, null as value, null as kind, null as version, null as former_version, null as unused_since from migrations
    union all select name, value, null, null, null, null from metadata where name in (${sql.lit(DECLARED_TABLES)}, ${sql.lit(SEALING_PROOF)}, ${sql.lit(HELD_SINCE)}, ${sql.lit(SHARED_SETTINGS)}, ${sql.lit(EVENT_LOGS)}, ${sql.lit(LOG_IDENTITY)})
    union all select name, null, kind, version, former_version, unused_since from schema_changes`
  const { rows } = await all.execute(db)
  const recordedAs = (name: string) => rows.find((row) => row.name === name && row.value !== null)?.value ?? undefined
  const isChange = (row: Row): row is Row & SchemaChange => row.kind !== null
  return {
    migrations: rows.filter((row) => row.value === null && !isChange(row)),
    changes: rows.filter(isChange),
    declared: recordedAs(DECLARED_TABLES),
    proof: recordedAs(SEALING_PROOF),
    heldSince: recordedAs(HELD_SINCE),
    sharedSettings: recordedAs(SHARED_SETTINGS),
    eventLogs: recordedAs(EVENT_LOGS),
    logIdentity: recordedAs(LOG_IDENTITY),
  }
}

type Row = { name: string; value: string | null } & { [Member in keyof Omit<SchemaChange, 'name'>]: SchemaChange[Member] | null }
