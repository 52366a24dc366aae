import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../src/api/declare/problem.ts'
import { idOfPageToken, pageTokenAfter } from '../../src/endpoints/activity/subscriptions.ts'
import { readSeed } from '../../src/endpoints/operator/seed/read-seed.ts'
import { seedSchema } from '../../src/endpoints/operator/seed/seed-document.ts'
import { checkCallbackUrl, LONGEST_CALLBACK_URL } from '../../src/endpoints/webhooks/callback-url.ts'
import { formatMinute, parseMinute, replayWindow } from '../../src/endpoints/webhooks/start-replay.ts'
import { cases } from '../stage/cases.ts'
import { compileCheck } from '../stage/compile-check.ts'

/** What a function answers; undefined when it throws a Problem. */
function accepted<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return undefined
  }
}

const schemes = fc.constantFrom('https://', 'HTTPS://', 'http://', 'https:/', 'https:', 'ftp://', '//', 'https:///')
const hosts = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
  fc.constantFrom(
    'localhost',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'bücher.example',
    'a。b',
    'EXAMPLE.com.',
    '..',
    'a..',
  ),
  fc.constantFrom('%41.example', '%00', 'user@a.example', 'a.example:', 'a.example:443', 'xn--a', '①.example', 'ｅxample.com', 'a b', ''),
)
const tails = fc.oneof(
  fc.webPath(),
  fc.constantFrom(
    '',
    '/',
    '?',
    '/?a=b',
    '#',
    '/#a',
    '/%zz',
    '/%00',
    '/\u0000',
    '/a b',
    '/é',
    '/🐚',
    '/../..',
    '\\a',
    '/\t',
    `/${'é'.repeat(180)}`,
  ),
)
const urls = fc.oneof(
  fc.webUrl({ withQueryParameters: true }),
  fc.tuple(schemes, hosts, tails).map((parts) => parts.join('')),
  fc.string(),
)

test('an accepted callback URL is https without a port and short, and its normal form is its own', () => {
  fc.assert(
    fc.property(urls, (url) => {
      const normal = accepted(() => checkCallbackUrl(url, false))
      if (normal === undefined) return
      const { protocol, port, username, hash, hostname } = new URL(normal)
      assert.deepEqual([protocol, port, username, hash], ['https:', '', '', ''])
      assert.ok(hostname !== '' && url.length <= LONGEST_CALLBACK_URL)
      if (normal.length <= LONGEST_CALLBACK_URL) assert.equal(checkCallbackUrl(normal, false), normal)
    }),
    { numRuns: cases(150, 1000) },
  )
})

test('where loopback is allowed, every accepted URL is that or on loopback', () => {
  fc.assert(
    fc.property(urls, (url) => {
      const normal = accepted(() => checkCallbackUrl(url, true))
      if (normal === undefined) return
      const { protocol, port, hostname } = new URL(normal)
      const onLoopback = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
      assert.ok(onLoopback || (protocol === 'https:' && port === ''), url)
      if (normal.length <= LONGEST_CALLBACK_URL) assert.equal(checkCallbackUrl(normal, true), normal)
    }),
    { numRuns: cases(150, 1000) },
  )
})

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const moments = fc.integer({ min: Date.UTC(2010, 0), max: Date.UTC(2079, 0) })

test('a formatted minute is parsed back, and no other text is a minute', () => {
  fc.assert(fc.property(moments, (ms) => assert.equal(parseMinute(formatMinute(ms)), ms - (ms % MINUTE_MS))))
  const near = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 12, maxLength: 12 })
  fc.assert(
    fc.property(fc.oneof(near, fc.string()), (text) => {
      const ms = parseMinute(text)
      if (ms !== undefined) assert.equal(formatMinute(ms), text)
    }),
  )
})

test('a replay window is accepted exactly if both ends are in the past 24 hours, including the next full minute, and in order', () => {
  const near = fc.integer({ min: -DAY_MS - 3 * MINUTE_MS, max: 3 * MINUTE_MS })
  fc.assert(
    fc.property(moments, near, near, (nowMs, fromBefore, toBefore) => {
      const whole = (ms: number) => ms - (ms % MINUTE_MS)
      const [fromMs, toMs] = [whole(nowMs + fromBefore), whole(nowMs + toBefore)]
      const [earliestMs, latestMs] = [whole(nowMs) - DAY_MS, whole(nowMs) + MINUTE_MS]
      const isRight = fromMs >= earliestMs && toMs <= latestMs && fromMs < toMs
      const window = accepted(() => replayWindow(formatMinute(fromMs), formatMinute(toMs), nowMs))
      assert.deepEqual(window, isRight ? { fromMs, toMs } : undefined)
    }),
    { numRuns: cases(80, 500) },
  )
})

test('a page token decodes to its id, and no other text does', () => {
  const ids = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 19 })
  fc.assert(fc.property(ids, (id) => assert.equal(idOfPageToken(pageTokenAfter(id)), id)))
  const near = fc.tuple(ids, fc.nat(), fc.constantFrom('', '=', 'A', ' ', '-')).map(([id, at, piece]) => {
    const token = pageTokenAfter(id)
    return token.slice(0, at % token.length) + piece + token.slice((at % token.length) + 1)
  })
  fc.assert(
    fc.property(fc.oneof(near, fc.string(), fc.base64String()), (token) => {
      const id = accepted(() => idOfPageToken(token))
      if (id !== undefined) assert.equal(pageTokenAfter(id), token)
    }),
  )
})

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-seeds-'))
})
after(() => rm(folder, { recursive: true }))

const app = fc.record({ name: fc.string({ minLength: 1, maxLength: 20 }), consumer_key: fc.string({ minLength: 1 }) })
const seeds = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc
    .record({ apps: fc.array(fc.oneof(app, fc.jsonValue())), users: fc.array(fc.record({ username: fc.string() })) }, { requiredKeys: [] })
    .map((value) => JSON.stringify(value)),
  fc.string(),
  fc.constantFrom(
    '{"apps":[],}',
    '// nothing\n{}',
    '{"apps":[{"name":"\\u0000"}]}',
    '{"users":[{"username":"\\ud800"}]}',
    '{"__proto__":{}}',
    '',
  ),
)

test('any seed file is either valid by its schema or rejected with a name', async () => {
  const check = compileCheck(seedSchema)
  let count = 0
  await fc.assert(
    fc.asyncProperty(seeds, async (source) => {
      const path = join(folder, `${count++}.json`)
      await writeFile(path, source, { mode: 0o600 })
      const read = await readSeed(path).catch((error: Error) => error.message)
      if (typeof read === 'string') return assert.ok(read.startsWith(`the seed ${path} `), read)
      assert.equal(check(read.document), undefined)
      JSON.stringify(read.document, (name, value) => {
        for (const text of [name, value].filter((each) => typeof each === 'string')) assert.ok(text.isWellFormed() && !text.includes('\0'))
        return value
      })
    }),
  )
})
