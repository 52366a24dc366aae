import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { flavours } from '../stage/database.ts'
import { aUser, opened, twentyAtOnce } from './samples.ts'

for (const flavour of flavours) {
  suite(`users on ${flavour}`, () => {
    test('a user is read as it was written, by id and by username in any case', async () => {
      await using it = await opened(flavour)
      assert.equal(await it.storage.users.insert(aUser()), true)
      assert.deepEqual(await it.storage.users.byId('101'), aUser())
      assert.deepEqual(await it.storage.users.byUsername('aDA'), aUser())
      assert.equal(await it.storage.users.byUsername('ad'), undefined)
    })

    test('a user may have no password', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser({ passwordHash: null }))
      assert.equal((await it.storage.users.byId('101'))?.passwordHash, null)
    })

    test('an id that is taken, or a username that is taken in another case, changes nothing', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      assert.equal(await it.storage.users.insert(aUser({ username: 'other' })), false)
      assert.equal(await it.storage.users.insert(aUser({ id: '102', username: 'ADA' })), false)
      assert.deepEqual(await it.storage.users.byId('101'), aUser())
      assert.equal(await it.storage.users.byId('102'), undefined)
    })

    test('of twenty concurrent users with one name, one gets it', async () => {
      await using it = await opened(flavour)
      const done = await twentyAtOnce(it.storages, (storage, n) => storage.users.insert(aUser({ id: `${n}` })))
      assert.equal(done.filter(Boolean).length, 1)
    })
  })
}
