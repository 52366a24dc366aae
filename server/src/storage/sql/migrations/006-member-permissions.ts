import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** What a member of an account may do besides what the role allows. */
export const addMemberPermissions = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await db.schema
    .alterTable('account_members')
    .addColumn('permissions', flavour.text, (it) => it.notNull().defaultTo('[]'))
    .execute()
}
