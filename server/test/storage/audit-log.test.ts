import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AuditFilter } from '../../src/storage/audit-log.ts'
import { databasesOf } from '../stage/databases.ts'
import { opened, openedAlone, rawRows, twentyAtOnce } from './samples.ts'

const HOUR_MS = 3_600_000

const ABOUT_NOBODY = { appId: null, userId: null, changes: [] }

for (const flavour of databasesOf(import.meta)) {
  suite(`the audit log on ${flavour}`, () => {
    test('entries are listed newest first, also within one millisecond, and at most the requested number', async () => {
      await using it = await openedAlone(flavour)
      const entries = ['a', 'b', 'c'].map((action) => ({
        atMs: 1_700_000_000_000,
        action,
        status: 202,
        detail: `{"${action}":1}`,
        tokenName: 'ci',
        address: '192.0.2.1',
        ...ABOUT_NOBODY,
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

    test('entries are found by action, token, app or user, and time', async () => {
      await using it = await openedAlone(flavour)
      const base = { atMs: 1000, action: 'updateApp', status: 200, detail: '', tokenName: 'ci', address: null, ...ABOUT_NOBODY }
      const changes = [{ field: 'name', before: '"Old"', after: '"New"' }]
      const entries = [
        { ...base, appId: '7', changes },
        { ...base, action: 'updateUser', atMs: 2000, userId: '7' },
        { ...base, atMs: 3000, tokenName: null, appId: '70' },
      ]
      for (const entry of entries) await it.storage.audit.append(entry)
      const found = async (filter: AuditFilter) => (await it.storage.audit.list(null, 9, filter)).map(({ atMs }) => atMs)
      assert.deepEqual(await found({ action: 'updateApp' }), [3000, 1000])
      assert.deepEqual(await found({ tokenName: 'ci' }), [2000, 1000])
      assert.deepEqual(await found({ tokenName: null }), [3000])
      assert.deepEqual(await found({ target: '7' }), [2000, 1000])
      assert.deepEqual(await found({ fromMs: 2000 }), [3000, 2000])
      assert.deepEqual(await found({ toMs: 2000 }), [1000])
      assert.deepEqual(await found({ action: 'updateApp', target: '7', fromMs: 1000, toMs: 1001 }), [1000])
      const [oldest] = (await it.storage.audit.list(null, 9)).slice(-1)
      assert.deepEqual([oldest!.appId, oldest!.userId, oldest!.changes], ['7', null, changes])
    })

    test('the newest 100,000 entries are kept', async () => {
      // Numbers begin with 1.
      await using it = await openedAlone(flavour, { fresh: true })
      const entry = { atMs: 1, action: 'a', status: 200, detail: '', tokenName: null, address: null, ...ABOUT_NOBODY }
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

    test('failed attempts are added up by hour, kind and address, over all processes, those that began last first', async () => {
      await using it = await opened(flavour)
      const failure = { hourMs: HOUR_MS, kind: 'password', address: '192.0.2.1', count: 2 } as const
      const others = [
        { ...failure, kind: 'signature' },
        { ...failure, address: '2001:db8::/64' },
        { ...failure, hourMs: 2 * HOUR_MS },
      ] as const
      await it.storage.audit.countFailures([failure], HOUR_MS)
      for (const other of others) await it.storage.audit.countFailures([other], HOUR_MS)
      await twentyAtOnce(it.storages, ({ audit }) => audit.countFailures([others[0], failure], HOUR_MS))
      const listed = await it.storage.audit.listFailures(null, 9)
      const expected = [others[2], others[1], { ...others[0], count: 42 }, { ...failure, count: 42 }]
      assert.deepEqual(
        listed.map(({ number, ...entry }) => entry),
        expected,
      )
      assert.deepEqual(await it.storage.audit.listFailures(listed[1]!.number, 1), [listed[2]])
    })

    test('of an hour 200 addresses are counted one by one, and all others together', async () => {
      await using it = await openedAlone(flavour)
      const from = (n: number) => ({ hourMs: 0, kind: 'signature', address: `10.0.0.${n}`, count: 1 }) as const
      await it.storage.audit.countFailures(
        Array.from({ length: 150 }, (_, n) => from(n)),
        0,
      )
      await it.storage.audit.countFailures(
        Array.from({ length: 255 }, (_, n) => from(n)),
        0,
      )
      await it.storage.audit.countFailures([{ ...from(0), hourMs: HOUR_MS }], 0)
      const listed = (await it.storage.audit.listFailures(null, 999)).filter(({ hourMs }) => hourMs === 0)
      assert.equal(listed.length, 201)
      assert.equal(listed.find(({ address }) => address === 'others')!.count, 55)
      assert.equal(listed.find(({ address }) => address === '10.0.0.149')!.count, 2)
      assert.equal(listed.find(({ address }) => address === '10.0.0.199')!.count, 1)
    })

    test('failed attempts are kept for 30 days and push no entry out', async () => {
      await using it = await openedAlone(flavour)
      const dayMs = 24 * HOUR_MS
      const failure = { hourMs: 0, kind: 'operator_token', address: '192.0.2.1', count: 1 } as const
      await it.storage.audit.append({ atMs: 1, action: 'a', status: 200, detail: '', tokenName: null, address: null, ...ABOUT_NOBODY })
      await it.storage.audit.countFailures([failure], 0)
      await it.storage.audit.countFailures([{ ...failure, hourMs: 30 * dayMs }], 30 * dayMs)
      assert.equal((await it.storage.audit.listFailures(null, 9)).length, 2)
      await it.storage.audit.countFailures([{ ...failure, hourMs: 30 * dayMs }], 30 * dayMs + 1)
      assert.deepEqual(
        (await it.storage.audit.listFailures(null, 9)).map(({ hourMs, count }) => [hourMs, count]),
        [[30 * dayMs, 2]],
      )
      assert.equal((await it.storage.audit.list(null, 9)).length, 1)
    })
  })
}
