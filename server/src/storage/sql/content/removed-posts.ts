import { sql, type Transaction } from 'kysely'
import { type Clock, endOfTurn, type Timer } from '../../../lib/clock.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { type SqlDatabase, unannounced } from '../sql-database.ts'
import { isKeyAmong } from './columns.ts'

/** So many likes or bookmarks of a removed post are removed in one transaction. */
const SLICE_ROWS = 500

/** After a failure the next slice is tried after so long. */
const RETRY_MS = 10_000

/** Notes that likes and bookmarks of posts are to be removed, where there are any. Call it once the posts are removed: nobody adds one then. */
export async function noteRemovedPosts(trx: Transaction<Database>, postIds: readonly string[]): Promise<boolean> {
  const noted = await Promise.all(
    postIds.map((id) =>
      sql`insert into removed_posts (id) select cast(${id} as bigint)
        where exists (select 1 from relations where relation in ('like', 'bookmark') and target = ${id}) on conflict do nothing`.execute(
        trx,
      ),
    ),
  )
  return noted.some(({ numAffectedRows }) => (numAffectedRows ?? 0n) > 0n)
}

/** Removes some relations to a removed post; answers who had them. They are found first, so that each is removed by its key. */
async function unrelate(trx: Transaction<Database>, flavour: Flavour, relation: 'like' | 'bookmark', postId: string): Promise<string[]> {
  const { rows: some } = await sql<{ source: string }>`select source from relations
    where relation = ${relation} and target = ${postId} order by position limit ${sql.lit(SLICE_ROWS)}`.execute(trx)
  if (some.length === 0) return []
  const isSome = isKeyAmong(
    flavour,
    'source',
    some.map(({ source }) => source),
  )
  const { rows } = await sql<{ source: string }>`delete from relations
    where relation = ${relation} and target = ${postId} and ${isSome} returning source`.execute(trx)
  return rows.map(({ source }) => source)
}

/** Counts one like less of each of these users, whose profiles are locked in the order of all transactions. */
async function uncountLikes(trx: Transaction<Database>, flavour: Flavour, userIds: readonly string[]): Promise<void> {
  const isAmong = isKeyAmong(flavour, 'user_id', userIds)
  if (flavour.locksRows)
    await sql`select 1 from profiles where ${isAmong} order by length(user_id) desc, user_id desc for no key update`.execute(trx)
  await sql`update profiles set like_count = like_count - 1 where like_count > 0 and ${isAmong}`.execute(trx)
}

/** Removes one slice; whether there may be more. Without a removed post it only reads. */
async function removeSlice({ inTransaction, askValue, flavour }: SqlDatabase): Promise<boolean> {
  if (!(await askValue('select exists (select 1 from removed_posts)'))) return false
  return inTransaction(async (trx) => {
    const lock = flavour.locksRows ? sql`for update skip locked` : sql``
    const { rows } = await sql<{
      id: string
    }>`select cast(id as text) as id from removed_posts order by removed_posts.id limit 1 ${lock}`.execute(trx)
    const postId = rows[0]?.id
    if (postId === undefined) return unannounced(false)
    const bookmarks = await unrelate(trx, flavour, 'bookmark', postId)
    const likers = bookmarks.length < SLICE_ROWS ? await unrelate(trx, flavour, 'like', postId) : []
    if (likers.length > 0) await uncountLikes(trx, flavour, likers)
    if (bookmarks.length < SLICE_ROWS && likers.length < SLICE_ROWS)
      await sql`delete from removed_posts where id = ${BigInt(postId)}`.execute(trx)
    return unannounced(true)
  })
}

/** Removes what is left of removed posts, in slices, and goes on where this or another process stopped. */
export interface PostRemoval {
  /** Removes one slice now, and the others after it. */
  begin(): Promise<void>
  /** Resolves once no slice is running. */
  stop(): Promise<void>
}

export function createPostRemoval(database: SqlDatabase, clock: Clock): PostRemoval {
  let isStopped = false
  let draining: Promise<void> | undefined
  let retry: Timer | undefined
  /** The running slices of callers who wait for one. */
  const firsts = new Set<Promise<boolean>>()

  const drain = async () => {
    while (!isStopped && (await removeSlice(database))) await endOfTurn()
  }
  function drainOn() {
    draining ??= drain()
      .catch(() => {
        if (!isStopped) retry = clock.after(RETRY_MS, drainOn)
      })
      .finally(() => {
        draining = undefined
      })
  }
  return {
    async begin() {
      if (isStopped) return
      const first = removeSlice(database).catch(() => true)
      firsts.add(first)
      if (await first.finally(() => firsts.delete(first))) void endOfTurn().then(drainOn)
    },
    async stop() {
      isStopped = true
      retry?.cancel()
      await Promise.all([draining, ...firsts])
    },
  }
}
