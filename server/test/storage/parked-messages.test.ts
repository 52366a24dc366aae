import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ParkedMessage } from '../../src/storage/parked-messages.ts'
import { databasesOf } from '../stage/databases.ts'
import { opened, twentyAtOnce } from './samples.ts'

const LIFE = 'EVENTS 2026-03-01T12:00:00Z'

const aMessage = (n: number, more: Partial<ParkedMessage> = {}): ParkedMessage => ({
  id: String(1_000 + n),
  stream: 'EVENTS',
  sequence: n,
  subject: 'events.test',
  reason: '$.user_id: is missing.',
  bytes: 17,
  content: '{"n":1}',
  receivedAtMs: 5,
  parkedAtMs: 6,
  ...more,
})

for (const flavour of databasesOf(import.meta))
  suite(`parked messages on ${flavour}`, () => {
    test('are read as they were parked, and listed newest first, page by page, with the beginning of each', async () => {
      await using it = await opened(flavour)
      const { parkedMessages } = it.storage
      const long = aMessage(2, { content: `ä${'x'.repeat(300_000)}`, bytes: 400_000, sequence: 2 ** 50 })
      assert.equal(await parkedMessages.park(aMessage(1), LIFE), true)
      assert.equal(await parkedMessages.park(long, LIFE), true)
      assert.deepEqual(await parkedMessages.byId('1002'), long)
      assert.equal(await parkedMessages.byId('1003'), undefined)
      assert.deepEqual(await parkedMessages.list(null, 9, 3), [{ ...long, content: 'äxx' }, aMessage(1, { content: '{"n' })])
      assert.deepEqual(await parkedMessages.list('1002', 9, 3), [aMessage(1, { content: '{"n' })])
      assert.deepEqual(await parkedMessages.list(null, 1, 3), [{ ...long, content: 'äxx' }])
      assert.equal(await parkedMessages.count(), 2)
    })

    test('hold text that no database keeps as a replacement', async () => {
      await using it = await opened(flavour)
      const { parkedMessages } = it.storage
      await parkedMessages.park(aMessage(1, { content: 'a\u0000b\ud800', subject: 'a\u0000' }), LIFE)
      assert.deepEqual(await parkedMessages.byId('1001'), aMessage(1, { content: 'a\ufffdb\ufffd', subject: 'a\ufffd' }))
    })

    test('are discarded once', async () => {
      await using it = await opened(flavour)
      const { parkedMessages } = it.storage
      await parkedMessages.park(aMessage(1), LIFE)
      assert.deepEqual([await parkedMessages.discard('1001'), await parkedMessages.discard('1001')], [true, false])
      assert.equal(await parkedMessages.count(), 0)
    })

    test('are one, however often their message comes and to how many processes, and another one in another life of the stream', async () => {
      await using it = await opened(flavour)
      const parked = await twentyAtOnce(it.storages, ({ parkedMessages }, n) =>
        parkedMessages.park(aMessage(7, { id: String(n + 10) }), LIFE),
      )
      assert.deepEqual(new Set(parked), new Set([true]))
      const { parkedMessages } = it.storage
      assert.equal(await parkedMessages.count(), 1)
      assert.equal(await parkedMessages.park(aMessage(7), 'EVENTS 2026-03-02T12:00:00Z'), true)
      assert.equal(await parkedMessages.count(), 2)
    })

    test('are a thousand at most: then one that is new is refused, and one that is kept is not', async () => {
      await using it = await opened(flavour)
      const { parkedMessages } = it.storage
      for (let n = 1; n <= 1_000; n += 1) assert.equal(await parkedMessages.park(aMessage(n), LIFE), true)
      assert.equal(await parkedMessages.park(aMessage(1_001), LIFE), false)
      assert.equal(await parkedMessages.park(aMessage(1_000), LIFE), true)
      assert.equal(await parkedMessages.count(), 1_000)
      await parkedMessages.discard('1001')
      assert.equal(await parkedMessages.park(aMessage(1_001), LIFE), true)
    })
  })
