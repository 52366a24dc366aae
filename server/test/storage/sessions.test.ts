import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { flavours } from '../stage/database.ts'
import { aUser, opened, rawRows } from './samples.ts'

const ID = 'session-id-in-the-clear'

for (const flavour of flavours) {
  suite(`sessions on ${flavour}`, () => {
    test('a session has its user in every process, until it expires', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.sessions.insert(ID, '101', 1000, 0)
      for (const { sessions } of it.storages) {
        assert.deepEqual(await sessions.userOf(ID, 999), aUser())
        assert.equal(await sessions.userOf(ID, 1000), undefined)
        assert.equal(await sessions.userOf(ID.toUpperCase(), 0), undefined)
      }
    })

    test('a removed session is not found in any process; others stay', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.sessions.insert(ID, '101', 1000, 0)
      await it.storage.sessions.insert('another', '101', 1000, 0)
      await it.storage.sessions.remove(ID)
      await it.storage.sessions.remove('never was')
      for (const { sessions } of it.storages) {
        assert.equal(await sessions.userOf(ID, 0), undefined)
        assert.deepEqual(await sessions.userOf('another', 0), aUser())
      }
    })

    test('an existing id is not given to another user', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.users.insert(aUser({ id: '102', username: 'grace' }))
      await it.storage.sessions.insert(ID, '101', 1000, 0)
      await assert.rejects(it.storage.sessions.insert(ID, '102', 1000, 0))
      assert.deepEqual(await it.storage.sessions.userOf(ID, 0), aUser())
    })

    test('no id is stored as plain text', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.sessions.insert(ID, '101', 1000, 0)
      const stored = JSON.stringify(await rawRows(it.url, 'select * from sessions'))
      assert.match(stored, /"user_id":"101"/)
      assert.doesNotMatch(stored, /in-the-clear/)
    })

    test('expired sessions are deleted along the way, and no others', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      for (let n = 0; n < 512; n += 1) await it.storage.sessions.insert(`${n}`, '101', n < 200 ? 100 : 900, 100)
      assert.equal((await rawRows(it.url, 'select * from sessions')).length, 312)
      assert.deepEqual(await it.storage.sessions.userOf('200', 100), aUser())
    })
  })
}
