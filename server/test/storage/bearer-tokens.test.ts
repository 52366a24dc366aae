import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { flavours } from '../stage/database.ts'
import { anApp, opened, rawRows, twentyAtOnce } from './samples.ts'

for (const flavour of flavours) {
  suite(`bearer tokens on ${flavour}`, () => {
    test('an app gets the same token on every request until it is invalidated', async () => {
      await using it = await opened(flavour)
      const { bearerTokens } = it.storage
      assert.equal(await bearerTokens.obtain('1', 'first'), 'first')
      assert.equal(await bearerTokens.obtain('1', 'second'), 'first')
      assert.equal(await bearerTokens.invalidate('1', 'first'), true)
      assert.equal(await bearerTokens.obtain('1', 'second'), 'second')
    })

    test('twenty concurrent requests get one token', async () => {
      await using it = await opened(flavour)
      const tokens = await twentyAtOnce(it.storages, (storage, n) => storage.bearerTokens.obtain('1', `candidate ${n}`))
      assert.equal(new Set(tokens).size, 1)
      assert.deepEqual(await it.storage.bearerTokens.appOf(tokens[0]!), anApp())
    })

    test('every request gets a token while others invalidate it', async () => {
      await using it = await opened(flavour)
      const tokens = await twentyAtOnce(it.storages, async (storage, n) => {
        const token = await storage.bearerTokens.obtain('1', `candidate ${n}`)
        if (n % 2 === 0) await storage.bearerTokens.invalidate('1', token)
        return token
      })
      for (const token of tokens) assert.match(token, /^candidate /)
    })

    test('a token is found with its app and no other', async () => {
      await using it = await opened(flavour)
      await it.storage.apps.insert(anApp({ id: '2' }))
      await it.storage.bearerTokens.obtain('1', 'one')
      await it.storage.bearerTokens.obtain('2', 'two')
      assert.deepEqual(await it.storage.bearerTokens.appOf('two'), anApp({ id: '2' }))
      assert.equal(await it.storage.bearerTokens.appOf('TWO'), undefined)
    })

    test('an invalidated token is not found from the next lookup on, in every process', async () => {
      await using it = await opened(flavour)
      await it.storage.bearerTokens.obtain('1', 'one')
      await it.storage.bearerTokens.invalidate('1', 'one')
      for (const storage of it.storages) assert.equal(await storage.bearerTokens.appOf('one'), undefined)
    })

    test('an app cannot invalidate the token of another, or one that is not valid', async () => {
      await using it = await opened(flavour)
      await it.storage.apps.insert(anApp({ id: '2' }))
      await it.storage.bearerTokens.obtain('1', 'one')
      assert.equal(await it.storage.bearerTokens.invalidate('2', 'one'), false)
      assert.equal(await it.storage.bearerTokens.invalidate('1', 'other'), false)
      assert.deepEqual(await it.storage.bearerTokens.appOf('one'), anApp())
    })

    test('of twenty concurrent invalidations of one token, one succeeds', async () => {
      await using it = await opened(flavour)
      await it.storage.bearerTokens.obtain('1', 'one')
      const done = await twentyAtOnce(it.storages, (storage) => storage.bearerTokens.invalidate('1', 'one'))
      assert.equal(done.filter(Boolean).length, 1)
    })

    test('no token is stored as plain text', async () => {
      await using it = await opened(flavour)
      await it.storage.bearerTokens.obtain('1', 'bearer-token-in-the-clear')
      const stored = JSON.stringify(await rawRows(it.url, 'select * from bearer_tokens'))
      assert.match(stored, /"app_id":"1"/)
      assert.doesNotMatch(stored, /bearer-token-in-the-clear/)
    })
  })
}
