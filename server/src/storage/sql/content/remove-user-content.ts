import { type RawBuilder, sql, type Transaction } from 'kysely'
import { relationCounters, relations, users } from '../../content-tables.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'

/** An end of a relation. */
type End = 'source' | 'target'

/** Relations that lists, conversations, spaces and media begin; all others begin at a user. */
const BEGUN_BY_OTHERS: readonly string[] = ['list_member', 'dm_participant', 'media_post', 'media_conversation', 'space_buyer']

/** Relations that end at a user. */
const ENDING_AT_USERS: readonly string[] = ['follow', 'mute', 'block', 'list_member', 'dm_participant', 'space_buyer']

/** The relations that have a user at an end. */
const atEnd = (end: End): readonly string[] =>
  end === 'source' ? relations.filter((relation) => !BEGUN_BY_OTHERS.includes(relation)) : ENDING_AT_USERS

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
async function lockUserContent(trx: Transaction<Database>, userId: string): Promise<void> {
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

const otherEnd = (end: End): End => (end === 'source' ? 'target' : 'source')

/** The counters at the other end of the user's relations: those of whom the user follows, of liked posts, of lists. */
function uncounted(userId: string, end: End): RawBuilder<unknown>[] {
  const other = otherEnd(end)
  return atEnd(end).flatMap((relation) => {
    const counters = relationCounters[relation as keyof typeof relationCounters] ?? []
    return counters
      .filter((counter) => counter.end === other)
      .map(({ table, column }) => {
        const [name, key, type] = table === users ? ['profiles', 'user_id', 'text'] : [table.name, table.key, 'bigint']
        const counter = sql.ref(column)
        const others = sql`select cast(${sql.ref(other)} as ${sql.raw(type)}) from relations
          where relation = ${relation} and ${sql.ref(end)} = ${userId}`
        return sql`update ${sql.table(name)} set ${counter} = ${counter} - 1 where ${counter} > 0 and ${sql.ref(key)} in (${others})`
      })
  })
}

/** A counter of posts that the user's posts refer to; the user may have replied to one post several times. */
function uncountedPosts(userId: string, reference: string, counter: string): RawBuilder<unknown> {
  const [column, count] = [sql.ref(reference), sql.ref(counter)]
  return sql`update posts set ${count} = ${count} - counted.n
    from (select ${column} as post_id, count(*) as n from posts where author_id = ${userId} and ${column} is not null group by ${column}) as counted
    where posts.id = counted.post_id and ${count} >= counted.n`
}

const listsOf = (userId: string) => sql`(select cast(id as text) from lists where owner_id = ${userId})`

/** Members of a user's public lists are in fewer lists. */
function unlisted(userId: string): RawBuilder<unknown> {
  const listed = sql`from relations join lists on cast(lists.id as text) = relations.source
    where relation = 'list_member' and owner_id = ${userId} and not private`
  const gone = sql`(select count(*) ${listed} and target = profiles.user_id)`
  return sql`update profiles set listed_count = case when listed_count < ${gone} then 0 else listed_count - ${gone} end
    where user_id in (select target ${listed})`
}

/** The relations of others with a user's lists. */
const withLists = (userId: string) => sql`delete from relations where (relation = 'list_member' and source in ${listsOf(userId)})
  or (relation in ('list_follower', 'list_pin') and target in ${listsOf(userId)})`

/** The posts whose likes and bookmarks are removed afterwards. */
const leftPosts = (userId: string) => sql`insert into removed_posts (id) select id from posts where author_id = ${userId}
  and exists (select 1 from relations where relation in ('like', 'bookmark') and target = cast(posts.id as text)) on conflict do nothing`

/** Which posts and conversations carry a user's media. */
const carriers = (userId: string) => sql`delete from relations where relation in ('media_post', 'media_conversation')
  and source in (select media_key from media where owner_id = ${userId})`

/** Who bought a ticket of a user's spaces. */
const buyers = (userId: string) => sql`delete from relations where relation = 'space_buyer'
  and source in (select id from spaces where creator_id = ${userId})`

const unrelated = (userId: string, end: End) =>
  sql`delete from relations where relation in (${sql.join(atEnd(end))}) and ${sql.ref(end)} = ${userId}`

/**
 * Deletes what a user made: posts, lists, spaces, media, relations. The counters of others follow. Messages stay for the other participants, and
 * index terms of posts that are gone find nothing.
 */
export async function removeUserContent(trx: Transaction<Database>, { locksRows }: Flavour, userId: string): Promise<void> {
  if (locksRows) await lockUserContent(trx, userId)
  const statements = [
    ...uncounted(userId, 'source'),
    ...uncounted(userId, 'target'),
    unlisted(userId),
    uncountedPosts(userId, 'replied_to_id', 'reply_count'),
    uncountedPosts(userId, 'quoted_id', 'quote_count'),
    uncountedPosts(userId, 'reposted_id', 'repost_count'),
    unrelated(userId, 'source'),
    unrelated(userId, 'target'),
    withLists(userId),
    carriers(userId),
    buyers(userId),
    sql`delete from polls where id in (select poll_id from posts where author_id = ${userId} and poll_id is not null)`,
    leftPosts(userId),
    sql`delete from posts where author_id = ${userId}`,
    sql`delete from lists where owner_id = ${userId}`,
    sql`delete from spaces where creator_id = ${userId}`,
    sql`delete from media where owner_id = ${userId}`,
  ]
  for (const statement of statements) await statement.execute(trx)
}
