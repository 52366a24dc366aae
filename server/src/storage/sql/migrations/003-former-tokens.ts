import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** Each refresh token that was replaced just now has a time of its own, where a grant had that of the last one, which version 0.2 still writes and reads. */
export const addFormerTokens = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await db.schema.alterTable('oauth2_grants').addColumn('former_tokens', flavour.text).execute()
}
