import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recordTypes } from '../../src/endpoints/index.ts'
import type { Role } from '../../src/storage/account-members.ts'
import type { AccountTransaction, RecordType, StoredRecord } from '../../src/storage/records.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { aUser, opened, rawRows, twentyAtOnce } from './samples.ts'

const AT_MS = Date.parse('2026-03-01T12:00:00.700Z')
const AT = '2026-03-01T12:00:00Z'
const BY = { userId: '101', nowMs: AT_MS }

interface Thing extends StoredRecord {
  id: string
  name: string | null
  size: number
  parent_id: string
}

const text = { type: 'text', nullable: false } as const
const long = { type: 'long', nullable: false } as const
const general = { key: 'id', keyUniqueIn: 'table', scope: 'account_id', sortable: ['created_at'], filterable: [] } as const

const Parent: RecordType<Thing> = {
  ...general,
  table: 'parents',
  history: 'PARENT',
  search: { prefixOf: 'name' },
  columns: { name: { ...text, nullable: true }, size: long, parent_id: text },
}
const Child: RecordType<Thing> = {
  ...Parent,
  table: 'children',
  history: 'CHILD',
  childOf: { parent: Parent, by: 'parent_id' },
  filterable: ['parent_id'],
}
const Crumb: RecordType<Thing> = { ...Child, table: 'crumbs', history: undefined, childOf: { parent: Child, by: 'parent_id' } }
/** Two types that share a table. */
const kinds = ['round', 'square'].map((name): RecordType<Thing> => ({ ...Parent, table: 'shapes', history: 'SHAPE', only: { name } }))
const [Round, Square] = kinds as [RecordType<Thing>, RecordType<Thing>]
const all = [Parent, Child, Crumb, Round]

const aThing = (id: string, changes: Partial<Thing> = {}) => ({ id, name: id, size: 1, parent_id: 'none', ...changes })

type AccountRecord = StoredRecord & { id: string }
const Account = recordTypes.find(({ table }) => table === 'accounts') as RecordType<AccountRecord>
const anAccount = (id: string, name: string) =>
  ({ id, name, host: 'production', timezone: 'UTC', approval_status: 'ACCEPTED', features: [] }) as object as AccountRecord

/** One or, on PostgreSQL, two storages on one database that know the types of this file, with a user and an account. */
async function openedWithKinds(flavour: Flavour) {
  const it = await opened(flavour, { kinds: all })
  const { storage } = it
  await storage.users.insert(aUser())
  await storage.records.change('acc', { nowMs: AT_MS }, (transaction) => transaction.insert(Account, anAccount('acc', 'Zebra')))
  return {
    ...it,
    change: <T>(run: (transaction: AccountTransaction) => Promise<T>) => storage.records.change('acc', BY, run),
    history: (entity: string, entityId: string) =>
      storage.accountHistory.list({ accountId: 'acc', entity, entityId, fromMs: 0, toMs: AT_MS * 2, limit: 100 }),
  }
}

