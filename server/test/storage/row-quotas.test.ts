import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { aSubscription, aWebhook, opened, twentyAtOnce } from './samples.ts'

for (const flavour of databasesOf(import.meta)) {
  suite(`quotas of rows on ${flavour}`, () => {
    test('of twenty webhooks and subscriptions that are added at once as many are made as the quota leaves', async () => {
      await using it = await opened(flavour)
      const { webhooks, appLoads } = it.storage
      assert.equal(await webhooks.register(aWebhook(), 99, 1), 'created')
      const answers = await twentyAtOnce<unknown>(it.storages, ({ webhooks, subscriptions }, n) =>
        n % 4 < 2
          ? webhooks.register(aWebhook({ id: `${100 + n}`, normalUrl: `https://example.com/${n}` }), 99, 6)
          : subscriptions.insert(aSubscription({ id: `${100 + n}`, filter: { userId: `${n}` } }), 99, 6),
      )
      assert.deepEqual(answers.toSorted(), [...Array(5).fill('created'), ...Array(15).fill('row-quota')])
      assert.deepEqual(await appLoads.countRows(['1']), new Map([['1', 6]]))
    })

    test('a duplicate and the limit of webhooks are told before the quota, which null or a larger one removes', async () => {
      await using it = await opened(flavour)
      const { webhooks, subscriptions } = it.storage
      await webhooks.register(aWebhook(), 99)
      assert.equal(await webhooks.register(aWebhook({ id: '11', normalUrl: aWebhook().normalUrl }), 99, 1), 'duplicate')
      const other = aWebhook({ id: '12', normalUrl: 'https://example.com/other' })
      assert.equal(await webhooks.register(other, 1, 1), 'limit')
      assert.equal(await webhooks.register(other, 99, 1), 'row-quota')
      assert.equal(await subscriptions.insert(aSubscription(), 99, 0), 'row-quota')
      assert.equal(await webhooks.register(other, 99, 2), 'created')
      assert.equal(await subscriptions.insert(aSubscription(), 99, null), 'created')
    })
  })
}
