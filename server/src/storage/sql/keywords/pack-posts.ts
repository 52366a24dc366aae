import { sql, type Transaction } from 'kysely'
import { packOrdinals, visitOrdinals } from '../../../lib/ordinals.ts'
import { holdNamedLock } from '../advisory-lock.ts'
import { bulkInsert } from '../content/bulk-insert.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { keywordTermsOf } from './keyword-terms.ts'

/** Of the processes that share a database one packs at a time. */
export const PACKING = 'pack posts'

interface Taken {
  hour: number
  id: string
  /** Whether a post of this id was deleted since it was packed; there may be another one now. */
  gone: boolean
}

/** What everybody may see of a post. */
interface SeenPost {
  text: string
  country: string | null
}

/** The numbers of the posts of an hour. */
interface HourNumbers {
  ids: bigint[]
  ordinalOf: Map<bigint, number>
  dead: Set<number>
}

/** Takes unpacked posts, but none that a transaction is changing. */
async function take(trx: Transaction<Database>, { locksRows }: Flavour, atMost: number): Promise<Taken[]> {
  const passing = locksRows ? sql`for update skip locked` : sql``
  const chosen = sql`select hour, post_id from unpacked_posts order by hour, post_id limit ${atMost} ${passing}`
  const { rows } = await sql<{ hour: number | string; id: string; gone: boolean | number }>`with chosen as materialized (${chosen})
    delete from unpacked_posts where (hour, post_id) in (select hour, post_id from chosen)
    returning hour, cast(post_id as text) as id, gone`.execute(trx)
  return rows
    .map(({ hour, id, gone }) => ({ hour: Number(hour), id, gone: Boolean(gone) }))
    .sort((one, other) => one.hour - other.hour || (BigInt(one.id) < BigInt(other.id) ? -1 : 1))
}

/** Which of these posts everybody may see. Read after they were taken: whoever changes one of them later puts it among the unpacked ones again. */
async function readSeen(trx: Transaction<Database>, flavour: Flavour, ids: readonly string[]): Promise<Map<string, SeenPost>> {
  const { rows } = await sql<SeenPost & { id: string }>`select cast(p.id as text) as id, p.text as text, places.country_code as country
    from posts as p join users on users.id = p.author_id join profiles on profiles.user_id = p.author_id
    left join places on places.id = p.place_id
    where p.id in (select cast(value as bigint) from ${flavour.values(JSON.stringify(ids))})
    and not p.nullcast and p.restriction is null and not users.disabled and not profiles.protected`.execute(trx)
  return new Map(rows.map(({ id, ...seen }) => [id, seen]))
}

/** The ids of a packed hour. */
export const idsOfBytes = (bytes: Uint8Array): BigInt64Array => new BigInt64Array(Uint8Array.from(bytes).buffer)

async function readHours(trx: Transaction<Database>, hours: readonly number[]): Promise<Map<number, HourNumbers>> {
  const { rows } = await sql<{
    hour: number | string
    post_ids: Uint8Array
    dead: Uint8Array | null
  }>`select hour, post_ids, dead from packed_hours where hour in (${sql.join(hours)})`.execute(trx)
  const numbers = new Map(hours.map((hour): [number, HourNumbers] => [hour, { ids: [], ordinalOf: new Map(), dead: new Set() }]))
  for (const { hour, post_ids, dead } of rows) {
    const one = numbers.get(Number(hour))!
    one.ids = [...idsOfBytes(post_ids)]
    one.ordinalOf = new Map(one.ids.map((id, ordinal) => [id, ordinal]))
    if (dead) visitOrdinals(dead, (ordinal) => one.dead.add(ordinal))
  }
  return numbers
}

/** Numbers by term, of one hour. */
type TermLists = Map<bigint, number[]>

/**
 * Gives a post its number, or takes it away. A post that nobody may see any more keeps its number and is dead; one that was deleted loses it,
 * because another post could have the same id.
 */
function number({ ids, ordinalOf, dead }: HourNumbers, { id, gone }: Taken, seen: SeenPost | undefined, lists: TermLists) {
  const former = ordinalOf.get(BigInt(id))
  if (former !== undefined) {
    if (gone) ids[former] = 0n
    if (gone || !seen) dead.add(former)
    else dead.delete(former)
  }
  if (seen && (former === undefined || gone)) {
    const ordinal = ids.push(BigInt(id)) - 1
    for (const term of keywordTermsOf(seen.text, seen.country)) {
      const list = lists.get(term)
      if (list) list.push(ordinal)
      else lists.set(term, [ordinal])
    }
  }
}

async function writeHour(trx: Transaction<Database>, hour: number, { ids, dead }: HourNumbers) {
  const bytes = Buffer.from(BigInt64Array.from(ids).buffer)
  const deadBytes = dead.size > 0 ? Buffer.from(packOrdinals([...dead].sort((one, other) => one - other))) : null
  await sql`insert into packed_hours (hour, size, post_ids, dead) values (${hour}, ${ids.length}, ${bytes}, ${deadBytes})
    on conflict (hour) do update set size = excluded.size, post_ids = excluded.post_ids, dead = excluded.dead`.execute(trx)
}

const byTerm = ([one]: [bigint, unknown], [other]: [bigint, unknown]) => (one < other ? -1 : 1)

/** Appends to the list of each term. */
async function writeTerms(trx: Transaction<Database>, flavour: Flavour, hour: number, lists: TermLists) {
  const rows = [...lists].sort(byTerm).map(([term, ordinals]) => [hour, term, Buffer.from(packOrdinals(ordinals))])
  const appended = 'packed_terms.posts || excluded.posts'
  const posts = flavour.name === 'sqlite' ? `cast(${appended} as blob)` : appended
  const conflict = `on conflict (hour, term) do update set posts = ${posts}`
  await bulkInsert(trx, flavour, { name: 'packed_terms', columns: { hour: 'number', term: 'bigid', posts: 'bytes' }, conflict }, rows)
}

/** Packs at most so many unpacked posts; answers how many. */
export async function packPosts(trx: Transaction<Database>, flavour: Flavour, atMost: number): Promise<number> {
  await holdNamedLock(trx, flavour, PACKING)
  const taken = await take(trx, flavour, atMost)
  if (taken.length === 0) return 0
  const seen = await readSeen(
    trx,
    flavour,
    taken.map(({ id }) => id),
  )
  const byHour = Map.groupBy(taken, ({ hour }) => hour)
  const numbers = await readHours(trx, [...byHour.keys()])
  for (const [hour, posts] of byHour) {
    const [hourNumbers, lists] = [numbers.get(hour)!, new Map() as TermLists]
    for (const post of posts) number(hourNumbers, post, seen.get(post.id), lists)
    await writeHour(trx, hour, hourNumbers)
    await writeTerms(trx, flavour, hour, lists)
  }
  return taken.length
}
