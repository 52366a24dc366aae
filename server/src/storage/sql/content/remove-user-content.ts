import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../schema.ts'

/** The relations in which a user is the source, and those in which a user is the target: the others are lists, posts and conversations. */
const OF_SOURCES = sql`relation in ('follow', 'mute', 'block', 'like', 'bookmark', 'dm_deleted')`
const OF_TARGETS = sql`relation in ('follow', 'mute', 'block', 'list_member', 'list_follower', 'list_pin', 'dm_participant')`

/** The counters of others that a user's relations and posts changed. */
const uncounted = (userId: string): RawBuilder<unknown>[] => {
  const targets = (relation: string) => sql`(select target from relations where relation = ${sql.lit(relation)} and source = ${userId})`
  const postTargets = (relation: string) =>
    sql`(select cast(target as bigint) from relations where relation = ${sql.lit(relation)} and source = ${userId})`
  /** A user may reply to one post several times. */
  const uncountedPosts = (reference: string, counter: string) => {
    const [column, count] = [sql.ref(reference), sql.ref(counter)]
    return sql`update posts set ${count} = ${count} - counted.n
      from (select ${column} as post_id, count(*) as n from posts where author_id = ${userId} and ${column} is not null group by ${column}) as counted
      where posts.id = counted.post_id and ${count} >= counted.n`
  }
  return [
    sql`update profiles set followers_count = followers_count - 1 where followers_count > 0 and user_id in ${targets('follow')}`,
    sql`update profiles set following_count = following_count - 1 where following_count > 0
      and user_id in (select source from relations where relation = 'follow' and target = ${userId})`,
    sql`update posts set like_count = like_count - 1 where like_count > 0 and id in ${postTargets('like')}`,
    sql`update posts set bookmark_count = bookmark_count - 1 where bookmark_count > 0 and id in ${postTargets('bookmark')}`,
    ...[uncountedPosts('replied_to_id', 'reply_count'), uncountedPosts('quoted_id', 'quote_count')],
    uncountedPosts('reposted_id', 'repost_count'),
    sql`update lists set member_count = member_count - 1 where member_count > 0
      and id in (select cast(source as bigint) from relations where relation = 'list_member' and target = ${userId})`,
    sql`update lists set follower_count = follower_count - 1 where follower_count > 0
      and id in (select cast(source as bigint) from relations where relation = 'list_follower' and target = ${userId})`,
  ]
}

/**
 * Deletes what a user made: posts, lists, spaces, media, relations. Others' counters follow. Messages stay for the other participants, and the terms of
 * posts that are gone find nothing.
 */
export async function removeUserContent(trx: Transaction<Database>, userId: string): Promise<void> {
  const owned = [
    sql`delete from relations where (${OF_SOURCES} and source = ${userId}) or (${OF_TARGETS} and target = ${userId})`,
    sql`delete from posts where author_id = ${userId}`,
    sql`delete from lists where owner_id = ${userId}`,
    sql`delete from spaces where creator_id = ${userId}`,
    sql`delete from media where owner_id = ${userId}`,
  ]
  for (const statement of [...uncounted(userId), ...owned]) await statement.execute(trx)
}
