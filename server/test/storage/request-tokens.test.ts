import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Storage } from '../../src/storage/storage.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { anApp, aRequestToken, aUser, aUserToken, opened, rawRows, twentyAtOnce } from './samples.ts'

const asked = aRequestToken()
const { token, expiresAtMs } = asked
const NOW_MS = 1_700_000_000_000
const VERIFIER = 'verifier-in-the-clear'

const fresh = (n: number) => (userId: string) => ({ token: `${userId}-fresh-${n}`, secret: `secret ${n}`, createdAtMs: NOW_MS })

const exchange = ({ requestTokens }: Storage, verifier = VERIFIER, nowMs = NOW_MS) =>
  requestTokens.exchange(token, verifier, fresh(0), nowMs)

/** A storage with two users and one request token, which nobody has decided. */
async function withAsked(flavour: Flavour) {
  const it = await opened(flavour)
  await it.storage.users.insert(aUser())
  await it.storage.users.insert(aUser({ id: '102', username: 'grace' }))
  await it.storage.requestTokens.insert(asked, NOW_MS)
  return it
}

/** The same, allowed by the user '101'. */
async function withGranted(flavour: Flavour) {
  const it = await withAsked(flavour)
  assert.equal(await it.storage.requestTokens.grant(token, aUser(), VERIFIER, NOW_MS), true)
  return it
}

const count = (of: unknown[], what: unknown) => of.filter((one) => one === what).length