for (const flavour of databasesOf(import.meta))
  suite(`records on ${flavour}`, () => {
    test('a change is committed completely or, if it throws, not at all, including the history', async () => {
      await using it = await openedWithKinds(flavour)
      await it.change((transaction) => transaction.insert(Parent, aThing('w')))
      const failing = it.change(async (transaction) => {
        await transaction.insert(Parent, aThing('lost'))
        await transaction.update(Parent, (await transaction.get(Parent, 'w'))!, { size: 9 })
        throw new Error('on purpose')
      })
      await assert.rejects(failing, /on purpose/)
      assert.equal(await it.storage.records.get(Parent, 'acc', 'lost', true), undefined)
      assert.equal((await it.storage.records.get(Parent, 'acc', 'w'))?.size, 1)
      assert.deepEqual(await it.history('PARENT', 'lost'), [])
      assert.equal((await it.history('PARENT', 'w')).length, 1)
    })

    test('changes of one account run one at a time: twenty concurrent ones lose nothing', async () => {
      await using it = await openedWithKinds(flavour)
      await it.change((transaction) => transaction.insert(Parent, aThing('w', { size: 0 })))
      await twentyAtOnce(it.storages, ({ records }) =>
        records.change('acc', BY, async (transaction) => {
          const existing = (await transaction.get(Parent, 'w'))!
          await transaction.update(Parent, existing, { size: existing.size + 1 })
        }),
      )
      assert.equal((await it.storage.records.get(Parent, 'acc', 'w'))?.size, 20)
      const entries = await it.history('PARENT', 'w')
      assert.deepEqual(
        entries.map(({ changes }) => changes.size?.after).filter((size) => size !== undefined),
        Array.from({ length: 20 }, (_, n) => 20 - n),
      )
    })

    test('a record is stored as it was created, in whole seconds', async () => {
      await using it = await openedWithKinds(flavour)
      const given = aThing('w', { name: '\u{1F600} \uFFFD', size: Number.MAX_SAFE_INTEGER })
      const made = await it.change((transaction) => transaction.insert(Parent, given))
      assert.deepEqual(made, { ...given, created_at: AT, updated_at: AT, deleted: false })
      assert.deepEqual(await it.storage.records.get(Parent, 'acc', 'w'), made)
      assert.equal(await it.storage.records.get(Parent, 'other', 'w'), undefined)
    })

    test('an existing id is not inserted again, in any account', async () => {
      await using it = await openedWithKinds(flavour)
      await it.change((transaction) => transaction.insert(Parent, aThing('w')))
      assert.equal(await it.change((transaction) => transaction.insert(Parent, aThing('w', { size: 7 }))), undefined)
      const elsewhere = it.storage.records.change('other', BY, (transaction) => transaction.insert(Parent, aThing('w', { size: 7 })))
      assert.equal(await elsewhere, undefined)
      assert.equal((await it.storage.records.get(Parent, 'acc', 'w'))?.size, 1)
      assert.equal((await it.history('PARENT', 'w')).length, 1)
    })

    test('a deleted record is hidden with its descendants, which are not deleted themselves', async () => {
      await using it = await openedWithKinds(flavour)
      await it.change(async (transaction) => {
        for (const id of ['w', 'v']) {
          await transaction.insert(Parent, aThing(id))
          await transaction.insert(Child, aThing(`child of ${id}`, { parent_id: id }))
          await transaction.insert(Crumb, aThing(`crumb of ${id}`, { parent_id: `child of ${id}` }))
        }
      })
      const gone = await it.change(async (transaction) => transaction.remove(Parent, (await transaction.get(Parent, 'w'))!))
      assert.equal(gone.deleted, true)
      const { records } = it.storage
      for (const [recordType, id] of [
        [Parent, 'w'],
        [Child, 'child of w'],
        [Crumb, 'crumb of w'],
      ] as const) {
        assert.equal(await records.get(recordType, 'acc', id), undefined, id)
        assert.equal((await records.get(recordType, 'acc', id, true))?.deleted, id === 'w', id)
        assert.equal(await it.change((transaction) => transaction.get(recordType, id)), undefined, id)
        assert.equal(await it.change((transaction) => transaction.count(recordType, {})), 1, id)
        assert.equal(await records.count(recordType, { scope: { account_id: 'acc' }, withDeleted: false }), 1, id)
        assert.equal(await records.count(recordType, { scope: { account_id: 'acc' }, withDeleted: true }), 2, id)
      }
      assert.deepEqual(await it.change((transaction) => transaction.find(Child, 'parent_id', 'w')), [])
      assert.equal((await it.change((transaction) => transaction.find(Child, 'parent_id', 'v'))).length, 1)
    })

    test('of types that share a table each has its own records', async () => {
      await using it = await openedWithKinds(flavour)
      const [round, square] = [aThing('r', { name: 'round' }), aThing('s', { name: 'square' })]
      await it.change(async (transaction) => {
        await transaction.insert(Round, round)
        await transaction.insert(Square, square)
        assert.equal((await transaction.get(Round, 'r'))?.id, 'r')
        assert.equal(await transaction.get(Round, 's'), undefined)
        assert.deepEqual(
          (await transaction.among(Square, ['r', 's'])).map(({ id }) => id),
          ['s'],
        )
        assert.deepEqual(await transaction.find(Square, 'parent_id', 'none'), await transaction.among(Square, ['s']))
        assert.equal(await transaction.count(Round, {}), 1)
        assert.equal(await transaction.insert(Square, aThing('r', { name: 'square' })), undefined)
      })
      for (const { records } of it.storages) {
        assert.deepEqual([(await records.get(Round, 'acc', 'r'))?.id, await records.get(Square, 'acc', 'r')], ['r', undefined])
        assert.deepEqual([(await records.get(Square, 'acc', 's'))?.id, await records.get(Round, 'acc', 's', true)], ['s', undefined])
      }
    })

    test('a restored record is visible again, as if it were created now', async () => {
      await using it = await openedWithKinds(flavour)
      await it.change((transaction) => transaction.insert(Parent, aThing('w', { created_at: '2026-01-01T00:00:00Z' })))
      await it.change(async (transaction) => transaction.remove(Parent, (await transaction.get(Parent, 'w'))!))
      const restored = await it.change(async (transaction) =>
        transaction.restore(Parent, (await transaction.get(Parent, 'w', true))!, { size: 7, name: 'anew' }),
      )
      assert.deepEqual(restored, aThing('w', { size: 7, name: 'anew', created_at: AT, updated_at: AT, deleted: false }))
      assert.deepEqual(await it.storage.records.get(Parent, 'acc', 'w'), restored)
      const query = { scope: { account_id: 'acc' }, sort: [{ field: 'created_at', descending: true }], limit: 9, withDeleted: false }
      assert.deepEqual(await it.storage.records.list(Parent, { ...query, search: 'ane' }), [restored])
      assert.deepEqual(
        (await it.history('PARENT', 'w')).map(({ changeType }) => changeType),
        ['CREATE', 'DELETE', 'CREATE'],
      )
    })

    test('a required field without a value is rejected by name, and nothing is written', async () => {
      await using it = await openedWithKinds(flavour)
      for (const missing of [{ size: undefined }, { size: null }] as object[]) {
        const inserting = it.change((transaction) => transaction.insert(Parent, { ...aThing('w'), ...missing }))
        await assert.rejects(inserting, /A record of parents needs a value for size/)
      }
      const { parent_id: _, ...without } = aThing('w')
      const inserting = it.change((transaction) => transaction.insert(Parent, without as Thing))
      await assert.rejects(inserting, /A record of parents needs a value for parent_id/)
      assert.equal(await it.storage.records.get(Parent, 'acc', 'w', true), undefined)
      const made = (await it.change((transaction) => transaction.insert(Parent, aThing('w', { name: null }))))!
      const emptied = it.change((transaction) => transaction.update(Parent, made, { size: null } as object))
      await assert.rejects(emptied, /A record of parents needs a value for size/)
      assert.deepEqual(await it.storage.records.get(Parent, 'acc', 'w'), made)
    })

    test('a count includes the visible records with the values, and stops at its maximum', async () => {
      await using it = await openedWithKinds(flavour)
      await it.change(async (transaction) => {
        for (const id of ['a', 'b', 'c', 'd']) await transaction.insert(Parent, aThing(id, { size: id === 'd' ? 2 : 1 }))
        await transaction.remove(Parent, (await transaction.get(Parent, 'a'))!)
        const counted = await Promise.all([undefined, 1, 2, 3].map((most) => transaction.count(Parent, { size: 1 }, most)))
        assert.deepEqual(counted, [2, 1, 2, 2])
      })
    })

    test('the history has who changed what from what to what, and nothing for a change without effect', async () => {
      await using it = await openedWithKinds(flavour)
      const made = (await it.change((transaction) => transaction.insert(Parent, aThing('w'))))!
      const changed = await it.change((transaction) => transaction.update(Parent, made, { size: 2, name: 'w' }))
      assert.equal(await it.change((transaction) => transaction.update(Parent, changed, { size: 2 })), changed)
      await it.storage.records.change('acc', { nowMs: AT_MS }, (transaction) => transaction.update(Parent, changed, { size: 3 }))
      await it.change(async (transaction) => transaction.remove(Parent, (await transaction.get(Parent, 'w'))!))
      const entries = await it.history('PARENT', 'w')
      assert.deepEqual(
        entries.map(({ changeType, userId, changes, changeTimeMs }) => [changeType, userId, changes, changeTimeMs]),
        [
          ['DELETE', '101', { deleted: { before: false, after: true } }, Date.parse(AT)],
          ['UPDATE', '101', { size: { before: 1, after: 2 } }, Date.parse(AT)],
          ['CREATE', '101', {}, Date.parse(AT)],
        ],
      )
      assert.deepEqual(entries[1]?.entityData, { ...made, size: 2 })
      await it.change((transaction) => transaction.insert(Crumb, aThing('c')))
      assert.equal((await rawRows(it.url, `select * from account_history where entity_id = 'c'`)).length, 0)
    })

    test('a cleared name is no longer found by its prefix', async () => {
      await using it = await openedWithKinds(flavour)
      const query = { scope: { account_id: 'acc' }, withDeleted: false, search: 'SPR' }
      const made = (await it.change((transaction) => transaction.insert(Parent, aThing('w', { name: 'Spring' }))))!
      assert.equal(await it.storage.records.count(Parent, query), 1)
      await it.change((transaction) => transaction.update(Parent, made, { name: null }))
      assert.equal(await it.storage.records.count(Parent, query), 0)
    })

    test('members find and list an account by its current name, and no longer once it is deleted', async () => {
      await using it = await openedWithKinds(flavour)
      const { accountMembers, records } = it.storage
      assert.equal(await accountMembers.find('production', 'acc', '101'), undefined)
      const addMember = (accountId: string, role: Role) =>
        records.change(accountId, BY, (transaction) => transaction.addMember('101', role))
      assert.equal(await addMember('acc', 'AD_MANAGER'), true)
      assert.equal(await addMember('acc', 'ANALYST'), false)
      assert.equal(await addMember('none', 'ANALYST'), false)
      assert.deepEqual(await accountMembers.find('production', 'acc', '101'), { role: 'AD_MANAGER', permissions: [], deleted: false })
      assert.equal(await accountMembers.find('sandbox', 'acc', '101'), undefined)
      await it.change((transaction) => transaction.insert(Account, anAccount('bcc', 'Monkey')))
      await addMember('bcc', 'ANALYST')

      const byName = { scope: { user_id: '101', host: 'production' }, sort: [{ field: 'name', descending: false }], limit: 9 }
      const listed = async (withDeleted = false) => (await records.list(Account, { ...byName, withDeleted })).map(({ id }) => id)
      assert.deepEqual(await listed(), ['bcc', 'acc'])
      await it.change(async (transaction) =>
        transaction.update(Account, (await transaction.get(Account, 'acc'))!, { name: 'Ant' } as object),
      )
      assert.deepEqual(await listed(), ['acc', 'bcc'])
      assert.equal(await records.count(Account, { ...byName, withDeleted: false, search: 'aN' }), 1)
      assert.equal(await records.count(Account, { ...byName, withDeleted: false, search: 'zeb' }), 0)
      await it.change(async (transaction) => transaction.remove(Account, (await transaction.get(Account, 'acc'))!))
      assert.deepEqual([await listed(), await listed(true)], [['bcc'], ['acc', 'bcc']])
      assert.deepEqual(await accountMembers.find('production', 'acc', '101'), { role: 'AD_MANAGER', permissions: [], deleted: true })
    })
  })
