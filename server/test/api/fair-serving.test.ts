// How the event loop is shared among apps, by a clock that the work itself moves. journeys/fair-share-large.slow.test.ts and its neighbour measure it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { Caller } from '../../src/api/declare/auth.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import { type Endpoint, endpoint } from '../../src/api/declare/endpoint.ts'
import type { Listed } from '../../src/api/declare/map.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import type { RawRequest } from '../../src/api/declare/raw-request.ts'
import { object } from '../../src/api/declare/words.ts'
import { WrittenAnswer } from '../../src/api/declare/written-answer.ts'
import { busy } from '../../src/api/http/fallbacks.ts'
import { claimedOwner } from '../../src/api/read/claimed-owner.ts'
import { routesOf } from '../../src/api/routes.ts'
import { loadAnswer } from '../../src/endpoints/objects/load-answer.ts'
import { countAllPosts } from '../../src/endpoints/posts/count-posts.ts'
import { readSearch, searchIds } from '../../src/endpoints/posts/search.ts'
import { userKinds } from '../../src/endpoints/users/user-kinds.ts'
import { endOfTurn } from '../../src/lib/clock.ts'
import { createFairTurns } from '../../src/lib/fair-turns.ts'
import { posts } from '../../src/storage/content-tables.ts'

const options = { dialect: dialects.spec, problemBaseUrl: 'https://api.example.com/2/problems' }

const listed = <Services>(one: Endpoint<Services>): Listed<Services> => ({ ...one, streams: false, load: async () => one })

/** The app that a header names; nobody's calls are refused, which takes what `refusing` does. */
const byHeader = (refusing: () => void) => ({
  name: 'bearerToken',
  authenticate: async ({ headers }: RawRequest): Promise<Caller> => {
    if (headers.app !== 'nobody') return { rateKey: 'key', app: { id: String(headers.app) } }
    refusing()
    throw new Problem('unauthorized')
  },
})

const PIECES = 20

/** Two endpoints: one whose answer has many pieces of 5 ms each, and one whose answer takes no time. To refuse a call takes 5 ms. */
function serveLong() {
  let nowMs = 0
  const written: string[] = []
  const refusing = () => {
    nowMs += 5
    written.push('refusal')
  }
  class LongAnswer extends WrittenAnswer {
    *pieces() {
      for (let piece = 1; piece <= PIECES; piece += 1) {
        nowMs += 5
        written.push('piece')
        yield piece === 1 ? '{"data":"' : piece === PIECES ? '"}' : 'x'
      }
      written.push('long')
    }
  }
  const declared = { section: '§1', summary: 'Answers.', auth: byHeader(refusing), params: {}, answer: object({}) } as const
  const long = endpoint({ ...declared, name: 'long', route: 'GET /2/long', handle: async () => new LongAnswer() })
  const short = endpoint({
    ...declared,
    name: 'short',
    route: 'GET /2/short',
    async handle() {
      written.push('short')
      return {}
    },
  })
  const routes = routesOf({
    endpoints: [listed(long), listed(short)],
    services: {},
    problemOptions: options,
    dialect: dialects.spec,
    countCall: async () => ({}),
    turns: createFairTurns({ monotonic: () => nowMs, refusal: busy, most: 50 }),
    log: pino({ level: 'silent' }),
  })
  const get = (path: string, app: string, connection = { destroyed: false }) => {
    const of = {
      query: '',
      pathParams: {},
      headers: { app, authorization: `Bearer ${app}` },
      body: null,
      remoteAddress: '127.0.0.1',
      connection,
    }
    return routes.find((route) => route.path === path)!.respond({ method: 'GET', target: path, ...of })
  }
  return { get, written }
}

test('beside twenty long answers to one app, another app is answered after three of their 400 pieces', async () => {
  const { get, written } = serveLong()
  await Promise.all([get('/2/long', 'one'), get('/2/short', 'other')]) // loads both
  written.length = 0
  const long = Array.from({ length: 20 }, () => get('/2/long', 'one'))
  const short = get('/2/short', 'other')
  assert.equal((await short).status, 200)
  assert.ok(written.indexOf('short') <= 3, `${written.indexOf('short')} pieces before`)
  for (const { status, body } of await Promise.all(long))
    assert.deepEqual([status, String(body)], [200, `{"data":"${'x'.repeat(PIECES - 2)}"}`])
  assert.equal(written.filter((what) => what === 'piece').length, 20 * PIECES)
})

