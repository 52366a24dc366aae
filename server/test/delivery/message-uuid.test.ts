import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { messageUuid } from '../../src/delivery/broker/message-uuid.ts'

const about = { streamLife: 'EVENTS 2026-03-01T12:00:00Z', sequence: 5, producerId: undefined as string | undefined }
const of = (more: Partial<typeof about>, place = 0) => messageUuid({ ...about, ...more }, place)

suite('the uuid of an event whose message gives none', () => {
  test('is the same with every delivery, and one that a producer may give', () => {
    for (const more of [{}, { producerId: 'order-17' }, { sequence: Number.MAX_SAFE_INTEGER }]) {
      assert.equal(of(more), of(more))
      assert.match(of(more), /^-[0-9]{1,19}$/)
      assert.ok(BigInt(of(more)) >= -(2n ** 63n) && BigInt(of(more)) < 0n)
    }
  })

  test('is that of the id that its producer gave the message, wherever it is in the stream', () => {
    assert.equal(of({ producerId: 'order-17', sequence: 5 }), of({ producerId: 'order-17', sequence: 6 }))
    assert.notEqual(of({ producerId: 'order-17' }), of({ producerId: 'order-18' }))
    assert.notEqual(of({ producerId: '5' }), of({}))
  })

  test('differs from that of every other message of the stream, by their places', () => {
    assert.equal(BigInt(of({ sequence: 5 })) - BigInt(of({ sequence: 6 })), 1n)
    assert.equal(new Set(Array.from({ length: 10_000 }, (_, sequence) => of({ sequence }))).size, 10_000)
  })

  test('differs from those of a stream that was deleted and made anew', () => {
    assert.notEqual(of({}), of({ streamLife: 'EVENTS 2026-03-02T12:00:00Z' }))
    assert.notEqual(of({ producerId: '1' }), of({ producerId: '1', streamLife: 'EVENTS 2026-03-02T12:00:00Z' }))
  })

  test('differs for each event of a message', () => {
    assert.equal(new Set([0, 1, 2].map((place) => of({}, place))).size, 3)
    assert.equal(new Set([0, 1, 2].map((place) => of({ producerId: 'order-17' }, place))).size, 3)
  })
})
