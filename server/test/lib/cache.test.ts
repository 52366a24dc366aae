import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCache } from '../../src/lib/cache.ts'

test('concurrent loads of a key share one read', async () => {
  const cache = createCache<number>(10, () => true)
  let read = 0
  const load = () => cache.load('a', async () => ++read)
  assert.deepEqual(await Promise.all([load(), load(), load()]), [1, 1, 1])
  assert.equal(cache.get('a'), 1)
})

test('a value that is invalidated during its read is read again, and the old one is not cached', async () => {
  const cache = createCache<string>(10, () => true)
  const first = Promise.withResolvers<string>()
  let read = 0
  const loaded = cache.load('a', () => (++read === 1 ? first.promise : Promise.resolve('new')))
  cache.invalidate('a')
  first.resolve('old')
  assert.equal(await loaded, 'new')
  assert.equal(cache.get('a'), 'new')
})

test('after a hundred thousand values the cache has at most its maximum, including the latest', async () => {
  const cache = createCache<number>(100, () => true)
  for (let n = 0; n < 100_000; n += 1) await cache.load(String(n), async () => n)
  const known = Array.from({ length: 100_000 }, (_, n) => cache.get(String(n))).filter((n) => n !== undefined)
  assert.ok(known.length >= 50 && known.length <= 100, String(known.length))
  assert.equal(known.at(-1), 99_999)
})

test('frequently used values stay, whatever else is loaded', async () => {
  const cache = createCache<number>(100, () => true)
  await cache.load('hot', async () => 1)
  for (let n = 0; n < 10_000; n += 1) {
    await cache.load(String(n), async () => n)
    assert.equal(cache.get('hot'), 1)
  }
})

test('invalidation by a condition removes all matching values and no others', async () => {
  const cache = createCache<number>(100, () => true)
  for (let n = 0; n < 90; n += 1) await cache.load(String(n), async () => n)
  cache.invalidateWhere((n) => n % 2 === 0)
  const known = Array.from({ length: 90 }, (_, n) => cache.get(String(n))).filter((n) => n !== undefined)
  assert.equal(known.length, 45)
  cache.invalidateWhere()
  assert.equal(cache.get('1'), undefined)
})
