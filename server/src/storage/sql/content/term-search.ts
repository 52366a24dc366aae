import type { Content, FoundPosts, PageOf, TermQuery } from '../../content.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { boundsOf, direction, firstOf, Parameters, type ReadStatement } from './post-lists.ts'

/** Terms with at least so many posts are equally frequent. */
const FREQUENT = 1000

/** The same queries, the terms of each with the rarest first: its posts are read, and looked up for the others. */
async function byFrequency({ readRows }: Pick<SqlDatabase, 'readRows'>, queries: readonly TermQuery[]): Promise<TermQuery[]> {
  const terms = [...new Set(queries.filter(({ all }) => all.length > 1).flatMap(({ all }) => all))]
  if (terms.length === 0) return [...queries]
  const counts = terms.map(
    (_, index) => `(select count(*) from (select 1 as one from post_terms where term = $${index + 1} limit ${FREQUENT}) as t${index})`,
  )
  const [row] = await readRows(`select ${counts.join()}`, terms.map(BigInt))
  const frequency = new Map(terms.map((term, index) => [term, Number(row![index])]))
  return queries.map(({ all, none }) => ({ all: all.toSorted((one, other) => frequency.get(one)! - frequency.get(other)!), none }))
}

/** A parameter with numbers of 64 bits as rows of a table `wanted (place, value)`. */
const wanted = {
  sqlite: '(select key as place, value from json_each($1)) as wanted',
  postgres: '(select ordinality - 1 as place, value from unnest($1::bigint[]) with ordinality as o (value)) as wanted',
}

/** Counts terms among the newest posts. */
export const createTermFrequencies =
  ({ readRows, flavour }: Pick<SqlDatabase, 'readRows' | 'flavour'>): Content['termFrequencies'] =>
  async (terms, most) => {
    const newest = await readRows(`select cast(id as text) from posts as p order by p.id desc limit $1`, [most])
    const counts = terms.map(() => 0)
    if (newest.length === 0 || terms.length === 0) return { counts, among: newest.length }
    const count = '(select count(*) from post_terms as t where t.term = wanted.value and t.post_id >= $2)'
    const rows = await readRows(`select wanted.place, ${count} from ${wanted[flavour.name]}`, [
      flavour.name === 'postgres' ? terms : `[${terms.join()}]`,
      BigInt(newest.at(-1)![0] as string),
    ])
    for (const [place, posts] of rows) counts[Number(place)] = Number(posts)
    return { counts, among: newest.length }
  }

/** So many entries of the index are read at a time, over all alternatives; of each at least so many as the page has posts. */
const MOST_READ = 5000

const readOfEach = (alternatives: readonly TermQuery[], { limit }: PageOf) => Math.max(limit, Math.floor(MOST_READ / alternatives.length))

/** The entries of an alternative's first term that may be on the page; the others are looked up for each. */
function entries({ all: [first] }: TermQuery, page: PageOf, parameters: Parameters): string {
  const { olderThan, newerThan } = page
  const where = [
    `term = ${parameters.addNumber(first!)}`,
    ...(olderThan === undefined ? [] : [`post_id < ${parameters.addNumber(olderThan)}`]),
    ...(newerThan === undefined ? [] : [`post_id > ${parameters.addNumber(newerThan)}`]),
  ]
  return `select post_id from post_terms where ${where.join(' and ')} order by post_id ${direction(page)}`
}

/** Whether a post has a term. A subquery of one value: with `exists` the planner of PostgreSQL may join all entries of the term. */
export const hasTerm = (hash: string, postId: string, parameters: Parameters): string =>
  `((select o.term from post_terms as o where o.term = ${parameters.addNumber(hash)} and o.post_id = ${postId}) is not null)`

/** The posts of one alternative among the first `most` entries of its first term. */
function withTerms(query: TermQuery, page: PageOf, limit: string, most: number, parameters: Parameters): string {
  const { fromMs, toMs, seenBy } = page
  const read = `(${entries(query, page, parameters)} limit ${parameters.add(most)}) as t`
  const ofPosts = boundsOf({ limit: 0, fromMs, toMs, seenBy }, 'p', parameters)
  const where = [
    ...query.all.slice(1).map((hash) => hasTerm(hash, 't.post_id', parameters)),
    ...query.none.map((hash) => `not ${hasTerm(hash, 't.post_id', parameters)}`),
    ...ofPosts,
  ]
  const from = ofPosts.length > 0 ? `${read} join posts as p on p.id = t.post_id` : read
  const matching = where.length > 0 ? `where ${where.join(' and ')}` : ''
  return `select t.post_id as id from ${from} ${matching} order by t.post_id ${direction(page)} limit ${limit}`
}

