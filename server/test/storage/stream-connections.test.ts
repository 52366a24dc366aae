import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Storage } from '../../src/storage/storage.ts'
import { databasesOf } from '../stage/databases.ts'
import { anApp, aSubscription, opened } from './samples.ts'

const LIMIT = 2
const HOUR_MS = 3_600_000

const open = ({ streamConnections }: Storage, id: string, appId = '1', createdAtMs = 5 * HOUR_MS) =>
  streamConnections.open({ id, appId, createdAtMs }, LIMIT)

for (const flavour of databasesOf(import.meta))
  suite(`connections to streams on ${flavour}`, () => {
    test('an app has no more connections than its limit, over all processes and however many come at once', async () => {
      await using it = await opened(flavour)
      await it.storage.apps.insert(anApp({ id: '3', consumerKey: 'three' }))
      const opening = Array.from({ length: 20 }, (_, place) => open(it.storages[place % it.storages.length]!, String(place), '3'))
      const answers = await Promise.all(opening)
      assert.deepEqual(
        [answers.filter((answer) => answer === 'opened').length, answers.filter((answer) => answer === 'limit').length],
        [2, 18],
      )
      assert.equal(await open(it.storage, 'x', 'none'), 'no-app')
    })

    test('a connection that is closed does not count, and nobody closes those of another process', async () => {
      await using it = await opened(flavour)
      assert.deepEqual(
        [await open(it.storage, 'a'), await open(it.storage, 'b'), await open(it.storage, 'c')],
        ['opened', 'opened', 'limit'],
      )
      for (const other of it.storages.slice(1)) await other.streamConnections.close(['a', 'b'])
      assert.equal(await open(it.storage, 'd'), 'limit')
      await it.storage.streamConnections.close(['a'])
      assert.equal(await open(it.storage, 'e'), 'opened')
    })

    test('candidates say when their app was last seen using its stream, in every process', async () => {
      await using it = await opened(flavour)
      await it.storage.subscriptions.insert(aSubscription({ webhookId: null }), 5)
      const seen = async () => {
        const [candidate] = await it.storages
          .at(-1)!
          .subscriptions.candidates([{ eventType: 'dm.received', userId: '101', needsConsent: false }])
        return candidate!.streamedAtMs
      }
      assert.equal(await seen(), null)
      await open(it.storage, 'a')
      assert.equal(await seen(), 5 * HOUR_MS)
      await open(it.storage, 'b', '1', 5 * HOUR_MS + 1000)
      assert.equal(await seen(), 5 * HOUR_MS)
      await it.storage.streamConnections.noteUse(['1', 'none'], 7 * HOUR_MS)
      assert.equal(await seen(), 7 * HOUR_MS)
    })
  })
