import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { flavours } from '../stage/database.ts'
import { opened, twentyAtOnce } from './samples.ts'

for (const flavour of flavours) {
  suite(`facts on ${flavour}`, () => {
    test('a fact is what was set last', async () => {
      await using it = await opened(flavour)
      assert.equal(await it.storage.facts.get('clock'), undefined)
      await it.storage.facts.set('clock', '1')
      await it.storage.facts.set('clock', '2')
      assert.equal(await it.storage.facts.get('clock'), '2')
    })

    test('settle sets a fact once', async () => {
      await using it = await opened(flavour)
      assert.equal(await it.storage.facts.settle('name', 'a'), 'a')
      assert.equal(await it.storage.facts.settle('name', 'b'), 'a')
    })

    test('twenty who settle at once agree', async () => {
      await using it = await opened(flavour)
      const values = await twentyAtOnce(it.storages, (storage, n) => storage.facts.settle('name', `${n}`))
      assert.equal(new Set(values).size, 1)
      assert.equal(await it.storage.facts.get('name'), values[0])
    })
  })
}
