import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { opened, openedAlone, twentyAtOnce } from './samples.ts'

for (const flavour of databasesOf(import.meta)) {
  suite(`metadata on ${flavour}`, () => {
    test('a value is what was set last', async () => {
      await using it = await openedAlone(flavour)
      assert.equal(await it.storage.metadata.get('clock'), undefined)
      await it.storage.metadata.set('clock', '1')
      await it.storage.metadata.set('clock', '2')
      assert.equal(await it.storage.metadata.get('clock'), '2')
    })

    test('setIfAbsent sets a value once', async () => {
      await using it = await openedAlone(flavour)
      assert.equal(await it.storage.metadata.setIfAbsent('name', 'a'), 'a')
      assert.equal(await it.storage.metadata.setIfAbsent('name', 'b'), 'a')
    })

    test('what says how processes use the database is neither wiped nor brought back by a snapshot', async () => {
      await using it = await openedAlone(flavour)
      const { metadata, snapshots, wipe } = it.storage
      const values = async () => [await metadata.get('held_since'), await metadata.get('shared_settings')]
      const write = async (since: string, settings: string) => {
        await metadata.set('held_since', since)
        await metadata.set('shared_settings', settings)
      }
      await write('2026-11-26T20:00:00.000Z', '{"former":"1"}')
      await snapshots.save('one')
      await write('', '{}')
      await snapshots.restore('one')
      assert.deepEqual(await values(), ['', '{}'])
      await wipe()
      assert.deepEqual(await values(), ['', '{}'])
      await snapshots.drop('one')
    })

    test('twenty concurrent calls of setIfAbsent agree', async () => {
      await using it = await opened(flavour)
      const values = await twentyAtOnce(it.storages, (storage, n) => storage.metadata.setIfAbsent('name', `${n}`))
      assert.equal(new Set(values).size, 1)
      assert.equal(await it.storage.metadata.get('name'), values[0])
    })
  })
}
