import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKept } from '../../src/lib/cache.ts'

test('what is kept is read once, however many ask at once', async () => {
  const kept = createKept<number>(10, () => true)
  let read = 0
  const load = () => kept.load('a', async () => ++read)
  assert.deepEqual(await Promise.all([load(), load(), load()]), [1, 1, 1])
  assert.equal(kept.known('a'), 1)
})

test('a value that is forgotten while it is read is read again, and the old one is kept by nobody', async () => {
  const kept = createKept<string>(10, () => true)
  const first = Promise.withResolvers<string>()
  let read = 0
  const loaded = kept.load('a', () => (++read === 1 ? first.promise : Promise.resolve('new')))
  kept.forget('a')
  first.resolve('old')
  assert.equal(await loaded, 'new')
  assert.equal(kept.known('a'), 'new')
})

test('a hundred thousand values leave at most as many as may be kept, the latest among them', async () => {
  const kept = createKept<number>(100, () => true)
  for (let n = 0; n < 100_000; n += 1) await kept.load(String(n), async () => n)
  const known = Array.from({ length: 100_000 }, (_, n) => kept.known(String(n))).filter((n) => n !== undefined)
  assert.ok(known.length >= 50 && known.length <= 100, String(known.length))
  assert.equal(known.at(-1), 99_999)
})

test('what is asked for again and again stays, whatever comes beside it', async () => {
  const kept = createKept<number>(100, () => true)
  await kept.load('hot', async () => 1)
  for (let n = 0; n < 10_000; n += 1) {
    await kept.load(String(n), async () => n)
    assert.equal(kept.known('hot'), 1)
  }
})

test('what is forgotten by choice is forgotten wherever it stands, and nothing else is', async () => {
  const kept = createKept<number>(100, () => true)
  for (let n = 0; n < 90; n += 1) await kept.load(String(n), async () => n)
  kept.forgetWhere((n) => n % 2 === 0)
  const known = Array.from({ length: 90 }, (_, n) => kept.known(String(n))).filter((n) => n !== undefined)
  assert.equal(known.length, 45)
  kept.forgetWhere()
  assert.equal(kept.known('1'), undefined)
})
