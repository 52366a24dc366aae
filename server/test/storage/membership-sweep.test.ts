import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import type { AnyResource } from '../../src/api/records/resource.ts'
import { Account } from '../../src/endpoints/ads/resources/account.ts'
import { CustomAudience } from '../../src/endpoints/ads/resources/custom-audience.ts'
import { DoNotReachList } from '../../src/endpoints/ads/resources/do-not-reach-list.ts'
import { createPacker } from '../../src/storage/memberships/packed-batch.ts'
import type { Memberships } from '../../src/storage/memberships.ts'
import { databasesOf } from '../stage/databases.ts'
import { pause } from '../stage/pause.ts'
import { openedAlone } from './samples.ts'

const END = 2_000_000_000

/** Adds users with these identifiers for the 1000 seconds before an end. */
async function add(memberships: Memberships, users: string[][], end: number, audience = 'a1') {
  const packer = createPacker()
  packer.beginOperation(false, end - 1000, end)
  for (const names of users) {
    packer.beginUser()
    for (const name of names) {
      const { bytes, at } = packer.offsetFor(1)
      createHash('sha256').update(name).digest().copy(bytes, at)
      packer.keep()
    }
  }
  assert.equal(await memberships.apply(audience, packer.finish(), (end - 1000) * 1000), true)
}

for (const flavour of databasesOf(import.meta))
  suite(`sweeps of memberships on ${flavour}`, () => {
    test('users of many identifiers are deleted in slices, and all of them', async () => {
      await using stage = await openedAlone(flavour)
      const { memberships } = stage.storage
      const users = Array.from({ length: 120 }, (_, user) => Array.from({ length: 100 }, (_, index) => `${user} ${index}`))
      await add(memberships, users, END)
      let calls = 1
      while (await memberships.sweep(END * 1000)) calls += 1
      assert.ok(calls > 2, `${calls} calls`)
      const alone = users.flat().map((name) => [name])
      await add(memberships, alone, END + 2000)
      assert.equal(
        (await memberships.sizes(['a1'], (END + 1000) * 1000)).get('a1'),
        12_000,
        'no identifier is left that ties them together',
      )
    })

    test('users of an audience whose record is deleted or missing are removed within an hour', async () => {
      await using stage = await openedAlone(flavour)
      const { memberships, records } = stage.storage
      const insert = (resource: AnyResource, id: string) =>
        records.change('acc', { nowMs: 0 }, (transaction) =>
          transaction.insert(resource, resource.complete({ id, name: id, account_id: 'acc' })),
        )
      for (const id of ['kept', 'deleted']) await insert(CustomAudience as AnyResource, id)
      await insert(DoNotReachList as AnyResource, 'missing')
      const keys = ['custom_audiences:kept', 'custom_audiences:deleted', 'custom_audiences:missing', 'do_not_reach_lists:missing']
      for (const key of keys) await add(memberships, [['somebody']], END, key)
      await records.change('acc', { nowMs: 0 }, async (transaction) =>
        transaction.remove(CustomAudience, (await transaction.get(CustomAudience, 'deleted'))!),
      )
      assert.deepEqual(await memberships.audiences('', 9), keys.toSorted())
      stage.clock.advance(3_600_000)
      while ((await memberships.audiences('', 9)).length > 2) await pause()
      assert.deepEqual(await memberships.audiences('', 9), ['custom_audiences:kept', 'do_not_reach_lists:missing'])
      assert.deepEqual([...(await memberships.sizes(keys, (END - 1) * 1000)).keys()].sort(), [
        'custom_audiences:kept',
        'do_not_reach_lists:missing',
      ])
    })

    test('users of all audiences of a deleted account are removed within an hour', async () => {
      await using stage = await openedAlone(flavour)
      const { memberships, records } = stage.storage
      const keys: string[] = []
      for (const accountId of ['kept', 'gone'])
        await records.change(accountId, { nowMs: 0 }, async (transaction) => {
          await transaction.insert(Account, Account.complete({ id: accountId, name: accountId, host: 'sandbox', features: [] }))
          for (const resource of [CustomAudience, DoNotReachList] as AnyResource[]) {
            await transaction.insert(resource, resource.complete({ id: `of${accountId}`, name: accountId, account_id: accountId }))
            keys.push(`${resource.table}:of${accountId}`)
          }
        })
      for (const key of keys) await add(memberships, [['somebody']], END, key)
      await records.change('gone', { nowMs: 0 }, async (transaction) =>
        transaction.remove(Account, (await transaction.get(Account, 'gone'))!),
      )
      stage.clock.advance(3_600_000)
      while ((await memberships.audiences('', 9)).length > 2) await pause()
      assert.deepEqual(await memberships.audiences('', 9), ['custom_audiences:ofkept', 'do_not_reach_lists:ofkept'])
    })
  })
