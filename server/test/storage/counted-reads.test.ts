import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { users } from '../../src/storage/content-tables.ts'
import { databasesOf } from '../stage/databases.ts'
import { aUser, openedAlone } from './samples.ts'

const COLUMNS = ['id', 'followers_count', 'post_count', 'most_recent_post_id']

for (const flavour of databasesOf(import.meta))
  suite(`counters in transactions on ${flavour}`, () => {
    test('a transaction reads what it counts, never below zero, and others read it once it is committed', async () => {
      await using it = await openedAlone(flavour)
      const { content } = it.storage
      await it.storage.users.insert(aUser({ id: '101' }))
      await it.storage.users.insert(aUser({ id: '102', username: 'grace' }))
      const read = async (reads: Pick<typeof content, 'rows'>) =>
        (await reads.rows(users, COLUMNS, ['101', '102'])).toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1))
      const before = [
        ['101', 0, 0, null],
        ['102', 0, 0, null],
      ]
      const after = [
        ['101', 0, 2, '9007199254740993'],
        ['102', 0, 0, null],
      ]
      await content.change(async (transaction) => {
        assert.deepEqual(await read(transaction), before)
        transaction.count(users, '101', 'followers_count', -1)
        transaction.count(users, '101', 'post_count', 1)
        transaction.count(users, '101', 'post_count', 1)
        transaction.raise(users, '101', 'most_recent_post_id', '9007199254740993')
        assert.deepEqual(await read(transaction), after)
      })
      assert.deepEqual(await read(content), after)
      await content.change(async (transaction) => {
        transaction.raise(users, '101', 'most_recent_post_id', '5')
        assert.deepEqual(await read(transaction), after)
      })
    })
  })
