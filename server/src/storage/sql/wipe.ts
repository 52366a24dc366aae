import { sql } from 'kysely'
import { EVENT_LOG } from '../log-position.ts'
import type { RecordType } from '../records.ts'
import type { Flavour } from './flavour.ts'
import { DECLARED_TABLES } from './records/declared-record.ts'
import type { Database } from './schema.ts'
import { SEALING_PROOF } from './sealing-proof.ts'
import { announce, type SqlDatabase } from './sql-database.ts'

/** The tables of a flavour, each before those that it refers to. Metadata are not among them. */
const tablesOf = (flavour: Flavour): Exclude<keyof Database, 'metadata'>[] => [
  'account_members',
  'account_history',
  'bearer_tokens',
  'request_tokens',
  'user_tokens',
  'sessions',
  'nonces',
  'subscriptions',
  'replay_jobs',
  'webhooks',
  'app_usage',
  'apps',
  'users',
  'audit_log',
  ...(flavour.hasRateWindows ? (['rate_windows'] as const) : []),
]

/** Deletes every row but those that say which migrations have run and which tables were made, the proof of the sealing secret, and the log that the state goes with. */
export const wipe = ({ flavour, inTransaction }: SqlDatabase, recordTypes: readonly RecordType[]): Promise<void> =>
  inTransaction(async (trx) => {
    for (const { table } of recordTypes) await sql`delete from ${sql.table(table)}`.execute(trx)
    for (const table of tablesOf(flavour)) await trx.deleteFrom(table).execute()
    await trx.deleteFrom('metadata').where('name', 'not in', [SEALING_PROOF, DECLARED_TABLES, EVENT_LOG]).execute()
    return announce(undefined, { kind: 'everything' })
  })
