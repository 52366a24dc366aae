// A search whose frequent terms seldom meet reads a bounded part of the index for each page, and pages find everything.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { termHash } from '../../src/lib/post-text/terms.ts'
import type { PageOf, TermQuery } from '../../src/storage/content.ts'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { setStage } from '../stage/postern.ts'
import { openedAlone, rawRows } from '../storage/samples.ts'

/** Posts of each term. A page reads 5000 entries. */
const EACH = 12_000

const ODD = '11'
const EVEN = '22'
/** The oldest, a middle and the newest post have both terms. */
const BOTH = ['1', '12001', '24001']

/** Fills the index: odd posts have one term, even posts the other. */
async function fillIndex(url: string, flavour: Flavour, [odd, even]: readonly [string, string], from = 0) {
  const numbers =
    flavour === 'sqlite'
      ? `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${2 * EACH + 1})`
      : `with numbers as (select n from generate_series(1, ${2 * EACH + 1}) as n)`
  const insert = (values: string) => {
    const into = 'insert into post_terms (term, post_id)'
    return rawRows(url, `${flavour === 'sqlite' ? `${into} ${numbers}` : `${numbers} ${into}`} ${values} returning 1`)
  }
  await insert(`select ${odd}, n + ${from} from numbers where n % 2 = 1`)
  await insert(`select ${even}, n + ${from} from numbers where n % 2 = 0 or n in (${BOTH})`)
}

for (const flavour of databasesOf(import.meta))
  suite(`bounded search on ${flavour}`, () => {
    test('pages in either direction find the posts in which two frequent terms meet, and say where they stopped', async () => {
      await using it = await openedAlone(flavour)
      await fillIndex(it.url, flavour, [ODD, EVEN])
      const walk = async (alternatives: TermQuery[], page: PageOf) => {
        const [found, stops]: [string[], string[]] = [[], []]
        for (let at: Partial<PageOf> = {}; ; ) {
          const { ids, readTo } = await it.storage.content.postsWithTerms(alternatives, { ...page, ...at })
          found.push(...(page.nextToNewer ? ids.toReversed() : ids))
          if (readTo !== undefined) stops.push(readTo)
          const last = readTo ?? (ids.length === page.limit ? (page.nextToNewer ? ids[0] : ids.at(-1)) : undefined)
          if (last === undefined) return { found, stops }
          at = page.nextToNewer ? { newerThan: last } : { olderThan: last }
        }
      }
      const meeting = [{ all: [ODD, EVEN], none: [] }]
      const backward = await walk(meeting, { limit: 10 })
      assert.deepEqual(backward.found, BOTH.toReversed())
      assert.ok(backward.stops.length >= 2, `stopped at ${backward.stops}`)
      const forward = await walk(meeting, { limit: 10, newerThan: '0', nextToNewer: true })
      assert.deepEqual(forward.found, BOTH)
      assert.ok(forward.stops.length >= 2, `stopped at ${forward.stops}`)
      const single = await walk(meeting, { limit: 1 })
      assert.deepEqual(single.found, BOTH.toReversed())
      const without = await walk([{ all: [ODD], none: [ODD] }], { limit: 10 })
      assert.deepEqual([without.found, without.stops.length >= 2], [[], true])
      // The second alternative ends a page early, and the first one has posts beyond.
      const rare = '33'
      await rawRows(it.url, `insert into post_terms (term, post_id) values (${rare}, 2), (${rare}, 20000) returning 1`)
      const either = await walk([...meeting, { all: [rare], none: [] }], { limit: 10 })
      assert.deepEqual(either.found, ['24001', '20000', '12001', '2', '1'])
      assert.deepEqual(new Set(either.found).size, either.found.length)
    })

    test('a page of a search may have no posts and a next_token that leads to them', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101'), environment: { POSTERN_RATE_LIMITS: 'off' } })
      const post = await postAs(stage, '101', 'herring gull')
      const hash = (word: string) => String(termHash(`w:${word}`))
      await fillIndex(stage.databaseUrl, flavour, [hash('herring'), hash('gull')], 0)
      // The posts of the index that are gone stand for others; the ids of new posts are greater.
      await rawRows(
        stage.databaseUrl,
        `update post_terms set post_id = post_id + ${post} where post_id < 100000 and post_id not in (${BOTH}) returning 1`,
      )
      const pages: [number, boolean][] = []
      let found: string[] = []
      for (let token = ''; pages.length < 20; ) {
        const path = `/2/posts/search/recent?query=herring%20gull&max_results=10${token && `&next_token=${token}`}`
        const { data = [], meta } = (await callAs(stage, '101', 'GET', path)).body
        pages.push([meta.result_count, meta.next_token !== undefined])
        found = [...found, ...data.map(({ id }: { id: string }) => id)]
        if (meta.next_token === undefined) break
        token = meta.next_token
      }
      assert.deepEqual(pages[0], [0, true])
      assert.deepEqual(found, [post])
    })
  })
