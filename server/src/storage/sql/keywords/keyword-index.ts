import type { Hours, KeywordIndex } from '../../keyword-index.ts'
import { isAmong } from '../content/columns.ts'
import { type SqlDatabase, unannounced } from '../sql-database.ts'
import { idsOfBytes, packPosts } from './pack-posts.ts'

const inHours = (column: string) => `${column} >= $1 and ${column} < $2`
const bounds = ({ from, to }: Hours) => [from, to]

/** A parameter with numbers of 64 bits as rows of a table `wanted (place, value)`. */
const wanted = {
  sqlite: (parameter: string) => `(select key as place, value from json_each(${parameter})) as wanted`,
  postgres: (parameter: string) =>
    `(select ordinality - 1 as place, value from unnest(${parameter}::bigint[]) with ordinality as o (value)) as wanted`,
}

/** The lists of terms are found by their key, hour by hour and term by term: whole hours are never read. */
const packedTerms = {
  sqlite: `from packed_hours as h cross join ${wanted.sqlite('$3')} cross join packed_terms as t
    where t.hour = h.hour and t.term = wanted.value and ${inHours('h.hour')}`,
  postgres: `from packed_hours as h cross join ${wanted.postgres('$3')}
    cross join lateral (select posts from packed_terms as l where l.hour = h.hour and l.term = wanted.value limit 1) as t
    where ${inHours('h.hour')}`,
}

/** The keyword index, over SQL. `listeners` are called after posts that are to be packed were committed. */
export function createKeywordIndex({ readRows, flavour, write }: SqlDatabase, listeners: Set<() => void>): KeywordIndex {
  const numbers = (values: readonly string[]) => (flavour.name === 'postgres' ? values : `[${values.join()}]`)
  const among = (column: string, parameter: string, values: readonly string[]) => isAmong(flavour, column, parameter, values, true)

  return {
    async unpacked(hours, { hour, postId } = { hour: -1, postId: '0' }, limit) {
      const rows = await readRows(
        `select hour, cast(post_id as text) from unpacked_posts as u where ${inHours('hour')} and (u.hour, u.post_id) > ($3, $4)
          order by u.hour, u.post_id limit $5`,
        [...bounds(hours), hour, BigInt(postId), limit],
      )
      return rows.map(([hour, postId]) => ({ hour: Number(hour), postId: postId as string }))
    },
    async withTerms(postIds, terms) {
      if (postIds.length === 0 || terms.length === 0) return []
      const [isPost, posts] = among('post_id', '$1', postIds)
      const [isTerm, hashes] = among('term', '$2', terms)
      const rows = await readRows(`select distinct cast(post_id as text) from post_terms where ${isTerm} and ${isPost}`, [posts, hashes])
      return rows.map(([id]) => id as string)
    },
    async packed(hours, terms) {
      const text = `select h.hour, h.size, h.dead, wanted.place, t.posts ${packedTerms[flavour.name]}`
      const rows = await readRows(text, [...bounds(hours), numbers(terms)])
      return rows.map(([hour, size, dead, place, posts]) => ({
        hour: Number(hour),
        size: Number(size),
        place: Number(place),
        dead: dead as Uint8Array | null,
        posts: posts as Uint8Array,
      }))
    },
    async postIds(hours) {
      if (hours.length === 0) return new Map()
      const [isHour, parameter] = among('hour', '$1', hours.map(String))
      const rows = await readRows(`select hour, post_ids from packed_hours where ${isHour}`, [parameter])
      return new Map(rows.map(([hour, ids]) => [Number(hour), idsOfBytes(ids as Uint8Array)]))
    },
    async frequencies(terms, most) {
      const newest = await readRows(`select cast(id as text) from posts as p order by p.id desc limit $1`, [most])
      if (newest.length === 0 || terms.length === 0) return { counts: terms.map(() => 0), among: newest.length }
      const count = '(select count(*) from post_terms as t where t.term = wanted.value and t.post_id >= $2)'
      const rows = await readRows(`select wanted.place, ${count} from ${wanted[flavour.name]('$1')}`, [
        numbers(terms),
        BigInt(newest.at(-1)![0] as string),
      ])
      const counts = terms.map(() => 0)
      for (const [place, posts] of rows) counts[Number(place)] = Number(posts)
      return { counts, among: newest.length }
    },
    async hasUnpacked(atLeast) {
      const rows = await readRows('select 1 from unpacked_posts limit 1 offset $1', [atLeast - 1])
      return rows.length > 0
    },
    pack: (atMost) => write(async (trx) => unannounced(await packPosts(trx, flavour, atMost))),
    onUnpacked: (listener) => void listeners.add(listener),
  }
}

/** Its tables. */
export const KEYWORD_TABLES = ['unpacked_posts', 'packed_hours', 'packed_terms'] as const
