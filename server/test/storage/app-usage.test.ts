import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Storage } from '../../src/storage/storage.ts'
import { databasesOf } from '../stage/databases.ts'
import { anApp, opened, openedAlone, rawRows, twentyAtOnce } from './samples.ts'

const of = (...pairs: [appId: string, count: number][]) => new Map(pairs.map(([appId, deliveries]) => [appId, { events: 1, deliveries }]))

const deliveriesOf = async ({ usage }: Storage, appId: string, month: number) =>
  (await usage.of([appId], month)).get(appId)?.deliveries ?? 0

for (const flavour of databasesOf(import.meta))
  suite(`the usage of apps on ${flavour}`, () => {
    test('is counted for each app and month, over all processes, in one row for each app', async () => {
      await using database = await opened(flavour)
      const { storage, storages, url } = database
      await storage.apps.insert(anApp({ id: '2', consumerKey: 'two' }))
      assert.equal(await deliveriesOf(storage, '1', 202603), 0)
      await twentyAtOnce(storages, ({ usage }, n) => usage.add(n % 2 === 0 ? of(['1', 2], ['2', 1]) : of(['2', 1], ['1', 2]), 202603))
      assert.deepEqual([await deliveriesOf(storage, '1', 202603), await deliveriesOf(storage, '2', 202603)], [40, 20])
      assert.equal((await storage.usage.of(['1'], 202603)).get('1')!.events, 20)
      await storage.usage.add(of(['1', 5]), 202604)
      assert.deepEqual([await deliveriesOf(storage, '1', 202604), await deliveriesOf(storage, '2', 202604)], [5, 0])
      assert.equal((await rawRows(url, 'select * from app_usage')).length, 2)
    })

    test('counts into the newer month where a process is behind, and passes over apps that are gone', async () => {
      await using database = await openedAlone(flavour)
      const { storage } = database
      const { usage } = storage
      await usage.add(of(['1', 5]), 202701)
      await usage.add(of(['1', 2], ['nobody', 7]), 202612)
      assert.equal(await deliveriesOf(storage, '1', 202701), 7)
      assert.equal(await deliveriesOf(storage, 'nobody', 202701), 0)
      await usage.add(new Map(), 202701)
    })
  })
