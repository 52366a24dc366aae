import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { aCode, anApp, aUser, aUserToken, newTokens, type Opened, opened, openedAlone } from './samples.ts'

const NOTHING = { access: null, grants: [] }

/** What each storage that shares the database says of user 101 and app 1. */
const everywhere = ({ storages }: Opened) => Promise.all(storages.map(async ({ consents }) => (await consents.of('1', ['101']))[0]))

for (const flavour of databasesOf(import.meta))
  suite(`consents on ${flavour}`, () => {
    test('the highest access of the tokens is the consent', async () => {
      await using it = await openedAlone(flavour)
      const { consents, users, userTokens } = it.storage
      await users.insert(aUser())
      assert.deepEqual(await consents.of('1', ['101']), [NOTHING])
      for (const access of ['read', 'read_write_dm', 'read_write'] as const)
        await userTokens.insert(aUserToken({ token: `token ${access}`, access }))
      assert.deepEqual(await consents.of('1', ['101']), [{ access: 'read_write_dm', grants: [] }])
      await userTokens.revoke('token read_write_dm')
      assert.deepEqual(await consents.of('1', ['101']), [{ access: 'read_write', grants: [] }])
    })

    test('each user is answered in place, whether known or not, however many are asked for', async () => {
      await using it = await openedAlone(flavour)
      const { apps, consents, users, userTokens } = it.storage
      await apps.insert(anApp({ id: '2' }))
      for (const id of ['101', '102', '103']) await users.insert(aUser({ id, username: `user${id}` }))
      await userTokens.insert(aUserToken({ token: 'one', userId: '101', access: 'read' }))
      await userTokens.insert(aUserToken({ token: 'two', userId: '103', access: 'read_write' }))
      await userTokens.insert(aUserToken({ token: 'three', userId: '102', appId: '2' }))
      const accesses = async (appId: string, ids: string[]) => (await consents.of(appId, ids)).map(({ access }) => access)
      assert.deepEqual(await accesses('1', ['103', '102', '101', "'", '103']), ['read_write', null, 'read', null, 'read_write'])
      assert.deepEqual(await accesses('2', ['102', '101']), ['read_write', null])
      assert.deepEqual(await accesses('3', ['101']), [null])
      assert.deepEqual(await accesses('1', []), [])
    })

    test('every change applies to the next question in every process', async () => {
      await using it = await opened(flavour)
      const { apps, users, userTokens, revocations } = it.storage
      const given = { access: 'read_write', grants: [] }
      const expect = async (expected: object, after: string) => {
        for (const found of await everywhere(it)) assert.deepEqual(found, expected, after)
      }
      await users.insert(aUser())
      await expect(NOTHING, 'nothing yet')
      await userTokens.insert(aUserToken())
      await expect(given, 'a token')
      await users.update('101', { disabled: true })
      await expect(NOTHING, 'disabled')
      await users.update('101', { disabled: false })
      await expect(given, 'enabled')
      await apps.update('1', { suspended: true })
      await expect(NOTHING, 'suspended')
      await apps.update('1', { suspended: false })
      await expect(given, 'resumed')
      await userTokens.revoke(aUserToken().token)
      await expect(NOTHING, 'revoked by the app')
      for (const revoke of [
        () => revocations.revoke(aUserToken().token),
        () => revocations.revokeOf({ userId: '101' }),
        () => revocations.revokeOf({ appId: '1' }),
        () => revocations.revokeOf({ userId: '101', appId: '1' }),
        () => users.remove('101'),
      ]) {
        await userTokens.insert(aUserToken())
        await expect(given, 'granted again')
        await revoke()
        await expect(NOTHING, String(revoke))
      }
    })

    test('each live or expired grant of OAuth 2.0 is there with its scopes and its end, beside the access, until it is revoked', async () => {
      await using it = await opened(flavour)
      const { users, userTokens, oauth2Grants, revocations } = it.storage
      await users.insert(aUser())
      const exchange = async (name: string, scopes: string[]) => {
        await oauth2Grants.insertCode(aCode({ code: name, scopes }), aUser(), 0)
        const given = await oauth2Grants.exchangeCode(
          name,
          '1',
          () => undefined,
          () => ({ ...newTokens(name, 0), grantId: name }),
          0,
        )
        assert.ok(typeof given === 'object' && 'grant' in given)
        return given.grant.expiresAtMs
      }
      for (const found of await everywhere(it)) assert.deepEqual(found, NOTHING)
      const untilMs = await exchange('first', ['post.read', 'dm.read'])
      const first = { scopes: ['post.read', 'dm.read'], untilMs }
      for (const found of await everywhere(it)) assert.deepEqual(found, { access: null, grants: [first] })
      await userTokens.insert(aUserToken({ access: 'read' }))
      for (const found of await everywhere(it)) assert.deepEqual(found, { access: 'read', grants: [first] })
      const second = { scopes: ['like.read'], untilMs: await exchange('second', ['like.read']) }
      const byScope = (grants: readonly object[]) => new Set(grants.map((grant) => JSON.stringify(grant)))
      for (const found of await everywhere(it)) assert.deepEqual(byScope(found!.grants), byScope([first, second]))
      await userTokens.revoke(aUserToken().token)
      await oauth2Grants.revoke('1', { token: newTokens('second').access })
      for (const found of await everywhere(it)) assert.deepEqual(found, { access: null, grants: [first] })
      await revocations.revokeOf({ userId: '101' })
      for (const found of await everywhere(it)) assert.deepEqual(found, NOTHING)
    })

    test('a sign-in that is exchanged for a token is consent at once', async () => {
      await using it = await opened(flavour)
      const { users, requestTokens } = it.storage
      const user = aUser()
      await users.insert(user)
      for (const found of await everywhere(it)) assert.deepEqual(found, NOTHING)
      const request = { token: 'request', secret: 'secret', appId: '1', callback: 'oob', access: 'read_write_dm', expiresAtMs: 9 } as const
      await requestTokens.insert(request, 0)
      await requestTokens.grant('request', aUser(), 'verifier', 0)
      for (const found of await everywhere(it)) assert.deepEqual(found, NOTHING)
      await requestTokens.exchange('request', 'verifier', () => aUserToken(), 0)
      for (const found of await everywhere(it)) assert.deepEqual(found, { access: 'read_write_dm', grants: [] })
    })
  })
