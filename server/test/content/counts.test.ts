import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, setProfile, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const HOUR_MS = 3_600_000

const gullsAt = (...times: string[]) => ({
  ...usersSeed('101', '102'),
  posts: times.map((created_at) => ({ author_id: '101', text: 'A gull, at last', created_at })),
})

const OLD = ['2025-03-01T10:15:00.000Z', '2025-03-01T10:45:30.000Z', '2025-03-02T00:00:00.000Z', '2025-03-02T23:59:59.999Z']

async function read(stage: Stage, path: string) {
  const { status, body, text } = await callAs(stage, '102', 'GET', path)
  assert.equal(status, 200, text)
  return body
}

const gulls = 'start_time=2025-03-01T10:30:00.000Z&end_time=2025-03-03T00:00:00.000Z&query=gull'

for (const flavour of databasesOf(import.meta))
  suite(`counts and the search of all posts on ${flavour}`, () => {
    test('posts that a search finds are counted by day, from the first moment of the span to before the last', async () => {
      await using stage = await setStage({ flavour, seed: gullsAt(...OLD) })
      assert.deepEqual(await read(stage, `/2/posts/counts/all?${gulls}&granularity=day`), {
        data: [
          { start: '2025-03-01T10:30:00.000Z', end: '2025-03-02T00:00:00.000Z', post_count: 1 },
          { start: '2025-03-02T00:00:00.000Z', end: '2025-03-03T00:00:00.000Z', post_count: 2 },
        ],
        meta: { total_post_count: 3 },
      })
      const byHour = await read(stage, `/2/posts/counts/all?${gulls}`)
      assert.deepEqual(
        byHour.data.filter(({ post_count }: { post_count: number }) => post_count > 0),
        [
          { start: '2025-03-01T10:30:00.000Z', end: '2025-03-01T11:00:00.000Z', post_count: 1 },
          { start: '2025-03-02T00:00:00.000Z', end: '2025-03-02T01:00:00.000Z', post_count: 1 },
          { start: '2025-03-02T23:00:00.000Z', end: '2025-03-03T00:00:00.000Z', post_count: 1 },
        ],
      )
      assert.equal(byHour.data.length, 38)
      const byMinute = await read(stage, `/2/posts/counts/all?${gulls}&granularity=minute`)
      assert.deepEqual([byMinute.data.length, byMinute.meta.total_post_count], [37 * 60 + 30, 3])
    })

    test('a count has the posts of the search alone, phrases included, and none of protected users', async () => {
      await using stage = await setStage({ flavour, seed: gullsAt(...OLD) })
      const total = async (query: string) =>
        (await read(stage, `/2/posts/counts/all?${gulls.replace('gull', encodeURIComponent(query))}`)).meta.total_post_count
      assert.deepEqual(await Promise.all(['"gull, at"', '"at gull"', 'gull -last', 'from:user101'].map(total)), [3, 0, 0, 3])
      await setProfile(stage, '101', 'protected', true)
      assert.equal(await total('gull'), 0)
    })

    test('more than 31 days come in pages, the newest first', async () => {
      await using stage = await setStage({ flavour, seed: gullsAt(...OLD) })
      const path = '/2/posts/counts/all?query=gull&granularity=day&start_time=2025-03-01T00:00:00.000Z&end_time=2025-04-10T00:00:00.000Z'
      const first = await read(stage, path)
      assert.deepEqual([first.data.length, first.data[0].start, first.meta.total_post_count], [31, '2025-03-10T00:00:00.000Z', 0])
      const second = await read(stage, `${path}&next_token=${first.meta.next_token}`)
      assert.deepEqual([second.data.length, second.data.at(-1).end], [9, '2025-03-10T00:00:00.000Z'])
      assert.deepEqual(second.meta, { total_post_count: 4 })
    })

    test('a token that a client makes up counts nothing after now, nor after the end of the span', async () => {
      await using stage = await setStage({ flavour, seed: gullsAt(...OLD) })
      for (const position of ['9223372036854775807', '8640000000000001', '4102444800000']) {
        const token = Buffer.from(`counts:n:${position}`).toString('base64url')
        const spanned = await read(stage, `/2/posts/counts/all?${gulls}&granularity=day&next_token=${token}`)
        assert.deepEqual([spanned.data.at(-1).end, spanned.meta.total_post_count], ['2025-03-03T00:00:00.000Z', 3])
        const { data } = await read(stage, `/2/posts/counts/recent?query=gull&granularity=day&next_token=${token}`)
        assert.ok(Date.parse(data.at(-1).end) <= stage.clock.now(), data.at(-1).end)
      }
    })

    test('a post of the last millisecond before the end counts, and a token from where the span begins or before has an empty page', async () => {
      await using stage = await setStage({ flavour, seed: gullsAt(...OLD) })
      const span = 'query=gull&granularity=day&start_time=2025-03-01T10:30:00.000Z'
      const { data } = await read(stage, `/2/posts/counts/all?${span}&end_time=2025-03-02T00:00:00.001Z`)
      assert.deepEqual(data.at(-1), { start: '2025-03-02T00:00:00.000Z', end: '2025-03-02T00:00:00.001Z', post_count: 1 })
      for (const position of ['2025-02-01T00:00:00.000Z', '2025-03-01T10:30:00.000Z']) {
        const token = Buffer.from(`counts:n:${Date.parse(position)}`).toString('base64url')
        const empty = await read(stage, `/2/posts/counts/all?${span}&end_time=2025-03-03T00:00:00.000Z&next_token=${token}`)
        assert.deepEqual(empty, { data: [], meta: { total_post_count: 0 } })
      }
    })

    test('a span that ends where it begins is refused', async () => {
      await using stage = await setStage({ flavour, seed: gullsAt(...OLD) })
      const span = 'start_time=2025-03-01T10:30:00.000Z&end_time=2025-03-01T10:30:00.000Z'
      const { status, text } = await callAs(stage, '102', 'GET', `/2/posts/counts/all?query=gull&${span}`)
      assert.equal(status, 400)
      assert.match(text, /start_time/)
    })

    test('a token that is none is refused by the name of its parameter', async () => {
      await using stage = await setStage({ flavour, seed: gullsAt(...OLD) })
      for (const name of ['next_token', 'pagination_token']) {
        const { status, body } = await callAs(stage, '102', 'GET', `/2/posts/counts/all?${gulls}&${name}=nonsense`)
        assert.deepEqual([status, Object.keys(body.errors[0].parameters)], [400, [name]])
      }
    })

    test('without a span the last seven days are counted, and the last 30 of all', async () => {
      const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString()
      await using stage = await setStage({ flavour, seed: gullsAt(ago(40 * 24), ago(20 * 24), ago(2)) })
      await postAs(stage, '102', 'One more gull')
      const total = async (path: string) => (await read(stage, `${path}query=gull`)).meta.total_post_count
      assert.equal(await total('/2/posts/counts/recent?'), 2)
      assert.equal(await total('/2/posts/counts/all?'), 3)
      assert.equal(await total(`/2/posts/counts/all?start_time=${ago(50 * 24)}&`), 3)
      const early = await callAs(stage, '102', 'GET', `/2/posts/counts/recent?query=gull&start_time=${ago(8 * 24)}`)
      assert.deepEqual([early.status, early.body.errors[0].parameters.start_time.length], [400, 1])
    })

    test('the search of all posts has no bound of seven days, and up to 500 posts on a page', async () => {
      await using stage = await setStage({ flavour, seed: gullsAt(...OLD) })
      const found = await read(
        stage,
        '/2/posts/search/all?query=gull&max_results=500&start_time=2025-01-01T00:00:00.000Z&post.fields=created_at',
      )
      assert.deepEqual(
        found.data.map(({ created_at }: { created_at: string }) => created_at),
        OLD.toReversed(),
      )
      assert.equal((await read(stage, '/2/posts/search/all?query=gull&end_time=2025-03-31T10:30:00.000Z')).meta.result_count, 3)
      assert.equal((await read(stage, '/2/posts/search/all?query=gull')).meta.result_count, 0)
      assert.equal((await read(stage, '/2/posts/search/recent?query=gull')).meta.result_count, 0)
    })

    test('an end in the future, however far, does not leave out the posts of the last 30 days', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101', '102') })
      await postAs(stage, '101', 'A gull, at last')
      const DAY_MS = 24 * HOUR_MS
      for (const days of [1, 31, 400]) {
        const end = new Date(stage.clock.now() + days * DAY_MS).toISOString()
        const found = await read(stage, `/2/posts/search/all?query=gull&end_time=${end}`)
        assert.equal(found.meta.result_count, 1, `search, ${days} days ahead`)
        const earliest = new Date(stage.clock.now() - 30 * DAY_MS).toISOString()
        const counted = await read(stage, `/2/posts/counts/all?query=gull&granularity=day&end_time=${end}`)
        assert.equal(counted.meta.total_post_count, 1, `counts, ${days} days ahead`)
        const { start } = counted.data[0]
        assert.ok(earliest <= start && start <= new Date(stage.clock.now() - 30 * DAY_MS).toISOString(), start)
      }
    })
  })

test('counts are called as clients of the dialect call them', async () => {
  await using stage = await setStage({ seed: gullsAt(...OLD), environment: { POSTERN_DIALECT: 'x' } })
  const path = `/2/tweets/counts/all?${gulls}&granularity=day&search_count.fields=start,end,tweet_count`
  const { data, meta } = await read(stage, path)
  assert.deepEqual([data[1].tweet_count, meta], [2, { total_tweet_count: 3 }])
})
