import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** The last challenges of a webhook that decided whether it is valid. */
export const addChallengeHistory = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await db.schema
    .alterTable('webhooks')
    .addColumn('challenge_history', flavour.text, (column) => column.notNull().defaultTo(''))
    .execute()
}
