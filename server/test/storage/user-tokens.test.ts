import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { anApp, aUser, aUserToken, opened, rawRows, twentyAtOnce } from './samples.ts'

const { token } = aUserToken()

/** A storage with the apps '1' and '2' and the user '101'. */
async function withUser(flavour: Flavour) {
  const it = await opened(flavour)
  await it.storage.apps.insert(anApp({ id: '2' }))
  await it.storage.users.insert(aUser())
  return it
}

for (const flavour of databasesOf(import.meta)) {
  suite(`access tokens of users on ${flavour}`, () => {
    test('a token is found with its access and its user, and no other text is', async () => {
      await using it = await withUser(flavour)
      assert.equal(await it.storage.userTokens.insert(aUserToken()), true)
      for (const { userTokens } of it.storages) {
        for (let time = 0; time < 2; time += 1) assert.deepEqual(await userTokens.find(token), { token: aUserToken(), user: aUser() })
        assert.equal(await userTokens.find(token.toUpperCase()), undefined)
      }
    })

    test('there is one for each app, user and access', async () => {
      await using it = await withUser(flavour)
      const { userTokens, users } = it.storage
      await users.insert(aUser({ id: '102', username: 'grace' }))
      await userTokens.insert(aUserToken())
      assert.equal(await userTokens.insert(aUserToken({ token: 'same grant' })), false)
      assert.equal(await userTokens.insert(aUserToken({ access: 'read' })), false, 'the same token')
      assert.equal(await userTokens.find('same grant'), undefined)
      assert.equal(await userTokens.insert(aUserToken({ token: 'other access', access: 'read' })), true)
      assert.equal(await userTokens.insert(aUserToken({ token: 'other user', userId: '102' })), true)
      assert.equal(await userTokens.insert(aUserToken({ token: 'other app', appId: '2' })), true)
    })

    test('of twenty concurrent insertions for one grant, one succeeds', async () => {
      await using it = await withUser(flavour)
      const done = await twentyAtOnce(it.storages, ({ userTokens }, n) => userTokens.insert(aUserToken({ token: `${n}` })))
      assert.equal(done.filter(Boolean).length, 1)
      assert.equal((await it.storage.userTokens.granted('1', '101')).length, 1)
      assert.notEqual(await it.storage.userTokens.find(String(done.indexOf(true))), undefined)
    })

    test('the access levels that a user has granted one app are not returned for another', async () => {
      await using it = await withUser(flavour)
      const { userTokens } = it.storage
      const foreign = aUserToken({ token: 'foreign', appId: '2' })
      await userTokens.insert(aUserToken())
      await userTokens.insert(foreign)
      assert.deepEqual(await userTokens.granted('1', '101'), [aUserToken().access])
      assert.deepEqual(await userTokens.granted('2', '101'), [foreign.access])
      assert.deepEqual(await userTokens.granted('2', '102'), [])
      assert.equal((await userTokens.find('foreign'))?.token.appId, '2')
    })

    test('a revoked token is not found from the next lookup on, in every process, and can be granted again', async () => {
      await using it = await withUser(flavour)
      await it.storage.userTokens.insert(aUserToken())
      for (const { userTokens } of it.storages) assert.ok(await userTokens.find(token))
      assert.equal(await it.storage.userTokens.revoke(token), true)
      for (const { userTokens } of it.storages) assert.equal(await userTokens.find(token), undefined)
      assert.equal(await it.storage.userTokens.revoke(token), false)
      assert.equal(await it.storage.userTokens.insert(aUserToken({ token: 'anew' })), true)
    })

    test('of twenty concurrent revocations of one, one succeeds, and no concurrent lookup is cached', async () => {
      await using it = await withUser(flavour)
      await it.storage.userTokens.insert(aUserToken())
      const done = await twentyAtOnce(it.storages, async ({ userTokens }) => {
        const [, revoked] = await Promise.all([userTokens.find(token), userTokens.revoke(token), userTokens.find(token)])
        assert.equal(await userTokens.find(token), undefined)
        return revoked
      })
      assert.equal(done.filter(Boolean).length, 1)
    })

    test('a wipe deletes every token, in every process', async () => {
      await using it = await withUser(flavour)
      await it.storage.userTokens.insert(aUserToken())
      for (const { userTokens } of it.storages) assert.ok(await userTokens.find(token))
      await it.storage.wipe()
      for (const { userTokens } of it.storages) assert.equal(await userTokens.find(token), undefined)
    })

    test('neither token nor secret is stored as plain text', async () => {
      await using it = await withUser(flavour)
      await it.storage.userTokens.insert(aUserToken())
      const stored = JSON.stringify(await rawRows(it.url, 'select * from user_tokens'))
      assert.match(stored, /"access":"read_write"/)
      assert.doesNotMatch(stored, /in-the-clear/)
    })
  })
}

suite('the cache of one process', () => {
  test('a token is read once, and again after a wipe', async () => {
    await using it = await withUser('sqlite')
    const { userTokens } = it.storage
    await userTokens.insert(aUserToken())
    const first = await userTokens.find(token)
    assert.equal(await userTokens.find(token), first)
    await it.storage.wipe()
    await it.storage.apps.insert(anApp())
    await it.storage.users.insert(aUser({ name: 'Another' }))
    await userTokens.insert(aUserToken())
    assert.equal((await userTokens.find(token))?.user.name, 'Another')
  })

  test('a changed app is found as it is now, by its key and by its bearer token', async () => {
    await using it = await withUser('sqlite')
    const { apps, bearerTokens } = it.storage
    const { consumerKey } = anApp()
    await bearerTokens.obtain('1', 'bearer', 1)
    const known = async () => [await apps.byConsumerKey(consumerKey), await bearerTokens.appOf('bearer')]
    const [before] = await known()
    assert.equal(await apps.byConsumerKey(consumerKey), before, 'kept')
    await apps.update('1', { suspended: true }, { secret: 'rotated', previousUntilMs: it.clock.now() + 60_000 })
    for (const app of await known()) assert.deepEqual([app?.suspended, app?.consumerSecret], [true, 'rotated'])
    await it.storage.wipe()
    assert.deepEqual(await known(), [undefined, undefined])
  })

  test('an app that did not exist is found once it exists', async () => {
    await using it = await withUser('sqlite')
    const late = anApp({ id: '3' })
    assert.equal(await it.storage.apps.byConsumerKey(late.consumerKey), undefined)
    await it.storage.apps.insert(late)
    assert.deepEqual(await it.storage.apps.byConsumerKey(late.consumerKey), late)
  })
})
