import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { aUser, opened, openedAlone, rawRows, twentyAtOnce } from './samples.ts'

const ID = 'session-id-in-the-clear'

for (const flavour of databasesOf(import.meta)) {
  suite(`sessions on ${flavour}`, () => {
    test('a session has its user in every process, until it expires', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.sessions.insert(ID, aUser(), 1000, 0)
      for (const { sessions } of it.storages) {
        assert.deepEqual(await sessions.userOf(ID, 999), aUser())
        assert.equal(await sessions.userOf(ID, 1000), undefined)
        assert.equal(await sessions.userOf(ID.toUpperCase(), 0), undefined)
      }
    })

    test('a removed session is not found in any process; others stay', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.sessions.insert(ID, aUser(), 1000, 0)
      await it.storage.sessions.insert('another', aUser(), 1000, 0)
      await it.storage.sessions.remove(ID)
      await it.storage.sessions.remove('never was')
      for (const { sessions } of it.storages) {
        assert.equal(await sessions.userOf(ID, 0), undefined)
        assert.deepEqual(await sessions.userOf('another', 0), aUser())
      }
    })

    test('an existing id is not given to another user', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.users.insert(aUser({ id: '102', username: 'grace' }))
      await it.storage.sessions.insert(ID, aUser(), 1000, 0)
      await assert.rejects(it.storage.sessions.insert(ID, aUser({ id: '102' }), 1000, 0))
      assert.deepEqual(await it.storage.sessions.userOf(ID, 0), aUser())
    })

    test('a user whose password was changed, or who was disabled or deleted, since the password was given gets no session', async () => {
      await using it = await openedAlone(flavour)
      const { users, sessions } = it.storage
      await users.insert(aUser())
      await users.update('101', { passwordHash: 'another' })
      assert.equal(await sessions.insert(ID, aUser(), 1000, 0), false)
      assert.equal(await sessions.insert(ID, aUser({ passwordHash: 'another' }), 1000, 0), true)
      await users.update('101', { disabled: true })
      assert.equal(await sessions.insert('another', aUser({ passwordHash: 'another' }), 1000, 0), false)
      assert.equal(await sessions.insert('another', aUser({ id: '9', passwordHash: 'another' }), 1000, 0), false)
      assert.deepEqual(await rawRows(it.url, 'select * from sessions'), [])
    })

    test('beside logins a password is changed, and no session of before is left', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      const [begun] = await Promise.all([
        twentyAtOnce(it.storages, ({ sessions }, n) => sessions.insert(`${n}`, aUser(), 1000, 0)),
        it.storages.at(-1)!.users.update('101', { passwordHash: 'another' }),
      ])
      assert.equal(begun.length, 20)
      assert.deepEqual(await rawRows(it.url, 'select * from sessions'), [])
    })

    test('all sessions of a user are ended at once, and those that live are counted', async () => {
      await using it = await opened(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.users.insert(aUser({ id: '102', username: 'grace' }))
      for (const [id, endsAtMs] of [
        ['a', 1000],
        ['b', 1000],
        ['expired', 5],
      ] as const)
        await it.storage.sessions.insert(id, aUser(), endsAtMs, 0)
      await it.storage.sessions.insert('other', aUser({ id: '102' }), 1000, 0)
      assert.equal(await it.storage.sessions.removeOf('101', 10), 2)
      for (const { sessions } of it.storages) {
        assert.equal(await sessions.userOf('a', 10), undefined)
        assert.equal((await sessions.userOf('other', 10))?.id, '102')
      }
      assert.equal(await it.storage.sessions.removeOf('101', 10), 0)
    })

    test('no id is stored as plain text', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.users.insert(aUser())
      await it.storage.sessions.insert(ID, aUser(), 1000, 0)
      const stored = JSON.stringify(await rawRows(it.url, 'select * from sessions'))
      assert.match(stored, /"user_id":"101"/)
      assert.doesNotMatch(stored, /in-the-clear/)
    })

    test('expired sessions are deleted along the way, and no others', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.users.insert(aUser())
      for (let n = 0; n < 512; n += 1) await it.storage.sessions.insert(`${n}`, aUser(), n < 200 ? 100 : 900, 100)
      assert.equal((await rawRows(it.url, 'select * from sessions')).length, 312)
      assert.deepEqual(await it.storage.sessions.userOf('200', 100), aUser())
    })
  })
}
