import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { anApp, opened, openedAlone, rawRows, twentyAtOnce } from './samples.ts'

for (const flavour of databasesOf(import.meta)) {
  suite(`bearer tokens on ${flavour}`, () => {
    test('an app gets the same token on every request until it is invalidated', async () => {
      await using it = await openedAlone(flavour)
      const { bearerTokens } = it.storage
      assert.equal(await bearerTokens.obtain('1', 'first', 1), 'first')
      assert.equal(await bearerTokens.obtain('1', 'second', 1), 'first')
      assert.equal(await bearerTokens.invalidate('1', 'first'), true)
      assert.equal(await bearerTokens.obtain('1', 'second', 1), 'second')
    })

    test('twenty concurrent requests get one token', async () => {
      await using it = await opened(flavour)
      const tokens = await twentyAtOnce(it.storages, (storage, n) => storage.bearerTokens.obtain('1', `candidate ${n}`, 1))
      assert.equal(new Set(tokens).size, 1)
      assert.deepEqual(await it.storage.bearerTokens.appOf(tokens[0]!), anApp())
    })

    test('every request gets a token while others invalidate it', async () => {
      await using it = await opened(flavour)
      const tokens = await twentyAtOnce(it.storages, async (storage, n) => {
        const token = await storage.bearerTokens.obtain('1', `candidate ${n}`, 1)
        if (n % 2 === 0) await storage.bearerTokens.invalidate('1', token!)
        return token!
      })
      for (const token of tokens) assert.match(token, /^candidate /)
    })

    test('a token is found with its app and no other', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.apps.insert(anApp({ id: '2' }))
      await it.storage.bearerTokens.obtain('1', 'one', 1)
      await it.storage.bearerTokens.obtain('2', 'two', 1)
      assert.deepEqual(await it.storage.bearerTokens.appOf('two'), anApp({ id: '2' }))
      assert.equal(await it.storage.bearerTokens.appOf('TWO'), undefined)
    })

    test('an invalidated token is not found from the next lookup on, in every process', async () => {
      await using it = await opened(flavour)
      await it.storage.bearerTokens.obtain('1', 'one', 1)
      await it.storage.bearerTokens.invalidate('1', 'one')
      for (const storage of it.storages) assert.equal(await storage.bearerTokens.appOf('one'), undefined)
    })

    test('an app cannot invalidate the token of another, or one that is not valid', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.apps.insert(anApp({ id: '2' }))
      await it.storage.bearerTokens.obtain('1', 'one', 1)
      assert.equal(await it.storage.bearerTokens.invalidate('2', 'one'), false)
      assert.equal(await it.storage.bearerTokens.invalidate('1', 'other'), false)
      assert.deepEqual(await it.storage.bearerTokens.appOf('one'), anApp())
    })

    test('a token ends with the oldest secret that it was given to, in every process', async () => {
      await using it = await opened(flavour)
      const { apps, bearerTokens } = it.storage
      const appsOf = (token: string) => Promise.all(it.storages.map(async (storage) => (await storage.bearerTokens.appOf(token))?.id))
      const everywhere = (id: string | undefined) => it.storages.map(() => id)
      await bearerTokens.obtain('1', 'first', 1)
      await apps.update('1', {}, { secret: 'second', previousUntilMs: it.clock.now() + 1000 })
      assert.equal(await bearerTokens.obtain('1', 'other', 2), 'first')
      assert.deepEqual(await appsOf('first'), everywhere('1'))
      it.clock.advance(1000)
      assert.deepEqual(await appsOf('first'), everywhere(undefined))
      assert.equal(await bearerTokens.obtain('1', 'never', 1), undefined)
      assert.equal(await bearerTokens.obtain('1', 'of the second', 2), 'of the second')
      assert.deepEqual(await appsOf('of the second'), everywhere('1'))

      await apps.update('1', {}, { secret: 'third', previousUntilMs: it.clock.now() + 1000 })
      assert.equal(await bearerTokens.invalidate('1', 'of the second'), true)
      assert.equal(await bearerTokens.obtain('1', 'of the third', 3), 'of the third')
      await apps.update('1', {}, { secret: 'fourth', previousUntilMs: it.clock.now() + 1000 })
      assert.equal(await bearerTokens.obtain('1', 'never', 2), undefined, 'the secret before the previous one')
      it.clock.advance(1000)
      assert.deepEqual(await appsOf('of the third'), everywhere(undefined))
    })

    test('a token that the new secret bought outlives the old one, unless the old one was given it too', async () => {
      await using it = await opened(flavour)
      const { apps, bearerTokens } = it.storage
      for (const isGivenToBoth of [false, true]) {
        const { secretVersion } = (await apps.update('1', {}, { secret: `${isGivenToBoth}`, previousUntilMs: it.clock.now() + 1000 }))!
        const token = await bearerTokens.obtain('1', `new ${isGivenToBoth}`, secretVersion)
        await it.storages.at(-1)!.bearerTokens.appOf(token!)
        if (isGivenToBoth) assert.equal(await bearerTokens.obtain('1', 'other', secretVersion - 1), token)
        it.clock.advance(1000)
        for (const storage of it.storages) assert.equal((await storage.bearerTokens.appOf(token!))?.id, isGivenToBoth ? undefined : '1')
        if (!isGivenToBoth) assert.equal(await bearerTokens.invalidate('1', token!), true)
      }
    })

    test('without an overlap a rotation ends the token at once, whatever the clock does', async () => {
      await using it = await opened(flavour)
      const { apps, bearerTokens } = it.storage
      await bearerTokens.obtain('1', 'first', 1)
      const rotated = await apps.update('1', {}, { secret: 'second', previousUntilMs: null })
      assert.equal(rotated?.previousSecretUntilMs, null)
      it.clock.setOffset(-3_600_000)
      for (const storage of it.storages) assert.equal(await storage.bearerTokens.appOf('first'), undefined)
      assert.equal(await bearerTokens.obtain('1', 'never', 1), undefined)
    })

    test('beside a rotation the old secret buys nothing that holds, and there is one token', async () => {
      await using it = await opened(flavour)
      for (let version = 1; version < 6; version += 1) {
        const [, bought] = await Promise.all([
          it.storage.apps.update('1', {}, { secret: `secret ${version}`, previousUntilMs: null }),
          twentyAtOnce(it.storages, (storage, n) => storage.bearerTokens.obtain('1', `${version} ${n}`, version)),
        ])
        const fresh = await it.storage.bearerTokens.obtain('1', `new ${version}`, version + 1)
        for (const token of bought) if (token) assert.equal(await it.storage.bearerTokens.appOf(token), undefined, token)
        assert.equal((await it.storage.bearerTokens.appOf(fresh!))?.id, '1')
      }
    })

    test('there is no token for an app that is gone', async () => {
      await using it = await openedAlone(flavour)
      assert.equal(await it.storage.bearerTokens.obtain('9', 'token', 1), undefined)
    })

    test('of twenty concurrent invalidations of one token, one succeeds', async () => {
      await using it = await opened(flavour)
      await it.storage.bearerTokens.obtain('1', 'one', 1)
      const done = await twentyAtOnce(it.storages, (storage) => storage.bearerTokens.invalidate('1', 'one'))
      assert.equal(done.filter(Boolean).length, 1)
    })

    test('no token is stored as plain text', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.bearerTokens.obtain('1', 'bearer-token-in-the-clear', 1)
      const stored = JSON.stringify(await rawRows(it.url, 'select * from bearer_tokens'))
      assert.match(stored, /"app_id":"1"/)
      assert.doesNotMatch(stored, /bearer-token-in-the-clear/)
    })
  })
}
