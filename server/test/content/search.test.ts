// Recent search finds what reading every post finds.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { writeWorld } from '../../scripts/world/write-world.ts'
import { readSearch, searchablePosts, searchIds } from '../../src/endpoints/posts/search.ts'
import { matcherOf } from '../../src/lib/post-text/query/match.ts'
import { parseQuery } from '../../src/lib/post-text/query/parse.ts'
import { type Query, usernamesOf, withUserIds } from '../../src/lib/post-text/query/query.ts'
import type { Content } from '../../src/storage/content.ts'
import { users } from '../../src/storage/content-tables.ts'
import { cases } from '../stage/cases.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { openedAlone, rawRows } from '../storage/samples.ts'

const UNTIL = Date.UTC(2026, 0, 1)

/** The index is read alike on both; filling PostgreSQL takes longer. */
const POSTS: Record<Flavour, number> = { sqlite: cases(10_000, 100_000), postgres: cases(4_000, 10_000) }

/** Words that the vocabulary has, from the most frequent to rare ones, with every operator. */
const QUERIES = [
  ...['the', 'letter', 'the and', 'the -and', '"the and"', 'coffee -"the and" rain', 'rain OR letter', '(rain OR coffee) city'],
  ...['the -(rain OR coffee)', 'the has:media', 'coffee has:links', 'the -has:hashtags has:mentions', 'letter is:reply', 'rain -is:reply'],
  ...['the is:quote', 'city lang:en', 'the min_likes:3', 'the min_replies:2', 'NOTAWORD', 'nobodyhasthisword', 'the nobodyhasthisword'],
  ...['from:nobody', 'coffee is:verified', '(the OR from:nobody) (rain OR city) -letter'],
]

/** A page of the newest posts is as many as this. */
const PAGE = 100

const idsOf = async (url: string): Promise<string[]> =>
  (await rawRows(url, 'select cast(id as text) as id from posts order by posts.id desc')).map(({ id }) => id as string)

async function queryOf(content: Content, text: string): Promise<Query> {
  const parsed = parseQuery(text)
  assert.ok('query' in parsed, text)
  const named = await content.rows(users, ['username_key', 'id'], usernamesOf(parsed.query), 'username_key')
  return withUserIds(parsed.query, new Map(named.map(([key, id]) => [key as string, id as string])))
}

/** By query the ids of the newest posts that match, found by reading all of them. */
async function bruteForce(content: Content, ids: readonly string[], queries: readonly Query[]): Promise<string[][]> {
  const found: string[][] = queries.map(() => [])
  for (let from = 0; from < ids.length; from += 1000) {
    const slice = ids.slice(from, from + 1000)
    const known = await searchablePosts(content, slice)
    for (const id of slice) {
      const post = known.get(id)!
      const matches = matcherOf(post)
      for (const [place, query] of queries.entries()) if (!post.isNullcast && matches(query)) found[place]!.push(id)
    }
  }
  return found
}

/** The ids of a search, page by page; a page that looked at many posts in vain says where it stopped. */
async function walk(content: Content, text: string, most: number): Promise<string[]> {
  const search = await readSearch(content, text)
  const found: string[] = []
  for (let olderThan: string | undefined; ; ) {
    const { items: ids, readTo } = await searchIds(content, search, { limit: PAGE, ...(olderThan !== undefined && { olderThan }) })
    found.push(...ids)
    olderThan = readTo ?? (ids.length === PAGE ? ids.at(-1) : undefined)
    if (olderThan === undefined || found.length >= most) return found
  }
}

for (const flavour of databasesOf(import.meta)) {
  suite(`search on ${flavour}`, () => {
    test(`of ${POSTS[flavour]} generated posts a search finds those that reading all of them finds`, async () => {
      await using it = await openedAlone(flavour)
      const { content } = it.storage
      await writeWorld(content, { users: 500, posts: POSTS[flavour], random: 7, untilMs: UNTIL })
      const [busy] = await rawRows(it.url, 'select username from users join profiles on user_id = id order by post_count desc limit 1')
      const [tag] = await rawRows(it.url, `select text from posts where text like '%#%' limit 1`)
      const hashtag = /#\w+/.exec(tag!.text as string)![0]
      const texts = [...QUERIES, `from:${busy!.username}`, `the from:${busy!.username}`, `@${busy!.username}`, hashtag, `${hashtag} -the`]
      const queries: Query[] = []
      for (const text of texts) queries.push(await queryOf(content, text))
      const expected = await bruteForce(content, await idsOf(it.url), queries)
      const most = 5 * PAGE
      for (const [place, text] of texts.entries()) {
        const found = await walk(content, text, most)
        assert.deepEqual(found.slice(0, most), expected[place]!.slice(0, most), text)
      }
      assert.ok(expected.filter(({ length }) => length > 0).length > 15, 'most queries find something')
    })
  })
}
