import type { Kysely } from 'kysely'

/** Lets a webhook tell the outcome of an older challenge from that of a newer. */
export const orderOfChallenges = async (db: Kysely<unknown>) => {
  for (const column of ['challenges_begun', 'decided_by'])
    await db.schema
      .alterTable('webhooks')
      .addColumn(column, 'bigint', (it) => it.notNull().defaultTo(0))
      .execute()
}
