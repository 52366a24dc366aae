import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { cacheOpened, createSeal, SealError } from '../../src/lib/seal.ts'

/** A seal that counts how many values it has opened. */
function counting(secrets: string[]) {
  const seal = createSeal(secrets)
  const opened = { count: 0 }
  const open = (purpose: string, sealed: string) => {
    opened.count += 1
    return seal.open(purpose, sealed)
  }
  return { seal: { ...seal, open }, opened }
}

suite('a caching seal', () => {
  test('decrypts a value once', () => {
    const { seal, opened } = counting(['secret'])
    const cached = cacheOpened(seal)
    const [one, other] = [cached.seal('apps', 'plain'), cached.seal('apps', '')]
    for (let n = 0; n < 3; n++) assert.deepEqual([cached.open('apps', one), cached.open('apps', other)], ['plain', ''])
    assert.equal(opened.count, 2)
  })

  test('does not decrypt a value of one purpose for another', () => {
    const cached = cacheOpened(createSeal(['secret']))
    const sealed = cached.seal('apps', 'plain')
    assert.equal(cached.open('apps', sealed), 'plain')
    assert.throws(() => cached.open('tokens', sealed), SealError)
  })

  test('tries again to decrypt a value that failed', () => {
    const { seal, opened } = counting(['secret'])
    const cached = cacheOpened(seal)
    const foreign = createSeal(['another']).seal('apps', 'plain')
    for (let n = 0; n < 2; n++) assert.throws(() => cached.open('apps', foreign), SealError)
    assert.equal(opened.count, 2)
  })

  test('keeps at most its maximum and evicts the least recently used value', () => {
    const { seal, opened } = counting(['secret'])
    const cached = cacheOpened(seal, 2)
    const [a, b, c] = ['a', 'b', 'c'].map((plain) => seal.seal('apps', plain)) as [string, string, string]
    for (const sealed of [a, b, a, c, a]) cached.open('apps', sealed)
    assert.equal(opened.count, 3)
    assert.equal(cached.open('apps', b), 'b')
    assert.equal(opened.count, 4)
  })

  test('re-encrypts a cached value', () => {
    const old = createSeal(['old'])
    const cached = cacheOpened(createSeal(['new', 'old']))
    const sealed = old.seal('apps', 'plain')
    assert.equal(cached.open('apps', sealed), 'plain')
    const anew = cached.reencrypt('apps', sealed)
    assert.equal(createSeal(['new']).open('apps', anew!), 'plain')
    assert.equal(cached.reencrypt('apps', anew!), undefined)
  })
})
