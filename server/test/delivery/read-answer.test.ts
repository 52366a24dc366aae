import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAnswerReader, MAX_ANSWER_BYTES, MAX_HEAD_BYTES } from '../../src/delivery/send/read-answer.ts'

const KB_16 = 16_384

/** Reads a body in pieces of these lengths; answers what each piece was told, and the body. */
function read(...lengths: number[]) {
  const reader = createAnswerReader()
  const within = lengths.map((length, place) => reader.addBody(Buffer.alloc(length, `${place}`)))
  return { within, body: reader.take(false).body, reader }
}

test('a body is kept up to 16 KB, in one piece or in many', () => {
  assert.deepEqual(read(KB_16).within, [true])
  assert.deepEqual(read(KB_16 + 1).within, [false])
  assert.deepEqual(read(10_000, 6384).within, [true, true])
  assert.deepEqual(read(10_000, 6385).within, [true, false])
  for (const lengths of [
    [0],
    [5],
    [KB_16 - 1],
    [KB_16],
    [KB_16 + 1],
    [50_000],
    [1, 1, 1],
    [10_000, 6384],
    [10_000, 6385],
    [1, 50_000, 7],
  ]) {
    const whole = Buffer.concat(lengths.map((length, place) => Buffer.alloc(length, `${place}`)))
    assert.ok(read(...lengths).body.equals(whole.subarray(0, KB_16)), String(lengths))
  }
})

test('nothing of an answer is left for the next', () => {
  const { reader } = read(5, 5)
  assert.equal(reader.take(false).body.length, 0)
  reader.addBody(Buffer.from('next'))
  assert.equal(reader.take(false).body.toString(), 'next')
  reader.setHead(200, { 'retry-after': '1' }, undefined, false)
  reader.addBody(Buffer.from('x'))
  reader.clear()
  assert.deepEqual(reader.take(false), { status: 200, headers: {}, body: Buffer.alloc(0), truncated: false })
})

test('an answer has the status, the headers and whether it was cut off', () => {
  const reader = createAnswerReader()
  reader.setHead(429, { 'retry-after': '5', location: '/x' }, undefined, false)
  const { status, headers, truncated } = reader.take(true)
  assert.deepEqual({ status, headers, truncated }, { status: 429, headers: { 'retry-after': '5', location: '/x' }, truncated: true })
})

test('the head has at most 16 KB on the wire, an answer 32 KB', () => {
  assert.deepEqual([MAX_HEAD_BYTES, MAX_ANSWER_BYTES], [KB_16, 2 * KB_16])
})
