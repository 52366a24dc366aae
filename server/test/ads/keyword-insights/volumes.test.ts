// The volumes of keywords are what reading every post counts.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Random } from '../../../scripts/world/random.ts'
import { wordOf } from '../../../scripts/world/vocabulary.ts'
import { writeWorld } from '../../../scripts/world/write-world.ts'
import { countKeywords, type Hours, readKeywords } from '../../../src/endpoints/ads/keyword-insights/count-keywords.ts'
import { insertPosts, preparePost, surroundingsOf, surroundingsOfAll } from '../../../src/endpoints/posts/insert-posts.ts'
import { removePost } from '../../../src/endpoints/posts/new-post.ts'
import { storedPost } from '../../../src/endpoints/posts/stored-post.ts'
import { matcherOf } from '../../../src/lib/post-text/query/match.ts'
import { parseQuery } from '../../../src/lib/post-text/query/parse.ts'
import type { Query } from '../../../src/lib/post-text/query/query.ts'
import { searchableText } from '../../../src/lib/post-text/searchable-post.ts'
import { places } from '../../../src/storage/content-tables.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { cases } from '../../stage/cases.ts'
import type { Flavour } from '../../stage/database.ts'
import { databasesOf } from '../../stage/databases.ts'
import { openedAlone, rawRows } from '../../storage/samples.ts'

const HOUR_MS = 3_600_000
const UNTIL = Date.UTC(2026, 0, 1, 12)

/** Frequent words have more entries in the index than are read at once, in the week and in all. */
const POSTS: Record<Flavour, number> = { sqlite: cases(5_000, 25_000), postgres: cases(4_000, 10_000) }

const WEEK: Hours = { from: UNTIL / HOUR_MS - 7 * 24 + 1, to: UNTIL / HOUR_MS + 1 }

const inWeek = `posts.created_at_ms >= ${WEEK.from * HOUR_MS} and posts.created_at_ms < ${WEEK.to * HOUR_MS}`

interface Asked {
  keywords: string[]
  negative?: string[]
  country?: string
}

const WRITTEN: Asked[] = [
  { keywords: ['the'] },
  { keywords: ['THE', 'and', 'to'] },
  { keywords: ['coffee', 'rain'], negative: ['the'] },
  { keywords: ['"the and"'] },
  { keywords: ['the'], negative: ['"the and"', 'letter'] },
  { keywords: ['coffee rain', '"the to and"', 'letter'], negative: ['city'] },
  { keywords: ['nobodyhasthisword', 'letter'] },
  { keywords: ['nobodyhasthisword'] },
  { keywords: ['the'], country: 'US' },
  { keywords: ['the', '"and the"'], negative: ['to'], country: 'DE' },
  { keywords: ['the', 'to', 'and', 'a', 'of', 'in', 'is', 'it', 'you', 'that'] },
]

function randomQueries(count: number): Asked[] {
  const random = new Random(41)
  const keyword = () => {
    const kind = random.below(4)
    if (kind === 0) return `"${wordOf(random)} ${wordOf(random)}"`
    return kind === 1 ? `${wordOf(random)} ${wordOf(random)}` : wordOf(random)
  }
  const some = (most: number) => Array.from({ length: 1 + random.below(most) }, keyword)
  return Array.from({ length: count }, () => ({
    keywords: some(6),
    negative: random.chance(0.5) ? some(3) : [],
    ...(random.chance(0.2) && { country: 'US' }),
  }))
}

const QUERIES = [...WRITTEN, ...randomQueries(24)]

const parsed = (texts: readonly string[] = []) =>
  texts.map((text) => {
    const read = parseQuery(text)
    assert.ok('query' in read, text)
    return read.query as Query
  })

/** By query the posts of each hour of the week, found by reading all posts. */
async function bruteForce(url: string): Promise<Record<number, number>[]> {
  const rows = await rawRows(
    url,
    `select text, posts.created_at_ms as created_at_ms, country_code from posts join users on users.id = author_id join profiles on user_id = author_id
      left join places on places.id = place_id
      where not nullcast and restriction is null and not disabled and not protected
      and ${inWeek}`,
  )
  const asked = QUERIES.map(({ keywords, negative, country }) => ({ any: parsed(keywords), none: parsed(negative), country }))
  const found: Record<number, number>[] = QUERIES.map(() => ({}))
  for (const { text, created_at_ms, country_code } of rows) {
    const matches = matcherOf(searchableText(text as string))
    const hour = Math.floor(Number(created_at_ms) / HOUR_MS)
    for (const [place, { any, none, country }] of asked.entries())
      if ((!country || country === country_code) && any.some(matches) && !none.some(matches))
        found[place]![hour] = (found[place]![hour] ?? 0) + 1
  }
  return found
}