/** The statement that finds posts, each with the place of the alternative that found it. Of each alternative `most` entries are read. */
function termSearchStatement(alternatives: readonly TermQuery[], page: PageOf, most: number): ReadStatement {
  const parameters = new Parameters()
  const limit = parameters.add(page.limit)
  const parts = alternatives.map(
    (one, place) => `select id, ${place} as place from (${withTerms(one, page, limit, most, parameters)}) as found`,
  )
  const text = `select cast(id as text), place from (${parts.join(' union all ')}) as chosen order by chosen.id ${direction(page)}`
  return { text, values: parameters.values }
}

/** The statement that finds, for each alternative, the last entry that was read, if there may be others. */
function lastReadStatement(alternatives: readonly TermQuery[], page: PageOf, most: number): ReadStatement {
  const parameters = new Parameters()
  const parts = alternatives.map((one) => `(${entries(one, page, parameters)} limit 1 offset ${parameters.add(most - 1)})`)
  const selected = parts.map((part) => `cast(${part} as text)`)
  return { text: `select ${selected.join()}`, values: parameters.values }
}

/** The entry that is reached first, of those at which reading stopped. */
function nearest(ids: readonly string[], { nextToNewer }: PageOf): string {
  const sorted = ids.map(BigInt).sort((one, other) => (one < other ? -1 : 1))
  return String(nextToNewer ? sorted[0] : sorted.at(-1))
}

/** So many posts, over all alternatives, are found at once where reading keeps the event loop. */
const POSTS_OF_A_SLICE = 1000

function* slicesOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}

/** Searches posts by their terms. */
export function createTermSearch(database: Pick<SqlDatabase, 'readRows' | 'flavour'>): Content['postsWithTerms'] {
  const { readRows, flavour } = database

  /** How many alternatives are read at once: all, unless reading keeps the event loop. */
  const atOnce = ({ limit }: PageOf) =>
    flavour.name === 'sqlite' ? Math.max(1, Math.floor(POSTS_OF_A_SLICE / limit)) : Number.MAX_SAFE_INTEGER

  async function find(alternatives: readonly TermQuery[], page: PageOf, most: number) {
    let ids: string[] = []
    const full: boolean[] = []
    for (const some of slicesOf(alternatives, atOnce(page))) {
      await page.giveWay?.()
      const { text, values } = termSearchStatement(some, page, most)
      const rows = await readRows(text, values)
      const found = some.map(() => 0)
      for (const [, place] of rows) found[Number(place)]! += 1
      full.push(...found.map((count) => count >= page.limit))
      ids = firstOf(ids, [...new Set(rows.map(([id]) => id as string))], page)
    }
    return { ids, full }
  }

  /** Where reading stopped before the end of an alternative that filled no page; undefined if that is nowhere. */
  async function stoppedAt(alternatives: readonly TermQuery[], page: PageOf, most: number): Promise<string | undefined> {
    if (alternatives.length === 0) return undefined
    const { text, values } = lastReadStatement(alternatives, page, most)
    const [row] = await readRows(text, values)
    const stops = (row as (string | null)[]).filter((id) => id !== null)
    return stops.length > 0 ? nearest(stops, page) : undefined
  }

  const inOrder = (ids: string[], page: PageOf) => (page.nextToNewer ? ids.reverse() : ids)

  return async (given, page): Promise<FoundPosts> => {
    if (given.length === 0) return { ids: [] }
    const alternatives = await byFrequency(database, given)
    const most = readOfEach(alternatives, page)
    const { ids, full } = await find(alternatives, page, most)
    const readTo = await stoppedAt(
      alternatives.filter((_, place) => !full[place]),
      page,
      most,
    )
    if (readTo === undefined) return { ids: inOrder(ids, page) }
    // Beyond that entry one alternative was not read. Before it all are read again, because entries may have come and gone.
    const bound = page.nextToNewer ? { olderThan: String(BigInt(readTo) + 1n) } : { newerThan: String(BigInt(readTo) - 1n) }
    const known = await find(alternatives, { ...page, ...bound }, 2 * most)
    const isFull = known.ids.length >= page.limit
    return { ids: inOrder(known.ids, page), ...(!isFull && { readTo }) }
  }
}
