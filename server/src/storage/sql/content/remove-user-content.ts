import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../schema.ts'

/** The relations in which a user is the source, and those in which a user is the target: the others are lists, posts and conversations. */
const OF_SOURCES = sql`relation in ('follow', 'mute', 'block', 'like', 'bookmark', 'list_follower', 'list_pin', 'dm_deleted')`
const OF_TARGETS = sql`relation in ('follow', 'mute', 'block', 'list_member', 'dm_participant')`

/** The relations of others with a user's lists. */
const withLists = (userId: string) => {
  const lists = sql`(select cast(id as text) from lists where owner_id = ${userId})`
  return sql`(relation = 'list_member' and source in ${lists}) or (relation in ('list_follower', 'list_pin') and target in ${lists})`
}

/** Members of a user's public lists are in fewer lists. */
const unlisted = (userId: string) => {
  const listed = sql`from relations join lists on cast(lists.id as text) = relations.source
    where relation = 'list_member' and owner_id = ${userId} and not private`
  const gone = sql`(select count(*) ${listed} and target = profiles.user_id)`
  return sql`update profiles set listed_count = case when listed_count < ${gone} then 0 else listed_count - ${gone} end
    where user_id in (select target ${listed})`
}

/** The counters of others that a user's relations and posts changed. */
const uncounted = (userId: string): RawBuilder<unknown>[] => {
  const targets = (relation: string) => sql`(select target from relations where relation = ${sql.lit(relation)} and source = ${userId})`
  const postTargets = (relation: string) =>
    sql`(select cast(target as bigint) from relations where relation = ${sql.lit(relation)} and source = ${userId})`
  return [
    sql`update profiles set followers_count = followers_count - 1 where followers_count > 0 and user_id in ${targets('follow')}`,
    sql`update profiles set following_count = following_count - 1 where following_count > 0
      and user_id in (select source from relations where relation = 'follow' and target = ${userId})`,
    sql`update posts set like_count = like_count - 1 where like_count > 0 and id in ${postTargets('like')}`,
    sql`update posts set bookmark_count = bookmark_count - 1 where bookmark_count > 0 and id in ${postTargets('bookmark')}`,
    sql`update lists set member_count = member_count - 1 where member_count > 0
      and id in (select cast(source as bigint) from relations where relation = 'list_member' and target = ${userId})`,
    sql`update lists set follower_count = follower_count - 1 where follower_count > 0
      and id in ${postTargets('list_follower')}`,
    unlisted(userId),
  ]
}

/**
 * Deletes what a user made: posts, lists, spaces, media, relations. Others' counters follow. Messages stay for the other participants, and the terms of
 * posts that are gone find nothing.
 */
export async function removeUserContent(trx: Transaction<Database>, userId: string): Promise<void> {
  const owned = [
    sql`delete from relations where (${OF_SOURCES} and source = ${userId}) or (${OF_TARGETS} and target = ${userId})`,
    sql`delete from relations where ${withLists(userId)}`,
    sql`delete from posts where author_id = ${userId}`,
    sql`delete from lists where owner_id = ${userId}`,
    sql`delete from spaces where creator_id = ${userId}`,
    sql`delete from media where owner_id = ${userId}`,
  ]
  for (const statement of [...uncounted(userId), ...owned]) await statement.execute(trx)
}