/** `queries`: how many of them are asked. */
async function assertCounted(url: string, storage: Storage, when: string, queries = WRITTEN.length) {
  const expected = await bruteForce(url)
  assert.ok(Object.keys(expected[0]!).length > 160, 'most hours have posts')
  for (const [place, { keywords, negative = [], country }] of QUERIES.slice(0, queries).entries()) {
    const { byHour } = await countKeywords(storage, readKeywords({ keywords, negative, countryCode: country }, []), WEEK)
    const counted = Object.fromEntries([...byHour].filter(([, posts]) => posts > 0))
    assert.deepEqual(counted, expected[place], `${when}: ${JSON.stringify(QUERIES[place])}`)
  }
}

/** A tenth of the posts are in a place of one of two countries. */
async function addPlaces(url: string, { content }: Storage) {
  await content.change(async (transaction) => {
    for (const code of ['US', 'DE'])
      await transaction.insert(places, {
        id: code.toLowerCase(),
        full_name: code,
        name: code,
        country: code,
        country_code: code,
        place_type: 'city',
      })
  })
  await rawRows(url, `update posts set place_id = 'us' where created_at_ms % 20 = 3`)
  await rawRows(url, `update posts set place_id = 'de' where created_at_ms % 20 = 9`)
}

const someIds = async (url: string, which: string) =>
  (await rawRows(url, `select cast(id as text) as id from posts where ${which}`)).map(({ id }) => id as string)

async function deletePosts(content: Storage['content'], ids: readonly string[]) {
  for (const id of ids) {
    const post = (await storedPost(content, id))!
    const surroundings = await surroundingsOf(post, content)
    await content.change((transaction) => removePost(transaction, post, surroundings))
  }
}

/** Older posts, as a seed adds them: their ids need not tell their times. */
async function addOlder(content: Storage['content'], authorId: string, count: number) {
  const random = new Random(5)
  const posts = Array.from({ length: count }, (_, place) => ({
    id: String(1000 + place),
    authorId,
    nullcast: place % 10 === 0,
    createdAtMs: WEEK.from * HOUR_MS + random.below(7 * 24 * HOUR_MS),
    text: `the ${wordOf(random)} ${wordOf(random)} "the and" letter`,
  }))
  const surroundings = await surroundingsOfAll(posts, content)
  await content.change((transaction) =>
    insertPosts(
      transaction,
      posts.map((post, place) => preparePost(post, surroundings[place]!)),
    ),
  )
}

for (const flavour of databasesOf(import.meta))
  suite(`volumes of keywords on ${flavour}`, { timeout: 300_000 }, () => {
    test('they equal brute force, by hour, before and after deletions, suspensions and older posts', async () => {
      await using database = await openedAlone(flavour)
      const { storage, url } = database
      const { content, users } = storage
      await writeWorld(content, { users: 500, posts: POSTS[flavour], random: 3, untilMs: UNTIL })
      await addPlaces(url, storage)
      await assertCounted(url, storage, 'at first', QUERIES.length)

      const [busiest, second, third] = (
        await rawRows(
          url,
          `select author_id as id from posts join profiles on user_id = author_id where not protected and ${inWeek}
            group by author_id order by count(*) desc limit 3`,
        )
      ).map(({ id }) => id as string)
      await users.update(busiest!, { disabled: true })
      await users.remove(second!)
      await deletePosts(content, await someIds(url, `${inWeek} and created_at_ms % 100 = 7`))
      await assertCounted(url, storage, 'after deletions')
      await users.update(busiest!, { disabled: false })
      await assertCounted(url, storage, 'after a suspension ended')

      await addOlder(content, third!, 400)
      await assertCounted(url, storage, 'after older posts came', QUERIES.length)
      await deletePosts(content, ['1001', '1002'])
      await addOlder(content, busiest!, 400)
      await assertCounted(url, storage, 'after other posts got the ids of deleted ones')
    })
  })
