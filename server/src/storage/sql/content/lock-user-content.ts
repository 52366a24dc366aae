import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../schema.ts'
import { atEnd } from './user-relations.ts'

/** The lists of a user, and those that count the user. */
const listsCounting = (userId: string) => sql`select id from lists where owner_id = ${userId}
  or id in (select cast(source as bigint) from relations where relation = 'list_member' and target = ${userId})
  or id in (select cast(target as bigint) from relations where relation = 'list_follower' and source = ${userId})
  order by id desc for update`

const relationsOf = (userId: string) => sql`select 1 from relations
  where (relation in (${sql.join(atEnd('source'))}) and source = ${userId})
  or (relation in (${sql.join(atEnd('target'))}) and target = ${userId})
  or (relation = 'list_member' and source in (select cast(id as text) from lists where owner_id = ${userId}))
  or (relation in ('list_follower', 'list_pin') and target in (select cast(id as text) from lists where owner_id = ${userId}))
  or (relation in ('media_post', 'media_conversation') and source in (select media_key from media where owner_id = ${userId}))
  or (relation = 'space_buyer' and source in (select id from spaces where creator_id = ${userId}))
  order by relation, source, target for update`

/** The profiles that count the user, and the user's own. */
const profilesCounting = (userId: string) => sql`select 1 from profiles where user_id = ${userId}
  or user_id in (select target from relations where relation = 'follow' and source = ${userId})
  or user_id in (select source from relations where relation = 'follow' and target = ${userId})
  or user_id in (select target from relations join lists on cast(lists.id as text) = source where relation = 'list_member' and owner_id = ${userId})
  order by length(user_id) desc, user_id desc for no key update`

/** The posts of a user, and those that count them or the user. */
const postsCounting = (userId: string) => sql`select 1 from posts where id in (
    select id from posts where author_id = ${userId}
    union select replied_to_id from posts where author_id = ${userId}
    union select quoted_id from posts where author_id = ${userId}
    union select reposted_id from posts where author_id = ${userId}
    union select cast(target as bigint) from relations where relation in ('like', 'bookmark') and source = ${userId})
  order by id desc for update`

/**
 * Locks what the removal of a user changes, in the order of all transactions on data objects (`Content.change`). The user is first: whoever
 * keeps the user then either has finished, or finds that the user is gone.
 */
export async function lockUserContent(trx: Transaction<Database>, userId: string): Promise<void> {
  const locks: RawBuilder<unknown>[] = [
    sql`select 1 from users where id = ${userId} for update`,
    listsCounting(userId),
    relationsOf(userId),
    profilesCounting(userId),
    postsCounting(userId),
  ]
  // Counted, so that no row is sent here.
  for (const lock of locks) await sql`select count(*) from (${lock}) as locked`.execute(trx)
}
