import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { newTable } from './new-table.ts'

/** Who may use which advertising account, with the keys by which they list it, and what was changed in accounts. */
export const addAccounts = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await newTable(db, flavour, 'account_members', {
    user_id: 'text',
    account_id: 'text',
    role: 'text',
    host: 'text',
    hidden: 'boolean',
    deleted: 'boolean',
    created_at_ms: 'bigint',
    updated_at_ms: 'bigint',
    name: 'text',
    name_key: 'text',
  })
    .addPrimaryKeyConstraint('account_members_pkey', ['user_id', 'account_id'])
    .addForeignKeyConstraint('account_members_user', ['user_id'], 'users', ['id'])
    .execute()
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(`account_members_${name}`).on('account_members').columns(columns).execute()
  await index('of_account_id', ['account_id'])
  for (const key of ['created_at_ms', 'updated_at_ms', 'deleted', 'name'])
    await index(`by_${key}`, ['user_id', 'host', 'hidden', key, 'account_id'])
  await index('by_prefix', ['user_id', 'host', 'name_key'])

  await db.schema
    .createTable('account_history')
    .addColumn('number', flavour.rowNumber)
    .addColumn('account_id', flavour.text, (it) => it.notNull())
    .addColumn('entity', flavour.text, (it) => it.notNull())
    .addColumn('entity_id', flavour.text, (it) => it.notNull())
    .addColumn('change_type', flavour.text, (it) => it.notNull())
    .addColumn('user_id', flavour.text, (it) => it.notNull())
    .addColumn('at_ms', 'bigint', (it) => it.notNull())
    .addColumn('changes', flavour.text, (it) => it.notNull())
    .addColumn('entity_data', flavour.text, (it) => it.notNull())
    .execute()
  await db.schema
    .createIndex('account_history_of_entity')
    .on('account_history')
    .columns(['account_id', 'entity', 'entity_id', 'number'])
    .execute()
}
