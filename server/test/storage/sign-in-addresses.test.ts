import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { aUser, opened, openedAlone, rawRows, twentyAtOnce } from './samples.ts'

for (const flavour of databasesOf(import.meta)) {
  suite(`addresses of sign-ins on ${flavour}`, () => {
    test('an address is known for its user in every process, from a moment on', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.users.insert(aUser({ id: '102', username: 'grace' }))
      await it.storage.signInAddresses.remember(aUser(), '192.0.2.1', 100)
      for (const { signInAddresses } of it.storages) {
        assert.equal(await signInAddresses.isKnown('101', '192.0.2.1', 100), true)
        assert.equal(await signInAddresses.isKnown('101', '192.0.2.1', 101), false)
        assert.equal(await signInAddresses.isKnown('101', '192.0.2.2', 0), false)
        assert.equal(await signInAddresses.isKnown('102', '192.0.2.1', 0), false)
        assert.equal(await signInAddresses.isKnown('', '192.0.2.1', 0), false)
      }
      await it.storage.signInAddresses.remember(aUser(), '192.0.2.1', 200)
      assert.equal(await it.storage.signInAddresses.isKnown('101', '192.0.2.1', 200), true)
    })

    test('of each user the newest 20 are kept', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      for (let n = 1; n <= 21; n += 1) await it.storage.signInAddresses.remember(aUser(), `192.0.2.${n}`, n)
      assert.equal(await it.storage.signInAddresses.isKnown('101', '192.0.2.1', 0), false)
      for (const n of [2, 21]) assert.equal(await it.storage.signInAddresses.isKnown('101', `192.0.2.${n}`, 0), true)
      await twentyAtOnce(it.storages, ({ signInAddresses }, n) => signInAddresses.remember(aUser(), `198.51.100.${n}`, 100))
      assert.equal((await rawRows(it.url, 'select * from sign_in_addresses')).length, 20)
    })

    test('a new password forgets the addresses of the user, because an intruder may have signed in there', async () => {
      await using it = await openedAlone(flavour)
      for (const id of ['101', '102']) {
        const user = aUser({ id, username: `user${id}` })
        await it.storage.users.insert(user)
        await it.storage.signInAddresses.remember(user, '192.0.2.1', 100)
      }
      await it.storage.users.update('101', { disabled: true })
      assert.equal(await it.storage.signInAddresses.isKnown('101', '192.0.2.1', 100), true)
      await it.storage.users.update('101', { passwordHash: 'another' })
      assert.equal(await it.storage.signInAddresses.isKnown('101', '192.0.2.1', 100), false)
      assert.equal(await it.storage.signInAddresses.isKnown('102', '192.0.2.1', 100), true)
    })

    test('an address is not stored for a login whose password was changed since, nor beside that change', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      await Promise.all([
        twentyAtOnce(it.storages, ({ signInAddresses }, n) => signInAddresses.remember(aUser(), `192.0.2.${n}`, 100)),
        it.storages.at(-1)!.users.update('101', { passwordHash: 'another' }),
      ])
      await it.storage.signInAddresses.remember(aUser(), '192.0.2.1', 200)
      assert.deepEqual(await rawRows(it.url, 'select * from sign_in_addresses'), [])
    })

    test('an address is not stored for a login whose user was disabled since', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.users.update('101', { disabled: true })
      await it.storage.signInAddresses.remember(aUser(), '192.0.2.1', 100)
      assert.deepEqual(await rawRows(it.url, 'select * from sign_in_addresses'), [])
    })

    test('no address is stored in the clear, and a deleted user leaves none', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.signInAddresses.remember(aUser(), '192.0.2.1', 1)
      assert.doesNotMatch(JSON.stringify(await rawRows(it.url, 'select * from sign_in_addresses')), /192/)
      await rawRows(it.url, `delete from users where id = '101'`)
      assert.deepEqual(await rawRows(it.url, 'select * from sign_in_addresses'), [])
    })
  })
}
