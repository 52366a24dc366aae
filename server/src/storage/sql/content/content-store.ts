import type { Content, IdRange, KeywordQuery } from '../../content.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { ChangeSet } from './change-set.ts'
import { isAmong } from './columns.ts'
import { createContentTransaction } from './content-transaction.ts'
import { Counters } from './counters.ts'
import { itemsStatement } from './item-lists.ts'
import { authorIsSeen, createPostLists, Parameters, type ReadStatement, viewerIn } from './post-lists.ts'
import { createRelationReader, createRowReader } from './read-objects.ts'
import { noteRemovedPosts, type PostRemoval } from './removed-posts.ts'
import { createTermFrequencies, createTermSearch, hasTerm } from './term-search.ts'

/** Posts are looked at so many at a time. */
const AT_ONCE = 1000

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
function createKeywordPosts({ readRows }: Pick<SqlDatabase, 'readRows'>): Content['postsWithKeywords'] {
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

const isBlocked = `exists (select 1 from relations as b where b.relation = 'block' and b.source = p.author_id and b.target = $2)`

/** A post that carries the media and that the viewer, `$2`, sees: the same rule as `visibility.ts` has for the post itself. */
const post = `select 1 from relations as c join posts as p on p.id = cast(c.target as bigint)
  where c.relation = 'media_post' and c.source = m.media_key and p.restriction is null and ${authorIsSeen('p.author_id', '$2')} and not ${isBlocked}`

const conversation = `select 1 from relations as c join relations as d on d.relation = 'dm_participant' and d.source = c.target and d.target = $2
  where c.relation = 'media_conversation' and c.source = m.media_key`

/** The viewer is one of those whom the upload named. Ids have no character that JSON or a pattern would need to escape. */
const isAdditionalOwner = `m.more like '%"additional_owners":%"' || cast($2 as text) || '"%'`

/** Reads which media a viewer sees. */
const createSeenMediaReader =
  ({ readRows, flavour }: Pick<SqlDatabase, 'readRows' | 'flavour'>): Content['seenMedia'] =>
  async (mediaKeys, seenBy) => {
    const [isAsked, keys] = isAmong(flavour, 'm.media_key', '$1', mediaKeys, false)
    const isSeen = `m.owner_id = $2 or (${isAdditionalOwner}) or exists (${post}) or exists (${conversation})`
    const rows = await readRows(`select m.media_key from media as m where ${isAsked} and (${isSeen})`, [keys, viewerIn(seenBy)])
    return rows.map(([key]) => key as string)
  }

/** Reads which media posts carry. */
const createPostedMediaReader =
  ({ readRows, flavour }: Pick<SqlDatabase, 'readRows' | 'flavour'>): Content['postedMedia'] =>
  async (mediaKeys) => {
    if (mediaKeys.length === 0) return []
    const [isAsked, keys] = isAmong(flavour, 'm.media_key', '$1', mediaKeys, false)
    const isPosted = `exists (select 1 from relations as c where c.relation = 'media_post' and c.source = m.media_key)`
    const rows = await readRows(`select m.media_key from media as m where ${isAsked} and ${isPosted}`, [keys])
    return rows.map(([key]) => key as string)
  }

/** The data objects, over SQL. */
export function createContent(database: SqlDatabase, removal: PostRemoval, worker: number): Content {
  const { readRows, flavour, inTransaction } = database
  return {
    rows: createRowReader(database),
    relationsOf: createRelationReader(database),
    seenMedia: createSeenMediaReader(database),
    postedMedia: createPostedMediaReader(database),
    ...createPostLists(database),
    postsWithTerms: createTermSearch(database),
    postsWithKeywords: createKeywordPosts(database),
    termFrequencies: createTermFrequencies(database),
    async items(list, page) {
      const { text, values } = itemsStatement(list, page, flavour)
      const items = (await readRows(text, values)).map(([key, position]) => ({ key: key as string, position: position as string }))
      return page.nextToNewer ? items.reverse() : items
    },
    async change(run) {
      const { result, removedPosts } = await inTransaction(async (trx) => {
        const [counters, removedPosts, changes] = [new Counters(), new Set<string>(), new ChangeSet()]
        const result = await run(createContentTransaction({ trx, flavour, counters, removedPosts, changes, worker }))
        await counters.write(trx, flavour)
        const isNoted = removedPosts.size > 0 && (await noteRemovedPosts(trx, [...removedPosts]))
        return { result: { result, removedPosts: isNoted }, changes: changes.all }
      })
      if (removedPosts) await removal.begin()
      return result
    },
  }
}
