import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { newTable } from './new-table.ts'

/** Counts of wrong credentials for the audit log, and the addresses from which users signed in. */
export const addFailedAttempts = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await db.schema
    .createTable('failed_attempts')
    .addColumn('number', flavour.rowNumber)
    .addColumn('hour_ms', 'bigint', (it) => it.notNull())
    .addColumn('kind', flavour.text, (it) => it.notNull())
    .addColumn('address', flavour.text, (it) => it.notNull())
    .addColumn('count', 'bigint', (it) => it.notNull())
    .addUniqueConstraint('failed_attempts_of_hour', ['hour_ms', 'kind', 'address'])
    .execute()

  await newTable(db, flavour, 'sign_in_addresses', { user_id: 'text', address_sha256: 'text', last_at_ms: 'bigint' })
    .addPrimaryKeyConstraint('sign_in_addresses_pkey', ['user_id', 'address_sha256'])
    .addForeignKeyConstraint('sign_in_addresses_user', ['user_id'], 'users', ['id'], (key) => key.onDelete('cascade'))
    .execute()
}
