import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import {
  anApp,
  aReplayJob,
  aRequestToken,
  aSubscription,
  aUser,
  aUserToken,
  aWebhook,
  opened,
  openedAlone,
  rawRows,
  twentyAtOnce,
} from './samples.ts'

for (const flavour of databasesOf(import.meta)) {
  suite(`apps on ${flavour}`, () => {
    test('an app is read as it was written, by id and by consumer key', async () => {
      await using it = await openedAlone(flavour)
      const app = anApp({
        id: '2',
        previousConsumerSecret: 'before',
        previousSecretUntilMs: 1_800_000_000_123,
        suspended: true,
        adsAccess: true,
      })
      assert.equal(await it.storage.apps.insert(app), true)
      assert.deepEqual(await it.storage.apps.byId('2'), app)
      assert.deepEqual(await it.storage.apps.byConsumerKey('key of 2'), app)
    })

    test('an unknown app is undefined', async () => {
      await using it = await openedAlone(flavour)
      assert.equal(await it.storage.apps.byId('9'), undefined)
      assert.equal(await it.storage.apps.byConsumerKey('KEY OF 1'), undefined)
      assert.equal(await it.storage.apps.update('9', { name: 'x' }), undefined)
    })

    test('an unknown consumer key is found as soon as an app has it, in every process', async () => {
      await using it = await opened(flavour)
      const ask = () => Promise.all(it.storages.map(async ({ apps }) => (await apps.byConsumerKey('key of 2'))?.id))
      assert.deepEqual(new Set(await ask()), new Set([undefined]))
      const whileAsked = ask()
      await it.storage.apps.insert(anApp({ id: '2' }))
      await whileAsked
      assert.deepEqual(new Set(await ask()), new Set(['2']))
      await it.storage.apps.remove('2')
      assert.deepEqual(new Set(await ask()), new Set([undefined]))
    })

    test('an id or a consumer key that is taken changes nothing', async () => {
      await using it = await openedAlone(flavour)
      assert.equal(await it.storage.apps.insert(anApp({ name: 'Other', consumerKey: 'other' })), false)
      assert.equal(await it.storage.apps.insert(anApp({ id: '2', consumerKey: 'key of 1' })), false)
      assert.deepEqual(await it.storage.apps.list(null, 9), [anApp()])
    })

    test('of twenty concurrent insertions of one app, one succeeds', async () => {
      await using it = await opened(flavour)
      const done = await twentyAtOnce(it.storages, (storage) => storage.apps.insert(anApp({ id: '2' })))
      assert.equal(done.filter(Boolean).length, 1)
    })

    test('apps are listed oldest first', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.apps.insert(anApp({ id: '3', createdAtMs: 3 }))
      await it.storage.apps.insert(anApp({ id: '2', createdAtMs: 2 }))
      assert.deepEqual(
        (await it.storage.apps.list(null, 9)).map((app) => app.id),
        ['2', '3', '1'],
      )
      assert.deepEqual(
        (await it.storage.apps.list('2', 1)).map((app) => app.id),
        ['3'],
      )
      assert.deepEqual(await it.storage.apps.list('1', 9), [])
    })

    test('an update changes the given fields, keeps the others, and returns the changed app', async () => {
      await using it = await openedAlone(flavour)
      const changes = { callbackUrls: [], suspended: true }
      const updated = await it.storage.apps.update('1', { ...changes, name: undefined })
      assert.deepEqual(updated, anApp({ ...changes, portalGeneration: 2 }))
      assert.deepEqual(await it.storage.apps.byId('1'), updated)
    })

    test('of twenty concurrent updates that are computed from the app, each is given what the one before has written', async () => {
      await using it = await opened(flavour)
      await twentyAtOnce(it.storages, (storage) => storage.apps.update('1', ({ webhookLimit }) => ({ webhookLimit: webhookLimit + 1 })))
      assert.equal((await it.storage.apps.byId('1'))?.webhookLimit, anApp().webhookLimit + 20)
    })

    test('a rotation sets a new secret, keeps the previous one for a while, and increments the version; an older one becomes invalid', async () => {
      await using it = await openedAlone(flavour)
      const once = await it.storage.apps.update('1', { name: 'Renamed' }, { secret: 'second', previousUntilMs: 7 })
      const names = { name: 'Renamed', consumerSecret: 'second', previousConsumerSecret: 'the secret' }
      assert.deepEqual(once, anApp({ ...names, secretVersion: 2, previousSecretUntilMs: 7 }))
      const twice = await it.storage.apps.update('1', {}, { secret: 'third', previousUntilMs: 8 })
      assert.deepEqual(twice, {
        ...once,
        consumerSecret: 'third',
        previousConsumerSecret: 'second',
        secretVersion: 3,
        previousSecretUntilMs: 8,
      })
      assert.deepEqual(await it.storage.apps.byId('1'), twice)
    })

    test('a rotation to the secret that an app has can only end its overlap earlier, and other changes count', async () => {
      await using it = await openedAlone(flavour)
      const to = (previousUntilMs: number | null, changes = {}) =>
        it.storage.apps.update('1', changes, { secret: 'second', previousUntilMs })
      const once = await to(7)
      assert.deepEqual(await to(8, { name: 'Renamed' }), { ...once, name: 'Renamed' })
      assert.deepEqual(await to(8), { ...once, name: 'Renamed' })
      assert.deepEqual(await to(6), { ...once, name: 'Renamed', previousSecretUntilMs: 6 })
      assert.deepEqual(await to(null), { ...once, name: 'Renamed', previousSecretUntilMs: null })
      assert.deepEqual(await to(9), { ...once, name: 'Renamed', previousSecretUntilMs: null })
    })

    test('twenty concurrent rotations all count', async () => {
      await using it = await opened(flavour)
      await twentyAtOnce(it.storages, (storage, n) => storage.apps.update('1', {}, { secret: `secret ${n}`, previousUntilMs: 7 }))
      assert.equal((await it.storage.apps.byId('1'))?.secretVersion, 21)
    })

    test('an app that is deleted is gone with everything, in every process, and no other', async () => {
      await using it = await opened(flavour)
      const { apps, users, webhooks, subscriptions, replayJobs, bearerTokens, userTokens, requestTokens } = it.storage
      await users.insert(aUser())
      for (const id of ['2', '3']) {
        await apps.insert(anApp({ id }))
        for (const n of ['0', '1']) await webhooks.register(aWebhook({ id: `${id}${n}`, appId: id }), 5)
        await subscriptions.insert(aSubscription({ id: `${id}00`, appId: id, webhookId: `${id}0` }), 5)
        await subscriptions.insert(aSubscription({ id: `${id}01`, appId: id, webhookId: null }), 5)
        await replayJobs.create(aReplayJob({ id: `${id}000`, appId: id, webhookId: `${id}0` }))
        await bearerTokens.obtain(id, `bearer of ${id}`, 1)
        await userTokens.insert(aUserToken({ token: `token of ${id}`, appId: id }))
        await requestTokens.insert(aRequestToken({ token: `request of ${id}`, appId: id }), 0)
      }
      const seenBy = async (storage: typeof it.storage, id: string) => [
        (await storage.apps.byId(id))?.id,
        (await storage.apps.byConsumerKey(`key of ${id}`))?.id,
        (await storage.bearerTokens.appOf(`bearer of ${id}`))?.id,
        (await storage.userTokens.find(`token of ${id}`))?.token.appId,
        (await storage.requestTokens.find(`request of ${id}`, 0))?.appId,
        (await storage.webhooks.list(id)).length,
        await storage.subscriptions.count(id),
        (await storage.replayJobs.byId(`${id}000`))?.appId,
        (await storage.subscriptions.candidates([{ eventType: 'dm.received', userId: '101', needsConsent: false }])).some(
          ({ subscription }) => subscription.appId === id,
        ),
      ]
      const whole = (id: string) => [id, id, id, id, id, 2, 2, id, true]
      for (const storage of it.storages) assert.deepEqual(await seenBy(storage, '2'), whole('2'))
      assert.deepEqual((await apps.remove('2'))?.sort(), ['20', '21'])
      for (const storage of it.storages) {
        assert.deepEqual(await seenBy(storage, '2'), [...Array(5).fill(undefined), 0, 0, undefined, false])
        assert.deepEqual(await seenBy(storage, '3'), whole('3'))
      }
      assert.equal(await apps.remove('2'), undefined)
      assert.equal(await apps.insert(anApp({ id: '2' })), true)
    })

    test('beside twenty registrations, subscriptions and tokens an app is deleted with all that they made', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      const expected = /was deleted meanwhile/
      const orDeleted = (result: Promise<unknown>) => result.catch((error) => assert.match(error.message, expected))
      await Promise.all([
        twentyAtOnce(it.storages, ({ webhooks, subscriptions, bearerTokens, userTokens, requestTokens }, n) =>
          Promise.all([
            orDeleted(webhooks.register(aWebhook({ id: `${n}` }), 50)),
            orDeleted(subscriptions.insert(aSubscription({ id: `${n}`, webhookId: null, filter: { userId: `${n + 1}` } }), 50)),
            orDeleted(bearerTokens.obtain('1', `bearer ${n}`, 1)),
            orDeleted(userTokens.insert(aUserToken({ token: `token ${n}` }))),
            orDeleted(requestTokens.insert(aRequestToken({ token: `request ${n}` }), 0)),
          ]),
        ),
        it.storages.at(-1)!.apps.remove('1'),
      ])
      for (const table of ['apps', 'webhooks', 'subscriptions', 'bearer_tokens', 'user_tokens', 'request_tokens'])
        assert.deepEqual(await rawRows(it.url, `select * from ${table}`), [], table)
    })

    test('whoever adds to an app that is gone is told to ask again, and adds nothing', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.users.insert(aUser())
      const gone = { name: 'Error', unavailable: true, message: /was deleted meanwhile\. Nothing was changed/ }
      await assert.rejects(it.storage.webhooks.register(aWebhook({ appId: '9' }), 5), gone)
      await assert.rejects(it.storage.userTokens.insert(aUserToken({ appId: '9' })), gone)
      await assert.rejects(it.storage.requestTokens.insert(aRequestToken({ appId: '9' }), 0), gone)
      for (const table of ['webhooks', 'user_tokens', 'request_tokens'])
        assert.deepEqual(await rawRows(it.url, `select * from ${table}`), [], table)
    })

    test('an update without changes returns the app', async () => {
      await using it = await openedAlone(flavour)
      assert.deepEqual(await it.storage.apps.update('1', {}), anApp())
    })

    test('no secret is stored as plain text', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.apps.insert(anApp({ id: '2', consumerSecret: 'current-secret', previousConsumerSecret: 'previous-secret' }))
      const stored = JSON.stringify(await rawRows(it.url, 'select * from apps'))
      assert.match(stored, /key of 1/)
      assert.doesNotMatch(stored, /current-secret|previous-secret/)
    })

    test('a sealed secret cannot be decrypted in another column', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.apps.update('1', {}, { secret: 'new', previousUntilMs: 7 })
      await rawRows(it.url, 'update apps set previous_consumer_secret_sealed = consumer_secret_sealed')
      await assert.rejects(it.storage.apps.byId('1'), /cannot decrypt .*previous_consumer_secret/)
    })
  })
}

test('that no app has a consumer key is cached in a single process, as apps are, so that time does not tell which exist', async () => {
  await using it = await openedAlone('sqlite')
  const keys = ['unknown', 'x'.repeat(401)]
  const ask = () => Promise.all(keys.map(async (key) => (await it.storage.apps.byConsumerKey(key))?.id))
  assert.deepEqual(await ask(), [undefined, undefined])
  // Past the caches.
  await rawRows(it.url, `update apps set consumer_key = 'unknown'`)
  assert.deepEqual(await ask(), [undefined, undefined])
  await it.storage.apps.update('1', { name: 'Changed' })
  assert.deepEqual(await ask(), ['1', undefined])
  await rawRows(it.url, `update apps set consumer_key = '${keys[1]}'`)
  assert.deepEqual(await ask(), ['1', '1'])
})
