import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Subscription } from '../../src/storage/subscriptions.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { anApp, aSubscription, aUser, aUserToken, aWebhook, FAILED, opened, twentyAtOnce } from './samples.ts'

const idsOf = (subscriptions: { id: string }[]) => subscriptions.map((subscription) => subscription.id)

/** A storage with the webhook '10' of app '1' and the webhook '20' of app '2'. */
async function withWebhooks(flavour: Flavour) {
  const it = await opened(flavour)
  await it.storage.apps.insert(anApp({ id: '2' }))
  await it.storage.webhooks.register(aWebhook(), 5)
  await it.storage.webhooks.register(aWebhook({ id: '20', appId: '2' }), 5)
  return it
}

for (const flavour of databasesOf(import.meta)) {
  suite(`subscriptions on ${flavour}`, () => {
    test('a subscription is read as it was written, with any part of its filter missing', async () => {
      await using it = await withWebhooks(flavour)
      const written: Subscription[] = [
        aSubscription({ id: '1', filter: {} }),
        aSubscription({ id: '2', filter: { userId: '5', keyword: 'Kätzchen 🐈', direction: 'sent' }, tag: 'mine' }),
        aSubscription({ id: '3', filter: { keyword: 'k' }, webhookId: null }),
      ]
      for (const subscription of written) assert.equal(await it.storage.subscriptions.insert(subscription, 9), 'created')
      assert.deepEqual(await it.storage.subscriptions.list('1', null, 9), written)
    })

    test('subscriptions are listed by ascending id, page by page, for each app', async () => {
      await using it = await withWebhooks(flavour)
      const { subscriptions } = it.storage
      for (const id of ['13', '11', '12']) await subscriptions.insert(aSubscription({ id, filter: { userId: id } }), 9)
      await subscriptions.insert(aSubscription({ id: '14', appId: '2', webhookId: '20' }), 9)
      assert.deepEqual(idsOf(await subscriptions.list('1', null, 2)), ['11', '12'])
      assert.deepEqual(idsOf(await subscriptions.list('1', '12', 2)), ['13'])
      assert.equal(await subscriptions.count('1'), 3)
    })

    test('byIds finds only those of the app', async () => {
      await using it = await withWebhooks(flavour)
      const { subscriptions } = it.storage
      await subscriptions.insert(aSubscription({ id: '12' }), 9)
      await subscriptions.insert(aSubscription({ id: '11', filter: {} }), 9)
      await subscriptions.insert(aSubscription({ id: '13', appId: '2', webhookId: '20' }), 9)
      assert.deepEqual(idsOf(await subscriptions.byIds('1', ['12', '13', '11', '99'])), ['11', '12'])
      assert.deepEqual(await subscriptions.byIds('1', []), [])
    })

    test('the same event type, filter and webhook is a duplicate, and its id is returned', async () => {
      await using it = await withWebhooks(flavour)
      const { subscriptions } = it.storage
      await subscriptions.insert(aSubscription(), 1)
      assert.deepEqual(await subscriptions.insert(aSubscription({ id: '1001', tag: 'other' }), 1), { duplicateOf: '1000' })
      assert.equal(await subscriptions.count('1'), 1)
    })

    test('without a webhook, too, a subscription has one duplicate', async () => {
      await using it = await withWebhooks(flavour)
      const { subscriptions } = it.storage
      await subscriptions.insert(aSubscription({ webhookId: null }), 9)
      assert.deepEqual(await subscriptions.insert(aSubscription({ id: '1001', webhookId: null }), 9), { duplicateOf: '1000' })
      assert.equal(await subscriptions.insert(aSubscription({ id: '1001' }), 9), 'created')
    })

    test('a difference in event type, filter, webhook or app is no duplicate', async () => {
      await using it = await withWebhooks(flavour)
      const { subscriptions } = it.storage
      const unlike: Partial<Subscription>[] = [
        {},
        { eventType: 'dm.sent' },
        { filter: {} },
        { filter: { userId: '101', keyword: 'k' } },
        { filter: { userId: '101', direction: 'sent' } },
        { filter: { userId: '101', direction: 'received' } },
        { appId: '2', webhookId: '20' },
      ]
      for (const [n, changes] of unlike.entries()) {
        assert.equal(await subscriptions.insert(aSubscription({ id: `${n}`, ...changes }), 9), 'created')
      }
    })

    test('beyond the limit nothing is inserted', async () => {
      await using it = await withWebhooks(flavour)
      const { subscriptions } = it.storage
      await subscriptions.insert(aSubscription(), 1)
      assert.equal(await subscriptions.insert(aSubscription({ id: '1001', filter: {} }), 1), 'limit')
      assert.equal(await subscriptions.count('1'), 1)
    })

    test('a webhook of another app, or none, is rejected', async () => {
      await using it = await withWebhooks(flavour)
      const { subscriptions } = it.storage
      assert.equal(await subscriptions.insert(aSubscription({ webhookId: '20' }), 9), 'no-webhook')
      assert.equal(await subscriptions.insert(aSubscription({ webhookId: '99' }), 9), 'no-webhook')
      assert.equal(await subscriptions.count('1'), 0)
    })

    test('twenty concurrent insertions of one subscription leave one, and return its id to the others', async () => {
      await using it = await withWebhooks(flavour)
      const answers = await twentyAtOnce(it.storages, (storage, n) => storage.subscriptions.insert(aSubscription({ id: `${n}` }), 100))
      const [left] = await it.storage.subscriptions.list('1', null, 9)
      assert.equal(answers.filter((answer) => answer === 'created').length, 1)
      for (const answer of answers) if (answer !== 'created') assert.deepEqual(answer, { duplicateOf: left!.id })
      assert.equal(await it.storage.subscriptions.count('1'), 1)
    })

    test('twenty concurrent insertions never exceed the limit', async () => {
      await using it = await withWebhooks(flavour)
      const answers = await twentyAtOnce(it.storages, (storage, n) =>
        storage.subscriptions.insert(aSubscription({ id: `${n}`, filter: { userId: `${n}` } }), 7),
      )
      assert.equal(answers.filter((answer) => answer === 'created').length, 7)
      assert.equal(await it.storage.subscriptions.count('1'), 7)
    })

    test('removal counts and deletes only those of the app', async () => {
      await using it = await withWebhooks(flavour)
      const { subscriptions } = it.storage
      await subscriptions.insert(aSubscription({ id: '11' }), 9)
      await subscriptions.insert(aSubscription({ id: '12', appId: '2', webhookId: '20' }), 9)
      assert.equal(await subscriptions.remove('1', ['11', '11', '12', '99']), 1)
      assert.equal(await subscriptions.remove('1', []), 0)
      assert.equal(await subscriptions.count('1'), 0)
      assert.equal(await subscriptions.count('2'), 1)
    })

    test("an update changes the given fields of the app's subscription, and its date", async () => {
      await using it = await withWebhooks(flavour)
      const { subscriptions, webhooks } = it.storage
      await webhooks.register(aWebhook({ id: '11', url: 'https://c.example/', normalUrl: 'https://c.example/' }), 5)
      await subscriptions.insert(aSubscription({ tag: 'before' }), 9)
      const tagged = aSubscription({ tag: 'after', updatedAtMs: 5 })
      assert.deepEqual(await subscriptions.update('1', '1000', { tag: 'after' }, 5), tagged)
      const moved = aSubscription({ tag: 'after', webhookId: '11', updatedAtMs: 6 })
      assert.deepEqual(await subscriptions.update('1', '1000', { webhookId: '11' }, 6), moved)
      assert.deepEqual(await subscriptions.list('1', null, 9), [moved])
    })

    test('an update of an unknown subscription, to a webhook of another app, or to a duplicate changes nothing', async () => {
      await using it = await withWebhooks(flavour)
      const { subscriptions } = it.storage
      const written = [aSubscription(), aSubscription({ id: '1001', webhookId: null })]
      for (const each of written) await subscriptions.insert(each, 9)
      assert.equal(await subscriptions.update('1', '99', { tag: 'x' }, 5), 'missing')
      assert.equal(await subscriptions.update('2', '1000', { tag: 'x' }, 5), 'missing')
      assert.equal(await subscriptions.update('1', '1000', { tag: 'x', webhookId: '20' }, 5), 'no-webhook')
      assert.equal(await subscriptions.update('1', '1000', { tag: 'x', webhookId: '99' }, 5), 'no-webhook')
      assert.deepEqual(await subscriptions.update('1', '1001', { webhookId: '10' }, 5), { duplicateOf: '1000' })
      assert.deepEqual(await subscriptions.list('1', null, 9), written)
    })

    test('candidates have the event type, and the user or none, oldest first, with their webhooks or without', async () => {
      await using it = await withWebhooks(flavour)
      const { apps, webhooks, subscriptions } = it.storage
      await apps.update('2', { suspended: true })
      await webhooks.decide('20', 1, FAILED)
      const ofUser = aSubscription({ id: '11', createdAtMs: 3, filter: { userId: '101', keyword: 'k' } })
      const ofAny = aSubscription({ id: '12', createdAtMs: 1, filter: {} })
      const ofOtherApp = aSubscription({ id: '13', createdAtMs: 2, appId: '2', webhookId: '20' })
      const others = [aSubscription({ id: '14', filter: { userId: '102' } }), aSubscription({ id: '15', eventType: 'dm.sent' })]
      const ofStream = aSubscription({ id: '16', webhookId: null, createdAtMs: 4 })
      for (const each of [ofUser, ofAny, ofOtherApp, ofStream, ...others]) await subscriptions.insert(each, 9)

      const rest = { isCounted: false, quotas: null, streamedAtMs: null, consent: null }
      assert.deepEqual(await subscriptions.candidates([{ eventType: 'dm.received', userId: '101', needsConsent: false }]), [
        { subscription: ofAny, webhook: { id: '10', valid: true }, appSuspended: false, ...rest },
        { subscription: ofOtherApp, webhook: { id: '20', valid: false }, appSuspended: true, ...rest },
        { subscription: ofUser, webhook: { id: '10', valid: true }, appSuspended: false, ...rest },
        { subscription: ofStream, webhook: null, appSuspended: false, ...rest },
      ])
    })

    test('candidates of events that need it have the consent of their user, as it is at that moment', async () => {
      await using it = await withWebhooks(flavour)
      const { users, userTokens, subscriptions } = it.storage
      await users.insert(aUser())
      await subscriptions.insert(aSubscription({ id: '11' }), 9)
      await subscriptions.insert(aSubscription({ id: '12', appId: '2', webhookId: '20' }), 9)
      await subscriptions.insert(aSubscription({ id: '13', filter: {} }), 9)
      await subscriptions.insert(aSubscription({ id: '14', eventType: 'post.delete' }), 9)
      const asked = [
        { eventType: 'dm.received', userId: '101', needsConsent: true },
        { eventType: 'post.delete', userId: '101', needsConsent: false },
      ]
      const expect = async (...expected: [id: string, access: unknown][]) => {
        for (const storage of it.storages) {
          const found = await storage.subscriptions.candidates(asked)
          assert.deepEqual(
            found.map(({ subscription, consent }) => [subscription.id, consent?.access ?? null]),
            expected,
          )
        }
      }
      await expect(['11', null], ['12', null], ['13', null], ['14', null])
      await userTokens.insert(aUserToken({ access: 'read_write_dm' }))
      await expect(['11', 'read_write_dm'], ['12', null], ['13', null], ['14', null])
      await userTokens.insert(aUserToken({ token: 'of 2', appId: '2', access: 'read' }))
      await expect(['11', 'read_write_dm'], ['12', 'read'], ['13', null], ['14', null])
      await users.update('101', { disabled: true })
      await expect(['11', null], ['12', null], ['13', null], ['14', null])
      await users.update('101', { disabled: false })
      await userTokens.revoke(aUserToken().token)
      await expect(['11', null], ['12', 'read'], ['13', null], ['14', null])
    })

    test('a batch of events finds each candidate once', async () => {
      await using it = await withWebhooks(flavour)
      const { subscriptions } = it.storage
      await subscriptions.insert(aSubscription({ id: '11', filter: {} }), 9)
      await subscriptions.insert(aSubscription({ id: '12', eventType: 'dm.sent', filter: { userId: '7' } }), 9)
      const events = Array.from({ length: 1000 }, (_, n) => ({
        eventType: n % 2 ? 'dm.sent' : 'dm.received',
        userId: `${n % 10}`,
        needsConsent: false,
      }))
      assert.deepEqual(
        (await subscriptions.candidates(events)).map((candidate) => candidate.subscription.id),
        ['11', '12'],
      )
      assert.deepEqual(await subscriptions.candidates([]), [])
    })

    test('text in events and filters is never interpreted', async () => {
      await using it = await withWebhooks(flavour)
      await it.storage.subscriptions.insert(aSubscription({ filter: {} }), 9)
      const events = [{ eventType: `dm.received"], ["'; --`, userId: '"\\', needsConsent: true }]
      assert.deepEqual(await it.storage.subscriptions.candidates(events), [])
    })

    test('candidates reflect every change at once, whatever was read before', async () => {
      await using it = await opened(flavour)
      const { storage } = it
      const events = [{ eventType: 'dm.received', userId: '101', needsConsent: false }]
      const candidates = async () =>
        (await storage.subscriptions.candidates(events)).map(({ subscription, webhook, appSuspended }) => [
          subscription.id,
          webhook?.valid,
          appSuspended,
        ])
      await storage.webhooks.register(aWebhook(), 5)
      assert.deepEqual(await candidates(), [])
      await storage.subscriptions.insert(aSubscription(), 5)
      assert.deepEqual(await candidates(), [['1000', true, false]])
      await storage.subscriptions.insert(aSubscription({ id: '1001', filter: {}, createdAtMs: 1 }), 5)
      assert.deepEqual(
        (await candidates()).map(([id]) => id),
        ['1001', '1000'],
      )
      await storage.subscriptions.update('1', '1001', { tag: 'new' }, 2)
      assert.deepEqual(
        (await storage.subscriptions.candidates(events)).map(({ subscription }) => subscription.tag),
        ['new', aSubscription().tag],
      )
      await storage.subscriptions.remove('1', ['1001'])
      await storage.webhooks.decide('10', 1, FAILED)
      assert.deepEqual(await candidates(), [['1000', false, false]])
      await storage.apps.update('1', { suspended: true })
      assert.deepEqual(await candidates(), [['1000', false, true]])
      await storage.webhooks.remove('1', '10')
      assert.deepEqual(await candidates(), [])
      await storage.webhooks.register(aWebhook(), 5)
      await storage.subscriptions.insert(aSubscription(), 5)
      assert.equal((await candidates()).length, 1)
      await storage.wipe()
      assert.deepEqual(await candidates(), [])
    })

    test('a subscription created while candidates are read is among the next ones', async () => {
      await using it = await opened(flavour)
      const events = [{ eventType: 'dm.received', userId: '101', needsConsent: false }]
      await it.storage.webhooks.register(aWebhook(), 5)
      const asked = it.storage.subscriptions.candidates(events)
      await it.storage.subscriptions.insert(aSubscription(), 5)
      await asked
      assert.equal((await it.storage.subscriptions.candidates(events)).length, 1)
    })
  })
}