test('beside twenty clients whose calls are refused, and who ask again at once, an app is answered after two more refusals', async () => {
  const { get, written } = serveLong()
  await get('/2/short', 'nobody')
  let isOver = false
  const askAgain = async () => {
    while (!isOver) assert.equal((await get('/2/short', 'nobody')).status, 401)
  }
  const asking = Array.from({ length: 20 }, askAgain)
  for (let turns = 0; turns < 5; turns += 1) await endOfTurn()
  written.length = 0
  assert.equal((await get('/2/short', 'other')).status, 200)
  isOver = true
  await Promise.all(asking)
  assert.ok(written.indexOf('short') <= 2, `${written.indexOf('short')} refusals before`)
})

test('when twenty calls that are refused arrive at once, and then one of another app, the latter is checked after two of them', async () => {
  const { get, written } = serveLong()
  await get('/2/short', 'nobody')
  written.length = 0
  const refused = Array.from({ length: 20 }, () => get('/2/short', 'nobody'))
  assert.equal((await get('/2/short', 'other')).status, 200)
  assert.ok(written.indexOf('short') <= 2, `${written.indexOf('short')} refusals before`)
  for (const { status } of await Promise.all(refused)) assert.equal(status, 401)
  assert.equal(written.filter((what) => what === 'refusal').length, 20)
})

test('before its credentials are checked, a request is one of its network and of what all signatures of its caller say, or of its whole header', () => {
  const ownerOf = (authorization: string | undefined, network = '192.0.2.1') => claimedOwner({ headers: { authorization } }, network)
  const signed = (key: string, token: string, nonce: string) =>
    `OAuth oauth_consumer_key="${key}", oauth_nonce="${nonce}", oauth_signature="${nonce}", oauth_token="${token}"`
  assert.equal(ownerOf(signed('key', 'token', 'one')), ownerOf(signed('key', 'token', 'two')))
  assert.equal(ownerOf(signed('key', 'token', 'one')), ownerOf(signed('key', 'token', 'two').replace(' ', '\t')))
  const different = [
    ownerOf(signed('key', 'token', 'one')),
    ownerOf(signed('key', 'other', 'one')),
    ownerOf(signed('other', 'token', 'one')),
    ownerOf(signed('key', 'token', 'one'), '192.0.2.2'),
    ownerOf('Bearer one'),
    ownerOf('Bearer two'),
    ownerOf('OAuth realm=""'),
    ownerOf(undefined),
    ownerOf(undefined, '192.0.2.2'),
  ]
  assert.equal(new Set(different).size, different.length - 1, 'a header without keys is nobody, as no header is')
  assert.equal(ownerOf('OAuth realm=""'), ownerOf(undefined))
})

test('long answers to one app are written one after the other, so that one of them is held in memory', async () => {
  const { get, written } = serveLong()
  await Promise.all(Array.from({ length: 20 }, () => get('/2/long', 'one')))
  let [open, most] = [0, 0]
  for (const what of written) {
    if (what === 'long') open -= PIECES
    else open += 1
    most = Math.max(most, open)
  }
  assert.ok(most <= 2 * PIECES, `${most} pieces of answers that were not ended`)
})

test('calls of an app beyond those that may wait are answered with 503 and retry-after, and another app is served', async () => {
  const { get } = serveLong()
  await Promise.all([get('/2/long', 'one'), get('/2/short', 'other')])
  const first = get('/2/long', 'one')
  await endOfTurn() // its first piece is written, and the others wait
  const many = Array.from({ length: 60 }, () => get('/2/long', 'one'))
  assert.equal((await get('/2/short', 'other')).status, 200)
  const refused = (await Promise.all([first, ...many])).filter(({ status }) => status === 503)
  assert.deepEqual(
    refused.map(({ headers }) => headers['retry-after']),
    Array(10).fill('1'),
  )
})

test('calls whose clients leave while they wait take no turns of the others', async () => {
  const { get, written } = serveLong()
  await Promise.all([get('/2/long', 'one'), get('/2/short', 'other')])
  written.length = 0
  const first = get('/2/long', 'one')
  await endOfTurn()
  const connection = { destroyed: false }
  const left = Array.from({ length: 40 }, () => get('/2/long', 'one', connection))
  await endOfTurn()
  connection.destroyed = true
  assert.equal((await first).status, 200)
  for (const { status } of await Promise.all(left)) assert.equal(status, 503)
  assert.equal(written.filter((what) => what === 'long').length, 1)
})

/** Content without posts. */
const noContent = { rows: async () => [], postsWithTerms: async () => ({ ids: [] }) }

