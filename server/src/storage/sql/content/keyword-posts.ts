import type { Content, IdRange, KeywordQuery } from '../../content.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { Parameters, type ReadStatement } from './post-lists.ts'
import { hasTerm } from './term-search.ts'

/** Posts are looked at so many at a time. */
const AT_ONCE = 2000

/** The entries of the index, between two ids, for posts that have all of these terms. */
function entries([first, ...others]: readonly string[], range: string, parameters: Parameters): string {
  const alsoHas = others.map((hash) => ` and ${hasTerm(hash, 't.post_id', parameters)}`)
  return `select t.post_id from post_terms as t where t.term = ${parameters.addNumber(first!)} and ${range}${alsoHas.join('')}`
}

/** The statement that finds the posts between two ids. */
function statementOf({ any, none, countryCode, fromMs, toMs, withTexts }: KeywordQuery, { first, last }: IdRange): ReadStatement {
  const parameters = new Parameters()
  const range = `t.post_id >= ${parameters.addNumber(first)} and t.post_id <= ${parameters.addNumber(last)}`
  const found = any.map((terms) => entries(terms, range, parameters)).join(' union ')
  const where = [
    'p.id = found.post_id and u.id = p.author_id and a.user_id = p.author_id',
    `p.created_at_ms >= ${parameters.add(fromMs)} and p.created_at_ms < ${parameters.add(toMs)}`,
    'not p.nullcast and p.restriction is null and not u.disabled and not a.protected',
    ...none.map((terms) => `not (${terms.map((hash) => hasTerm(hash, 'p.id', parameters)).join(' and ')})`),
    ...(countryCode === undefined
      ? []
      : [`(select upper(l.country_code) from places as l where l.id = p.place_id) = ${parameters.add(countryCode)}`]),
  ]
  const text = `with found as materialized (${found})
    select cast(p.id as text), p.created_at_ms, ${withTexts ? 'p.text' : "''"}
    from found cross join posts as p cross join users as u cross join profiles as a
    where ${where.join(' and ')} order by p.id desc`
  return { text, values: parameters.values }
}

/** Reads posts with keywords. Ids follow times, except where a seed says otherwise: then the range of a span is wider than its posts. */
export function createKeywordPosts({ readRows }: Pick<SqlDatabase, 'readRows'>): Content['postsWithKeywords'] {
  async function rangeOf({ fromMs, toMs }: KeywordQuery): Promise<IdRange | undefined> {
    const [row] = await readRows(
      'select cast(min(id) as text), cast(max(id) as text) from posts where created_at_ms >= $1 and created_at_ms < $2',
      [fromMs, toMs],
    )
    const [first, last] = row as (string | null)[]
    return first && last ? { first, last } : undefined
  }

  return async (query, left) => {
    const range = left ?? (await rangeOf(query))
    if (!range || query.any.length === 0) return { posts: [] }
    const [stop] = await readRows(
      'select cast(id as text) from posts as p where p.id >= $1 and p.id <= $2 order by p.id desc limit 1 offset $3',
      [BigInt(range.first), BigInt(range.last), AT_ONCE - 1],
    )
    const first = stop ? (stop[0] as string) : range.first
    const { text, values } = statementOf(query, { first, last: range.last })
    const posts = (await readRows(text, values)).map(([id, createdAtMs, text]) => ({
      id: id as string,
      createdAtMs: Number(createdAtMs),
      text: text as string,
    }))
    return { posts, ...(first !== range.first && { left: { first: range.first, last: String(BigInt(first) - 1n) } }) }
  }
}