for (const flavour of databasesOf(import.meta)) {
  suite(`request tokens on ${flavour}`, () => {
    test('a token is found as it was created, and says when it was granted', async () => {
      await using it = await withAsked(flavour)
      const { requestTokens } = it.storage
      assert.deepEqual(await requestTokens.find(token, NOW_MS), { ...asked, granted: false })
      assert.equal(await requestTokens.find(token.toUpperCase(), NOW_MS), undefined)
      await requestTokens.grant(token, aUser(), VERIFIER, NOW_MS)
      assert.deepEqual(await requestTokens.find(token, NOW_MS), { ...asked, granted: true })
    })

    test('the exchange returns the access token of the user who granted it, for the requested app and access, and deletes it', async () => {
      await using it = await withGranted(flavour)
      const { requestTokens, userTokens } = it.storage
      const made = aUserToken({ ...fresh(0)('101'), createdAtMs: NOW_MS })
      assert.deepEqual(await exchange(it.storage), made)
      assert.deepEqual(await userTokens.find(made.token), { token: made, user: aUser() })
      assert.equal(await requestTokens.find(token, NOW_MS), undefined)
      assert.equal(await exchange(it.storage), 'gone')
    })

    test('the exchange returns no more access than the app may have by then, and no more than was asked for', async () => {
      await using it = await opened(flavour)
      const { apps, users, requestTokens } = it.storage
      await users.insert(aUser())
      const cases = [
        ['read', 'read_write_dm', 'read'],
        ['read_write', 'read_write_dm', 'read_write'],
        ['read_write_dm', 'read_write_dm', 'read_write_dm'],
        ['read_write_dm', 'read', 'read'],
      ] as const
      for (const [index, [permissions, access, given]] of cases.entries()) {
        await apps.update('1', { permissions: 'read_write_dm' })
        await requestTokens.insert({ ...asked, access }, NOW_MS)
        await requestTokens.grant(token, aUser(), VERIFIER, NOW_MS)
        await apps.update('1', { permissions })
        const exchanged = await requestTokens.exchange(token, VERIFIER, fresh(index), NOW_MS)
        assert.equal(typeof exchanged === 'string' ? exchanged : exchanged.access, given)
      }
    })

    test('nobody grants with a former password, while disabled or once deleted, and the token stays pending', async () => {
      await using it = await withAsked(flavour)
      const { users, requestTokens } = it.storage
      await users.update('101', { passwordHash: 'another' })
      await users.update('102', { disabled: true })
      for (const user of [aUser(), aUser({ id: '102' }), aUser({ id: '103' })])
        assert.equal(await requestTokens.grant(token, user, VERIFIER, NOW_MS), false)
      assert.equal((await requestTokens.find(token, NOW_MS))?.granted, false)
      assert.equal(await requestTokens.grant(token, aUser({ passwordHash: 'another' }), VERIFIER, NOW_MS), true)
    })

    test('a grant beside a change of the password does not outlive it', async () => {
      await using it = await withAsked(flavour)
      for (let n = 0; n < 20; n += 1) {
        const { users, requestTokens } = it.storage
        await users.update('101', { passwordHash: 'before' })
        await requestTokens.insert({ ...asked, token: `request ${n}` }, NOW_MS)
        const grant = () => requestTokens.grant(`request ${n}`, aUser({ passwordHash: 'before' }), VERIFIER, NOW_MS)
        const change = () => it.storages.at(-1)!.users.update('101', { passwordHash: 'after' })
        await Promise.all(n % 2 ? [grant(), change()] : [change(), grant()])
        assert.notEqual((await requestTokens.find(`request ${n}`, NOW_MS))?.granted, true)
      }
    })

    test('of twenty users who grant one concurrently, one succeeds, and it is theirs', async () => {
      await using it = await withAsked(flavour)
      const users = (n: number) => (n % 3 === 0 ? '101' : '102')
      const done = await twentyAtOnce(it.storages, ({ requestTokens }, n) =>
        requestTokens.grant(token, aUser({ id: users(n) }), `verifier ${n}`, NOW_MS),
      )
      assert.equal(count(done, true), 1)
      const first = done.indexOf(true)
      const exchanged = await exchange(it.storage, `verifier ${first}`)
      assert.equal(typeof exchanged === 'object' && exchanged.userId, users(first))
    })

    test('of twenty concurrent grants and denials of one, one succeeds', async () => {
      await using it = await withAsked(flavour)
      const done = await twentyAtOnce(it.storages, ({ requestTokens }, n) =>
        n % 2 === 0 ? requestTokens.deny(token, NOW_MS) : requestTokens.grant(token, aUser(), VERIFIER, NOW_MS),
      )
      assert.equal(count(done, true), 1)
      const isGranted = done.indexOf(true) % 2 === 1
      assert.equal((await it.storage.requestTokens.find(token, NOW_MS))?.granted ?? false, isGranted)
    })

    test('a denied one does not exist any more, and a granted one can no longer be denied', async () => {
      await using it = await withAsked(flavour)
      const { requestTokens } = it.storage
      assert.equal(await requestTokens.deny(token, NOW_MS), true)
      assert.equal(await requestTokens.deny(token, NOW_MS), false)
      assert.equal(await requestTokens.grant(token, aUser(), VERIFIER, NOW_MS), false)
      assert.equal(await requestTokens.find(token, NOW_MS), undefined)

      await requestTokens.insert(asked, NOW_MS)
      await requestTokens.grant(token, aUser(), VERIFIER, NOW_MS)
      assert.equal(await requestTokens.deny(token, NOW_MS), false)
      assert.equal(typeof (await exchange(it.storage)), 'object')
    })

    test('of twenty concurrent exchanges of one, one returns a token', async () => {
      await using it = await withGranted(flavour)
      const done = await twentyAtOnce(it.storages, ({ requestTokens }, n) => requestTokens.exchange(token, VERIFIER, fresh(n), NOW_MS))
      assert.equal(count(done, 'gone'), 19)
      assert.equal((await it.storage.userTokens.granted('1', '101')).length, 1)
    })

    test('twenty concurrent exchanges of twenty request tokens for one app, user and access return one access token', async () => {
      await using it = await withAsked(flavour)
      const tokens = Array.from({ length: 20 }, (_, n) => `request ${n}`)
      for (const one of tokens) {
        await it.storage.requestTokens.insert(aRequestToken({ token: one }), NOW_MS)
        await it.storage.requestTokens.grant(one, aUser(), VERIFIER, NOW_MS)
      }
      const done = await twentyAtOnce(it.storages, ({ requestTokens }, n) => requestTokens.exchange(tokens[n]!, VERIFIER, fresh(n), NOW_MS))
      assert.equal(new Set(done.map((one) => JSON.stringify(one))).size, 1)
      assert.deepEqual(await it.storage.userTokens.granted('1', '101'), ['read_write'])
    })

    test('an exchange returns an access token even while others revoke it', async () => {
      await using it = await withAsked(flavour)
      const done = await twentyAtOnce(it.storages, async ({ requestTokens, userTokens }, n) => {
        await requestTokens.insert(aRequestToken({ token: `request ${n}` }), NOW_MS)
        await requestTokens.grant(`request ${n}`, aUser(), VERIFIER, NOW_MS)
        const exchanged = await requestTokens.exchange(`request ${n}`, VERIFIER, fresh(n), NOW_MS)
        if (n % 2 === 0 && typeof exchanged === 'object') await userTokens.revoke(exchanged.token)
        return typeof exchanged
      })
      assert.equal(count(done, 'object'), 20)
    })

    test('an expired one is not found, granted, denied or exchanged', async () => {
      await using it = await withAsked(flavour)
      const { requestTokens } = it.storage
      assert.equal(await requestTokens.find(token, expiresAtMs), undefined)
      assert.equal(await requestTokens.grant(token, aUser(), VERIFIER, expiresAtMs), false)
      assert.equal(await requestTokens.deny(token, expiresAtMs), false)
      assert.equal(await requestTokens.grant(token, aUser(), VERIFIER, expiresAtMs - 1), true)
      assert.equal(await exchange(it.storage, VERIFIER, expiresAtMs), 'gone')
      assert.equal(typeof (await exchange(it.storage, VERIFIER, expiresAtMs - 1)), 'object')
    })

    test('it survives four wrong verifiers, and the fifth deletes it', async () => {
      await using it = await withGranted(flavour)
      const { requestTokens } = it.storage
      for (let wrong = 1; wrong <= 4; wrong += 1) assert.equal(await exchange(it.storage, `wrong ${wrong}`), 'wrong-verifier')
      assert.equal((await requestTokens.find(token, NOW_MS))?.granted, true)
      assert.equal(await exchange(it.storage, 'wrong'), 'wrong-verifier')
      assert.equal(await exchange(it.storage), 'gone')
      assert.deepEqual(await it.storage.userTokens.granted('1', '101'), [])
    })

    test('after four wrong verifiers the right one is still accepted', async () => {
      await using it = await withGranted(flavour)
      for (let wrong = 1; wrong <= 4; wrong += 1) await exchange(it.storage, '')
      assert.equal(typeof (await exchange(it.storage)), 'object')
    })

    test('twenty concurrent wrong verifiers are never more than five tries', async () => {
      await using it = await withGranted(flavour)
      const done = await twentyAtOnce(it.storages, (storage, n) => exchange(storage, `wrong ${n}`))
      assert.deepEqual([count(done, 'wrong-verifier'), count(done, 'gone')], [5, 15])
    })

    test('every verifier is wrong for one that is not granted, and none counts', async () => {
      await using it = await withAsked(flavour)
      const done = await twentyAtOnce(it.storages, (storage, n) => exchange(storage, ['', 'null', VERIFIER][n % 3]))
      assert.equal(count(done, 'wrong-verifier'), 20)
      await it.storage.requestTokens.grant(token, aUser(), VERIFIER, NOW_MS)
      assert.equal(typeof (await exchange(it.storage)), 'object')
    })

    test('an exchange that fails half way leaves the request token unchanged', async () => {
      await using it = await withGranted(flavour)
      const failing = () => {
        throw new Error('half way')
      }
      await assert.rejects(it.storage.requestTokens.exchange(token, VERIFIER, failing, NOW_MS), /half way/)
      assert.deepEqual(await it.storage.userTokens.granted('1', '101'), [])
      assert.equal(typeof (await exchange(it.storage)), 'object')
    })

    test('other access and other apps have tokens of their own', async () => {
      await using it = await withGranted(flavour)
      const { apps, requestTokens, userTokens } = it.storage
      await apps.insert(anApp({ id: '2' }))
      await requestTokens.insert(aRequestToken({ token: 'narrow', access: 'read' }), NOW_MS)
      await requestTokens.insert(aRequestToken({ token: 'foreign', appId: '2' }), NOW_MS)
      for (const one of ['narrow', 'foreign']) await requestTokens.grant(one, aUser(), VERIFIER, NOW_MS)
      await exchange(it.storage)
      await requestTokens.exchange('narrow', VERIFIER, fresh(1), NOW_MS)
      await requestTokens.exchange('foreign', VERIFIER, fresh(2), NOW_MS)
      assert.deepEqual((await userTokens.granted('1', '101')).toSorted(), ['read', 'read_write'])
      assert.equal((await userTokens.find('101-fresh-2'))?.token.appId, '2')
    })

    test('neither the token, its secret nor its verifier is stored as plain text', async () => {
      await using it = await withGranted(flavour)
      const stored = JSON.stringify(await rawRows(it.url, 'select * from request_tokens'))
      assert.match(stored, /"callback":"https:\/\/demo\.example\/callback"/)
      assert.doesNotMatch(stored, /in-the-clear/)
    })

    test('expired ones are deleted along the way, and no others', async () => {
      await using it = await withAsked(flavour)
      const insert = (n: number, endsAtMs: number) =>
        it.storage.requestTokens.insert(aRequestToken({ token: `${n}`, expiresAtMs: endsAtMs }), NOW_MS)
      for (let n = 0; n < 300; n += 1) await insert(n, NOW_MS)
      for (let n = 300; n < 600; n += 1) await insert(n, expiresAtMs)
      const [row] = await rawRows(it.url, `select count(*) as n from request_tokens where expires_at_ms <= ${NOW_MS}`)
      assert.equal(Number(row!.n), 0)
      for (const n of [300, 599]) assert.ok(await it.storage.requestTokens.find(`${n}`, NOW_MS))
      assert.ok(await it.storage.requestTokens.find(token, NOW_MS))
    })
  })
}
