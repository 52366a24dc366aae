import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { flavours } from '../stage/database.ts'
import { opened } from './samples.ts'

for (const flavour of flavours) {
  suite(`the audit log on ${flavour}`, () => {
    test('entries are listed newest first, also within one millisecond, and no more than asked for', async () => {
      await using it = await opened(flavour)
      const entries = ['a', 'b', 'c'].map((action) => ({ atMs: 1_700_000_000_000, action, status: 202, detail: `{"${action}":1}` }))
      for (const entry of entries) await it.storage.audit.append(entry)
      assert.deepEqual(await it.storage.audit.list(2), [entries[2], entries[1]])
      assert.deepEqual(await it.storage.audit.list(9), entries.toReversed())
    })
  })
}
