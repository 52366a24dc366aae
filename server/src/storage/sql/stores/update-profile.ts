import type { Transaction } from 'kysely'
import type { Profile, UserStore } from '../../users.ts'
import type { Database } from '../schema.ts'
import { announce, unannounced, type Written } from '../sql-database.ts'

/** Changes the name of a user and what its profile says, with the entities that are in it. */
export async function updateProfile(
  trx: Transaction<Database>,
  ...[id, { name, ...said }, entitiesOf]: Parameters<UserStore['updateProfile']>
): Promise<Written<Profile | undefined>> {
  if (name !== undefined) await trx.updateTable('users').set({ name }).where('id', '=', id).execute()
  const saysMore = Object.keys(said).length > 0
  if (saysMore) await trx.updateTable('profiles').set(said).where('user_id', '=', id).execute()
  const profile = await trx
    .selectFrom('users')
    .innerJoin('profiles', 'profiles.user_id', 'users.id')
    .select(['name', 'description', 'location', 'url'])
    .where('users.id', '=', id)
    .executeTakeFirst()
  if (!profile) return unannounced(undefined)
  if (saysMore) {
    const entities = entitiesOf(profile)
    const changed = trx.updateTable('profiles').set({ entities: entities && JSON.stringify(entities) })
    await changed.where('user_id', '=', id).execute()
  }
  return announce(profile, { kind: 'user', id })
}
