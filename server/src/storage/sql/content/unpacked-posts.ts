import { CompiledQuery, sql, type Transaction } from 'kysely'
import { HOUR_MS } from '../../../lib/time.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { bulkInsert } from './bulk-insert.ts'

const UNPACKED_POSTS = { name: 'unpacked_posts', columns: { hour: 'number', post_id: 'bigid', gone: 'flag' } } as const

/** The hour of a column in milliseconds, as a number since 1970. */
const HOUR = sql.raw(`created_at_ms / ${HOUR_MS}`)

/** Of a post what decides whether, and in which hour, it is counted. */
type CountedPost = Readonly<Record<string, unknown>>

const rowOf = ({ id, created_at_ms }: CountedPost) => [Math.floor((created_at_ms as number) / HOUR_MS), BigInt(id as string), false]

/** Remembers that a new post is to be packed. Answers whether it is. */
export async function addUnpacked(trx: Transaction<Database>, { name }: Flavour, post: CountedPost): Promise<boolean> {
  if (post.nullcast) return false
  const values = name === 'postgres' ? '$1, $2, $3' : '?, ?, ?'
  const text = `insert into unpacked_posts (hour, post_id, gone) values (${values}) on conflict do nothing`
  await trx.executeQuery(CompiledQuery.raw(text, rowOf(post)))
  return true
}

/** The same for many posts. */
export async function addAllUnpacked(trx: Transaction<Database>, flavour: Flavour, posts: readonly CountedPost[]): Promise<boolean> {
  const rows = posts.filter(({ nullcast }) => !nullcast).map(rowOf)
  await bulkInsert(trx, flavour, UNPACKED_POSTS, rows)
  return rows.length > 0
}

/**
 * Remembers that a post is about to be deleted. It locks the row, so that packing, which passes over locked ones, does not pack the post as it
 * still is.
 */
export async function addGone(trx: Transaction<Database>, postId: string): Promise<void> {
  await sql`insert into unpacked_posts (hour, post_id, gone) select ${HOUR}, id, true from posts where id = ${BigInt(postId)}
    on conflict (hour, post_id) do update set gone = true`.execute(trx)
}

/** The same for all posts of a user. */
export async function addGoneOf(trx: Transaction<Database>, userId: string): Promise<void> {
  await sql`insert into unpacked_posts (hour, post_id, gone) select ${HOUR}, id, true from posts where author_id = ${userId}
    on conflict (hour, post_id) do update set gone = true`.execute(trx)
}

/**
 * Remembers that everybody, or nobody, may see the posts of a user from now on. Called once the user has changed, in the same transaction.
 * It locks the profile, as a new post of the user does when it is counted: a post is either seen here, or its own packing sees the change.
 */
export async function recountPostsOf(trx: Transaction<Database>, { locksRows }: Flavour, userId: string): Promise<void> {
  if (locksRows) await sql`select 1 from profiles where user_id = ${userId} for no key update`.execute(trx)
  await sql`insert into unpacked_posts (hour, post_id, gone) select ${HOUR}, id, false from posts where author_id = ${userId} and not nullcast
    on conflict (hour, post_id) do update set gone = unpacked_posts.gone`.execute(trx)
}
