import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { UserQuery } from '../../src/storage/users.ts'
import { databasesOf } from '../stage/databases.ts'
import {
  aRequestToken,
  aSubscription,
  aUser,
  aUserToken,
  aWebhook,
  type Opened,
  opened,
  openedAlone,
  rawRows,
  twentyAtOnce,
} from './samples.ts'

const NOW = 1_700_000_000_000
const request = aRequestToken()
const { token } = aUserToken()

/** The users 101 and 102, each with a session, a token, an allowed sign-in and a subscription of the app. */
async function withTwo(it: Opened) {
  const { users, sessions, userTokens, requestTokens, webhooks, subscriptions } = it.storage
  await webhooks.register(aWebhook(), 5)
  for (const id of ['101', '102']) {
    const user = aUser({ id, username: `user${id}` })
    await users.insert(user)
    await sessions.insert(`session of ${id}`, user, NOW + 1, NOW)
    await userTokens.insert(aUserToken({ token: `${token} ${id}`, userId: id }))
    await requestTokens.insert({ ...request, token: `request of ${id}` }, NOW)
    await requestTokens.grant(`request of ${id}`, aUser({ id }), 'verifier', NOW)
    await subscriptions.insert(aSubscription({ id: `1${id}`, filter: { userId: id } }), 5)
  }
}

/** What a user has, as each storage sees it. */
const belongings = (it: Opened, id: string) =>
  Promise.all(
    it.storages.map(async ({ users, sessions, userTokens, requestTokens, subscriptions }) => ({
      user: (await users.byId(id))?.id,
      session: (await sessions.userOf(`session of ${id}`, NOW))?.id,
      token: (await userTokens.find(`${token} ${id}`))?.user.disabled,
      request: (await requestTokens.find(`request of ${id}`, NOW))?.granted,
      subscriptions: (await subscriptions.candidates([{ eventType: 'dm.received', userId: id, needsConsent: false }])).length,
    })),
  )

const all = (id: string) => ({ user: id, session: id, token: false, request: true, subscriptions: 1 })

