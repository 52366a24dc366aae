import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFingerprints } from '../../src/storage/sql/sqlite/nonces/fingerprints.ts'
import { createNonceFile, openNonceFile } from '../../src/storage/sql/sqlite/nonces/nonce-file.ts'
import { createRandom } from '../stage/random.ts'

const HEADER_BYTES = 64
const WORDS = Uint32Array.from({ length: 40 }, (_, n) => n + 1)
const KEY = Buffer.alloc(32, 7)

/** What is read of a file with these contents; undefined if it is refused. */
function readBack(folder: string, bytes: Uint8Array, maxRecords = 1000): number[] | undefined {
  const path = join(folder, '5')
  writeFileSync(path, bytes)
  const read = openNonceFile(path, '5', maxRecords)
  read?.file.close()
  return read && [...read.words]
}

/** A file as it is written, and its folder, which is removed afterwards. */
function withFile(run: (folder: string, bytes: Buffer) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-nonces-'))
  try {
    createNonceFile(join(folder, '5'), '5', KEY, WORDS).close()
    run(folder, readFileSync(join(folder, '5')))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('a file that is cut off anywhere has every whole record before the cut, or is refused within its header', () =>
  withFile((folder, bytes) => {
    assert.equal(bytes.length, HEADER_BYTES + 20 * 8)
    for (let length = 0; length <= bytes.length; length += 1) {
      const records = Math.floor((length - HEADER_BYTES) / 8)
      const expected = length < HEADER_BYTES ? undefined : [...WORDS.subarray(0, records * 2)]
      assert.deepEqual(readBack(folder, bytes.subarray(0, length)), expected, `${length}`)
    }
  }))

test('a changed byte of the header refuses the file, and one of a record changes that record alone', () =>
  withFile((folder, bytes) => {
    const random = createRandom(1)
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1 + Math.floor(random() * 255)
      const read = readBack(folder, changed)
      if (at < HEADER_BYTES) assert.equal(read, undefined, `${at}`)
      else
        assert.deepEqual(
          read!.flatMap((word, place) => (word === WORDS[place] ? [] : [place])),
          [Math.floor((at - HEADER_BYTES) / 4)],
        )
    }
  }))

test('random bytes are refused, with and without a beginning that is right', () =>
  withFile((folder, bytes) => {
    const random = createRandom(2)
    for (let round = 0; round < 500; round += 1) {
      const noise = Buffer.from(Array.from({ length: Math.floor(random() * 300) }, () => Math.floor(random() * 256)))
      const beginning = bytes.subarray(0, Math.floor(random() * HEADER_BYTES))
      assert.equal(readBack(folder, Buffer.concat([beginning, noise])), undefined)
    }
  }))

test('a file with more records than there may be is refused', () =>
  withFile((folder, bytes) => {
    assert.equal(readBack(folder, bytes, 19), undefined)
    assert.equal(readBack(folder, bytes, 20)?.length, 40)
  }))

test('fingerprints have every pair of words that was added, zeros within them too, and no other', () => {
  const random = createRandom(3)
  const wordOf = () => (random() < 0.2 ? 0 : Math.floor(random() * (random() < 0.5 ? 8 : 2 ** 32)))
  const pairs = Array.from({ length: 20_000 }, (): [number, number] => [wordOf(), wordOf()]).filter(
    ([high, low]) => high !== 0 || low !== 0,
  )
  const fingerprints = createFingerprints()
  const expected = new Set<string>()
  for (const [high, low] of pairs) {
    assert.equal(fingerprints.has(high, low), expected.has(`${high} ${low}`))
    fingerprints.add(high, low)
    expected.add(`${high} ${low}`)
    assert.equal(fingerprints.size, expected.size)
  }
  const words = [...fingerprints.words()]
  assert.deepEqual(new Set(words.flatMap((high, place) => (place % 2 === 0 ? [`${high} ${words[place + 1]}`] : []))), expected)
})
