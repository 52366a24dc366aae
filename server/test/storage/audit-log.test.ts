import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { flavours } from '../stage/database.ts'
import { opened, rawRows } from './samples.ts'

for (const flavour of flavours) {
  suite(`the audit log on ${flavour}`, () => {
    test('entries are listed newest first, also within one millisecond, and no more than asked for', async () => {
      await using it = await opened(flavour)
      const entries = ['a', 'b', 'c'].map((action) => ({
        atMs: 1_700_000_000_000,
        action,
        status: 202,
        detail: `{"${action}":1}`,
        tokenName: 'ci',
      }))
      for (const entry of entries) await it.storage.audit.append(entry)
      const listed = await it.storage.audit.list(null, 9)
      assert.deepEqual(
        listed.map(({ number, ...entry }) => entry),
        entries.toReversed(),
      )
      assert.deepEqual(await it.storage.audit.list(null, 2), listed.slice(0, 2))
      assert.deepEqual(await it.storage.audit.list(listed[0]!.number, 1), [listed[1]])
    })

    test('the newest 100,000 entries are kept', async () => {
      await using it = await opened(flavour)
      const entry = { atMs: 1, action: 'a', status: 200, detail: '', tokenName: null }
      await it.storage.audit.append(entry)
      await rawRows(
        it.url,
        `insert into audit_log (${flavour === 'sqlite' ? 'number, ' : ''}at_ms, action, status, detail)
        select ${flavour === 'sqlite' ? '99999, ' : ''}2, 'b', 200, ''`,
      )
      if (flavour === 'postgres') await rawRows(it.url, `select setval(pg_get_serial_sequence('audit_log', 'number'), 99999)`)
      await it.storage.audit.append(entry)
      assert.equal((await it.storage.audit.list(null, 9)).at(-1)!.number, 1)
      await it.storage.audit.append(entry)
      assert.equal((await it.storage.audit.list(null, 9)).at(-1)!.number > 1, true)
    })
  })
}
