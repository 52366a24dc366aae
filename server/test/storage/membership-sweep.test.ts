import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { createPacker } from '../../src/storage/memberships/packed-batch.ts'
import type { Memberships } from '../../src/storage/memberships.ts'
import { flavours } from '../stage/database.ts'
import { opened } from './samples.ts'

const END = 2_000_000_000

/** Adds users with these identifiers for the 1000 seconds before an end. */
async function add(memberships: Memberships, users: string[][], end: number) {
  const packer = createPacker()
  packer.beginOperation(false, end - 1000, end)
  for (const names of users) {
    packer.beginUser()
    for (const name of names) {
      const { bytes, at } = packer.place(1)
      createHash('sha256').update(name).digest().copy(bytes, at)
      packer.keep()
    }
  }
  assert.equal(await memberships.apply('a1', packer.finish(), (end - 1000) * 1000), true)
}

for (const flavour of flavours)
  suite(`sweeps of memberships on ${flavour}`, () => {
    test('users of many identifiers are deleted in slices, and all of them', async () => {
      await using stage = await opened(flavour)
      const { memberships } = stage.storage
      const users = Array.from({ length: 120 }, (_, user) => Array.from({ length: 100 }, (_, index) => `${user} ${index}`))
      await add(memberships, users, END)
      let calls = 1
      while (await memberships.sweep(END * 1000)) calls += 1
      assert.ok(calls > 2, `${calls} calls`)
      const alone = users.flat().map((name) => [name])
      await add(memberships, alone, END + 2000)
      assert.equal((await memberships.sizes(['a1'], (END + 1000) * 1000)).get('a1'), 12_000, 'no identifier is left that ties them together')
    })
  })
