import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { aUser, openedAlone } from './samples.ts'

const product = (id: string) => ({ productKey: id, id, itemGroupId: null, itemGroupKey: null, attributes: { id } })

for (const flavour of databasesOf(import.meta))
  suite(`the room of a catalog on ${flavour}`, () => {
    test('is what its maximum leaves, and deleted products make room', async () => {
      await using it = await openedAlone(flavour)
      const { catalogs, users } = it.storage
      await users.insert(aUser({ id: '7' }))
      await catalogs.create({ id: '1', host: 'ads', userId: '7', name: 'Spring' }, 5)
      const room = (wanted: number, max: number) => catalogs.change('1', (transaction) => transaction.room(wanted, max))
      assert.deepEqual([await room(2, 3), await room(3, 3), await room(4, 3)], [2, 3, 3])
      await catalogs.change('1', (transaction) => transaction.add(['11', '12', '13'].map(product)))
      assert.deepEqual([await room(1, 4), await room(2, 4), await room(1, 3), await room(1, 2)], [1, 1, 0, 0])
      await catalogs.change('1', (transaction) => transaction.remove(['12']))
      assert.deepEqual([await room(1, 3), await room(2, 3), await room(0, 3)], [1, 1, 0])
    })
  })
