// What the outbox leaves to be published later, and what it does without a transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { pino } from 'pino'
import { type Announcement, createOutbox } from '../../src/delivery/outbox.ts'
import type { PublishedEvent } from '../../src/delivery/publish.ts'
import { createIds } from '../../src/lib/ids.ts'
import { databasesOf } from '../stage/databases.ts'
import { aSubscription, aWebhook, type Opened, opened, rawRows } from '../storage/samples.ts'

const created: Announcement = { eventType: 'post.create', userId: '5', say: async () => ({ payload: { id: '1' } }) }

/** An outbox beside a storage in which somebody has subscribed to posts of user 5, and what it published. */
async function withOutbox({ storage, clock }: Opened) {
  await storage.webhooks.register(aWebhook(), 5)
  await storage.subscriptions.insert(aSubscription({ eventType: 'post.create', filter: { userId: '5' } }), 9)
  const published: PublishedEvent[] = []
  const seen = { published, transactions: 0, left: 0 }
  const outbox = createOutbox({
    content: {
      change(run) {
        seen.transactions += 1
        return storage.content.change(run)
      },
    },
    events: storage.outbox,
    subscriptions: storage.subscriptions,
    ids: createIds(clock),
    now: clock.now,
    logger: pino({ level: 'silent' }),
    publisher: {
      async publish(events) {
        published.push(...events)
        return []
      },
    },
    left: () => {
      seen.left += 1
    },
  })
  return { outbox, seen }
}

const inOutbox = async (url: string) => Number((await rawRows(url, 'select count(*) as rows from outbox'))[0]!.rows)

for (const flavour of databasesOf(import.meta))
  suite(`the outbox on ${flavour}`, () => {
    test('more events than are published at the same time stay in the table, and somebody is told to look', async () => {
      await using it = await opened(flavour)
      const { outbox, seen } = await withOutbox(it)
      const many = Array.from({ length: 1001 }, () => created)
      await outbox.change([created], (_, announce) => announce(many))
      await outbox.settled()
      assert.deepEqual([seen.published.length, seen.left, await inOutbox(it.url)], [0, 1, 1001])
      await outbox.change([created], (_, announce) => announce([created]))
      await outbox.settled()
      assert.deepEqual([seen.published.length, seen.left, await inOutbox(it.url)], [1, 1, 1001])
    })

    test('an action that stores nothing has a transaction only if somebody has subscribed', async () => {
      await using it = await opened(flavour)
      const { outbox, seen } = await withOutbox(it)
      await outbox.announce([{ ...created, userId: '6' }], async () => assert.fail('checked'))
      assert.deepEqual([seen.transactions, seen.published.length], [0, 0])
      await outbox.announce([created], async () => {})
      await outbox.settled()
      assert.deepEqual([seen.transactions, seen.published.length, await inOutbox(it.url)], [1, 1, 0])
    })

    test('what the check in the transaction refuses is not announced', async () => {
      await using it = await opened(flavour)
      const { outbox, seen } = await withOutbox(it)
      const refused = outbox.announce([created], async () => Promise.reject(new Error('blocked meanwhile')))
      await assert.rejects(refused, { message: 'blocked meanwhile' })
      await outbox.settled()
      assert.deepEqual([seen.published.length, seen.left, await inOutbox(it.url)], [0, 0, 0])
    })
  })