test('a count of a month by minutes is written in some fifty pieces of at most 100 KB, with each of the 43,201 minutes once', async () => {
  const now = () => Date.parse('2026-11-01T10:00:30.000Z')
  const call = { params: { query: 'hello', granularity: 'minute' }, giveWay: () => undefined }
  const answer = (await countAllPosts.handle(call as never, { content: noContent, now } as never)) as WrittenAnswer
  let [text, pieces] = ['', 0]
  for (const piece of answer.pieces(options)) {
    assert.ok(piece.length < 100_000, `${piece.length} bytes`)
    text += piece
    pieces += 1
  }
  assert.ok(pieces >= 44 && pieces <= 60, `${pieces} pieces`)
  const { data, meta } = JSON.parse(text)
  assert.deepEqual(meta, { total_post_count: 0 })
  assert.equal(data.length, 43_201)
  assert.deepEqual(data[0], { start: '2026-10-02T10:00:30.000Z', end: '2026-10-02T10:01:00.000Z', post_count: 0 })
  assert.deepEqual(data[1], { start: '2026-10-02T10:01:00.000Z', end: '2026-10-02T10:02:00.000Z', post_count: 0 })
  assert.deepEqual(data.at(-1), { start: '2026-11-01T10:00:00.000Z', end: '2026-11-01T10:00:30.000Z', post_count: 0 })
})

test('of a search that finds more than 100,000 posts the newest 100,000 count', async () => {
  const atMs = Date.parse('2026-10-31T12:00:00.000Z')
  let next = 10_000_000
  const content = {
    rows: async (_table: object, [first]: readonly string[], values: readonly string[]) =>
      values.map(() => (first === 'author_id' ? ['101', null, atMs, null] : ['101', false, false])),
    postsWithTerms: async (_terms: object, { limit, olderThan = String(next) }: { limit: number; olderThan?: string }) => {
      assert.equal(olderThan, String(next))
      const ids = Array.from({ length: limit }, (_, place) => String(next - place - 1))
      next -= limit
      return { ids }
    },
  }
  const call = { params: { query: 'hello', granularity: 'day' }, giveWay: () => undefined }
  const now = () => Date.parse('2026-11-01T00:00:00.000Z')
  const answer = (await countAllPosts.handle(call as never, { content, now } as never)) as WrittenAnswer
  const { data, meta } = JSON.parse([...answer.pieces(options)].join(''))
  assert.deepEqual([data.at(-1).post_count, meta], [100_000, { total_post_count: 100_000 }])
})

test('others may pass while a thousand posts are compared with the query of a search, or of a count', async () => {
  const ids = Array.from({ length: 1000 }, (_, place) => String(1000 - place))
  const postOf = (id: string): Record<string, unknown> => ({ id, text: 'A cat', like_count: Number(id) })
  const content = {
    rows: async (table: object, columns: readonly string[], values: readonly string[]) =>
      table === posts ? values.map((id) => columns.map((column) => postOf(id)[column] ?? null)) : [],
    postsWithTerms: async (_terms: object, { olderThan }: { olderThan?: string }) => ({ ids: olderThan === undefined ? ids : [] }),
  }
  let passes = 0
  const giveWay = () => {
    passes += 1
    return undefined
  }
  const search = await readSearch(content, 'cat min_likes:991')
  assert.deepEqual(await searchIds(content as never, search, { limit: 1001, giveWay }), { items: ids.slice(0, 10) })
  assert.ok(passes >= 9, `${passes} passes`)
  passes = 0
  const call = { params: { query: 'cat min_likes:991', granularity: 'day' }, giveWay }
  await countAllPosts.handle(call as never, { content, now: () => Date.parse('2026-11-01T00:00:00.000Z') } as never)
  assert.ok(passes >= 9, `${passes} passes`)
})

test('a thousand users are read at most 200 at a time, and others may pass before each time', async () => {
  const asked: number[] = []
  let passes = 0
  const content = {
    rows: async (_table: object, _columns: readonly string[], values: readonly string[]) => {
      asked.push(values.length)
      return []
    },
    relationsOf: async () => [],
  }
  const giveWay = () => {
    passes += 1
    return undefined
  }
  const users = { values: Array.from({ length: 1000 }, (_, n) => String(n + 1)), isList: true }
  await loadAnswer(userKinds, users, {}, { viewerId: undefined, scopes: undefined }, { content, now: () => 0 }, giveWay)
  assert.deepEqual(asked.slice(0, 5), [200, 200, 200, 200, 200])
  assert.ok(passes >= 5, `${passes} passes`)
})
