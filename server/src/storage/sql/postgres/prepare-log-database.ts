import { Kysely, PostgresDialect, sql } from 'kysely'
import { EVENT_LOGS, HELD_SINCE, LOG_IDENTITY } from '../../metadata.ts'
import { logMigrated } from '../../migrate.ts'
import type { Outage } from '../../outage.ts'
import { placeOf } from '../../postgres/place.ts'
import { openPool } from '../../postgres/pools.ts'
import type { StorageLog } from '../../storage-log.ts'
import { postgresFlavour } from '../flavour.ts'
import { migrateDatabase } from '../migrate-database.ts'
import type { Database } from '../schema.ts'
import { SEALING_PROOF } from '../sealing-proof.ts'
import { parseLogMap } from '../stores/log-map-store.ts'
import { createMetadata } from '../stores/metadata-store.ts'

/** What a database that is to carry an event log says of itself. */
export interface LogDatabase {
  /** Which log of which state it is; undefined for a new one. */
  identity: string | undefined
  /** The state whose database it is: the name that it has for its logs. Undefined where it is that of none that has several. */
  state: string | undefined
  /** It has the data of a Postern. */
  isState: boolean
}

export interface PreparedLog {
  identity: string
  hasEvents: boolean
  /** It is a restored copy. */
  isCopy: boolean
}

interface Options {
  url: string
  outage: Outage
  log: StorageLog | undefined
  /** Decides, by what the database says, which log it is. */
  identify(database: LogDatabase): string
}

/**
 * Brings the tables of a database that carries an event log to this version, and gives a new one its identity. It has the tables of the state
 * too, by the same migrations; they stay empty.
 */
export async function prepareLogDatabase({ url, outage, log, identify }: Options): Promise<PreparedLog> {
  const pool = openPool('maintenance', url, { outage })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  try {
    logMigrated(log, { what: 'event log', place: placeOf(url) }, await migrateDatabase(db, postgresFlavour))
    const metadata = createMetadata(db)
    const found = await db
      .selectFrom('metadata')
      .selectAll()
      .where('name', 'in', [EVENT_LOGS, LOG_IDENTITY, SEALING_PROOF, HELD_SINCE])
      .execute()
    const recordedAs = (wanted: string) => found.find(({ name }) => name === wanted)?.value
    const identity = recordedAs(LOG_IDENTITY)
    const state = parseLogMap(recordedAs(EVENT_LOGS))?.state
    const wanted = identify({ identity, state, isState: recordedAs(SEALING_PROOF) !== undefined })
    const { rows } = await sql<{ some: boolean }>`select exists (select 1 from log_event) as some`.execute(db)
    return {
      identity: await metadata.setIfAbsent(LOG_IDENTITY, wanted),
      hasEvents: rows[0]!.some,
      isCopy: Boolean(recordedAs(HELD_SINCE)),
    }
  } finally {
    await db.destroy()
  }
}