for (const flavour of databasesOf(import.meta)) {
  suite(`users on ${flavour}`, () => {
    test('a user is read as it was written, by id and by username in any case', async () => {
      await using it = await openedAlone(flavour)
      assert.equal(await it.storage.users.insert(aUser()), true)
      assert.deepEqual(await it.storage.users.byId('101'), aUser())
      assert.deepEqual(await it.storage.users.byUsername('aDA'), aUser())
      assert.equal(await it.storage.users.byUsername('ad'), undefined)
    })

    test('users are listed in the order of their ids, page by page, or by username in any case', async () => {
      await using it = await openedAlone(flavour)
      const all = ['101', '102', '103'].map((id) => aUser({ id, username: `User${id}` }))
      for (const user of all.toReversed()) await it.storage.users.insert(user)
      const list = (query: Partial<UserQuery>) => it.storage.users.list({ after: null, limit: 9, ...query })
      assert.deepEqual(await list({}), all)
      assert.deepEqual(await list({ limit: 2 }), all.slice(0, 2))
      assert.deepEqual(await list({ after: '102' }), all.slice(2))
      assert.deepEqual(await list({ username: 'uSER102' }), [all[1]])
      assert.deepEqual(await list({ username: 'user10' }), [])
      assert.deepEqual(await list({ username: 'user102', after: '102' }), [])
    })

    test('a user may have no password', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.users.insert(aUser({ passwordHash: null }))
      assert.equal((await it.storage.users.byId('101'))?.passwordHash, null)
    })

    test('an id that is taken, or a username that is taken in another case, changes nothing', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.users.insert(aUser())
      assert.equal(await it.storage.users.insert(aUser({ username: 'other' })), false)
      assert.equal(await it.storage.users.insert(aUser({ id: '102', username: 'ADA' })), false)
      assert.deepEqual(await it.storage.users.byId('101'), aUser())
      assert.equal(await it.storage.users.byId('102'), undefined)
    })

    test('a new password, and disabling, end sessions and allowed sign-ins in every process; enabling ends nothing; tokens and others stay', async () => {
      await using it = await opened(flavour)
      await withTwo(it)
      const everywhere = <T>(value: T) => it.storages.map(() => value)
      assert.deepEqual(await belongings(it, '101'), everywhere(all('101')))
      const changed = await it.storage.users.update('101', { passwordHash: 'another' })
      assert.deepEqual(changed, aUser({ username: 'user101', passwordHash: 'another' }))
      assert.deepEqual(await belongings(it, '101'), everywhere({ ...all('101'), session: undefined, request: undefined }))
      assert.equal((await it.storage.users.update('102', { disabled: false }))?.disabled, false)
      assert.deepEqual(await belongings(it, '102'), everywhere(all('102')))
      assert.equal((await it.storage.users.update('102', { disabled: true }))?.disabled, true)
      assert.deepEqual(await belongings(it, '102'), everywhere({ ...all('102'), session: undefined, token: true, request: undefined }))
      assert.equal((await it.storage.users.update('102', { disabled: false }))?.passwordHash, '$argon2id$…')
      assert.deepEqual(await belongings(it, '102'), everywhere({ ...all('102'), session: undefined, request: undefined }))
    })

    test('an update of nothing answers the user, and one of nobody is undefined', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.users.insert(aUser())
      assert.deepEqual(await it.storage.users.update('101', {}), aUser())
      assert.equal(await it.storage.users.update('9', { disabled: true }), undefined)
      assert.equal(await it.storage.users.update('9', {}), undefined)
    })

    test('a disabled user can neither exchange what was allowed before nor allow more, and another can', async () => {
      await using it = await opened(flavour)
      await withTwo(it)
      await it.storage.users.update('101', { disabled: true })
      await it.storage.requestTokens.insert({ ...request, token: 'late' }, NOW)
      assert.equal(await it.storage.requestTokens.grant('late', aUser(), 'verifier', NOW), false)
      const fresh = () => ({ token: 'fresh', secret: 'secret', createdAtMs: NOW })
      assert.equal(await it.storage.requestTokens.exchange('late', 'verifier', fresh, NOW), 'wrong-verifier')
      assert.equal(await it.storage.requestTokens.exchange('request of 101', 'verifier', fresh, NOW), 'gone')
      const exchanged = await it.storage.requestTokens.exchange('request of 102', 'verifier', fresh, NOW)
      assert.equal(typeof exchanged === 'object' && exchanged.userId, '102')
    })

    test('a user who is deleted is gone with everything, in every process, and nobody else', async () => {
      await using it = await opened(flavour)
      await withTwo(it)
      const everywhere = <T>(value: T) => it.storages.map(() => value)
      await belongings(it, '101')
      assert.equal(await it.storage.users.remove('101'), true)
      const nothing = { user: undefined, session: undefined, token: undefined, request: undefined, subscriptions: 0 }
      assert.deepEqual(await belongings(it, '101'), everywhere(nothing))
      assert.deepEqual(await belongings(it, '102'), everywhere(all('102')))
      assert.equal(await it.storage.users.remove('101'), false)
      assert.equal(await it.storage.users.insert(aUser()), true)
    })

    test('nobody is deleted whom no user row names, though subscriptions do', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.webhooks.register(aWebhook(), 5)
      await it.storage.subscriptions.insert(aSubscription({ filter: { userId: '9' } }), 5)
      assert.equal(await it.storage.users.remove('9'), false)
      assert.equal(await it.storage.subscriptions.count('1'), 1)
    })

    test('beside twenty exchanges and logins a user is deleted with all that they made', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      for (let n = 0; n < 20; n += 1) {
        await it.storage.requestTokens.insert({ ...request, token: `${n}` }, NOW)
        await it.storage.requestTokens.grant(`${n}`, aUser(), 'verifier', NOW)
      }
      const fresh = (n: number) => () => ({ token: `fresh ${n}`, secret: 'secret', createdAtMs: NOW })
      const said = (error: Error) => error.message
      const [answers, removed] = await Promise.all([
        twentyAtOnce(it.storages, async ({ requestTokens, sessions }, n) => [
          await requestTokens.exchange(`${n}`, 'verifier', fresh(n), NOW).catch(said),
          await sessions.insert(`session ${n}`, aUser(), NOW + 1, NOW),
        ]),
        it.storages.at(-1)!.users.remove('101'),
      ])
      assert.equal(removed, true)
      for (const [answer] of answers)
        assert.ok(typeof answer === 'object' || answer === 'gone' || /was deleted meanwhile/.test(String(answer)), String(answer))
      for (const table of ['users', 'user_tokens', 'sessions', 'request_tokens'])
        assert.deepEqual(await rawRows(it.url, `select * from ${table}`), [], table)
    })

    test('of twenty concurrent users with one name, one gets it', async () => {
      await using it = await opened(flavour)
      const done = await twentyAtOnce(it.storages, (storage, n) => storage.users.insert(aUser({ id: `${n}` })))
      assert.equal(done.filter(Boolean).length, 1)
    })
  })
}
