import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import type { Change } from '../../src/storage/changes.ts'
import { messageOf } from '../../src/storage/sql/announcer.ts'
import { openEngine } from '../../src/storage/sql/open-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { anApp, aReplayJob, aUser, aUserToken, aWebhook, FAILED, opened, openedAlone, PASSED, rawRows } from './samples.ts'

/** What a storage hears, and a way to wait until it has heard `last`. */
function earOf(storage: Pick<Storage, 'changes'>) {
  const heard: Change[] = []
  let notice = () => {}
  storage.changes.listen((change) => {
    heard.push(change)
    notice()
  })
  const isHeard = (last: Change) => heard.some((change) => JSON.stringify(change) === JSON.stringify(last))
  const until = async (last: Change) => {
    while (!isHeard(last)) await new Promise<void>((resolve) => (notice = resolve))
    return heard
  }
  return { heard, until }
}

const LAST: Change = { kind: 'app', id: 'last' }

for (const flavour of databasesOf(import.meta)) {
  suite(`changes on ${flavour}`, () => {
    test('every process receives the changes of all processes, in order and once', async () => {
      await using it = await opened(flavour)
      const { apps, webhooks, replayJobs } = it.storage
      const ears = it.storages.map(earOf)
      await apps.insert(anApp({ id: 'first' }))
      for (const ear of ears) {
        await ear.until({ kind: 'app', id: 'first' })
        ear.heard.length = 0
      }
      await apps.update('1', { suspended: true })
      await webhooks.register(aWebhook(), 5)
      await webhooks.decide('10', 1, FAILED)
      await replayJobs.create(aReplayJob())
      await replayJobs.finish(0, '500', 'complete', { position: 1, delivered: 1, failed: 0 }, 9)
      await replayJobs.create(aReplayJob({ id: '501' }))
      await webhooks.remove('1', '10')
      await apps.insert(anApp({ id: 'last' }))
      for (const ear of ears) {
        assert.deepEqual(await ear.until(LAST), [
          { kind: 'app', id: '1' },
          { kind: 'webhook', id: '10' },
          { kind: 'webhook', id: '10' },
          { kind: 'replay', id: '500' },
          { kind: 'replay', id: '500' },
          { kind: 'replay', id: '501' },
          { kind: 'replay', id: '501' },
          { kind: 'webhook', id: '10' },
          LAST,
        ])
      }
    })

    test('every process hears what operators change of users, apps and tokens, and nothing of what was not there', async () => {
      await using it = await opened(flavour)
      const { apps, users, webhooks, replayJobs, bearerTokens, userTokens, revocations } = it.storage
      await users.insert(aUser())
      await webhooks.register(aWebhook(), 5)
      await replayJobs.create(aReplayJob())
      await userTokens.insert(aUserToken())
      await bearerTokens.obtain('1', 'bearer', 1)
      const ears = it.storages.map(earOf)
      await apps.insert(anApp({ id: 'first' }))
      for (const ear of ears) {
        await ear.until({ kind: 'app', id: 'first' })
        ear.heard.length = 0
      }
      await users.update('101', { disabled: true })
      await users.update('9', { disabled: true })
      await revocations.revoke(aUserToken().token)
      await revocations.revoke('bearer')
      await revocations.revoke('never was')
      await revocations.revokeOf({ userId: '101' })
      await revocations.revokeOf({ appId: '1' })
      await revocations.revokeOf({ userId: '101', appId: '1' })
      await users.remove('101')
      await users.remove('101')
      await apps.remove('1')
      await apps.remove('1')
      await apps.insert(anApp({ id: 'last' }))
      for (const ear of ears) {
        assert.deepEqual(await ear.until(LAST), [
          { kind: 'user', id: '101' },
          { kind: 'user-token', appId: '1', userId: '101' },
          { kind: 'bearer-token', appId: '1' },
          { kind: 'user', id: '101' },
          { kind: 'app', id: '1' },
          { kind: 'user-token', appId: '1', userId: '101' },
          { kind: 'user', id: '101' },
          { kind: 'replay', id: '500' },
          { kind: 'webhook', id: '10' },
          { kind: 'app', id: '1' },
          LAST,
        ])
      }
    })

    test('the listeners of this process are told of a change before its caller is answered', async () => {
      await using it = await openedAlone(flavour)
      const ear = earOf(it.storage)
      for (const id of ['7', '8', '9']) {
        await it.storage.apps.insert(anApp({ id }))
        assert.deepEqual(ear.heard.at(-1), { kind: 'app', id })
      }
      assert.equal(ear.heard.length, 3)
    })

    test('writes that change nothing are not announced', async () => {
      await using it = await openedAlone(flavour)
      const { apps, webhooks, replayJobs } = it.storage
      await webhooks.register(aWebhook(), 1)
      const ear = earOf(it.storage)
      await apps.insert(anApp({ id: 'first' }))
      await ear.until({ kind: 'app', id: 'first' })
      ear.heard.length = 0
      await apps.insert(anApp())
      await apps.update('9', { name: 'x' })
      await webhooks.register(aWebhook({ id: '11' }), 1)
      await webhooks.decide('11', 1, PASSED)
      await webhooks.remove('1', '11')
      await replayJobs.create(aReplayJob({ webhookId: '11' }))
      await replayJobs.finish(0, '500', 'complete', { position: 1, delivered: 1, failed: 0 }, 9)
      await apps.insert(anApp({ id: 'last' }))
      assert.deepEqual(await ear.until(LAST), [LAST])
    })

    test('an announced change can be read', async () => {
      await using it = await opened(flavour)
      const found = Promise.all(
        it.storages.map(
          (storage) =>
            new Promise((resolve) =>
              storage.changes.listen((change) => change.kind === 'webhook' && resolve(storage.webhooks.byId(change.id))),
            ),
        ),
      )
      await it.storage.webhooks.register(aWebhook(), 5)
      for (const webhook of await found) assert.deepEqual(webhook, aWebhook())
    })

    test('a listener that throws affects neither the change nor the other listeners', async () => {
      await using it = await openedAlone(flavour)
      it.storage.changes.listen(() => {
        throw new Error('a broken listener')
      })
      const ear = earOf(it.storage)
      assert.equal(await it.storage.apps.insert(anApp({ id: 'last' })), true)
      await ear.until(LAST)
    })

    test('a wipe announces to every process that everything may have changed', async () => {
      await using it = await opened(flavour)
      const ears = it.storages.map(earOf)
      await it.storage.wipe()
      for (const ear of ears) await ear.until({ kind: 'everything' })
    })
  })
}

suite('changes on postgres alone', () => {
  test('a change whose commit takes effect after its answer was lost is told once more: a cache may have loaded the former value', async () => {
    await using database = await migratedDatabase('postgres')
    const { announcer, transactions, close } = await openEngine({ url: database.url, clock: createClock() })
    await using ends = new AsyncDisposableStack()
    ends.defer(close)
    const ear = earOf({ changes: announcer })
    const change: Change = { kind: 'user-token', appId: '1', userId: '101' }
    await transactions.transaction().execute(async (trx) => {
      const pending = await announcer.beforeCommit(trx, [change])
      pending.doubt()
      assert.deepEqual(ear.heard, [change])
    })
    await rawRows(database.url, `select pg_notify('postern_changes', '${messageOf(LAST)}')`)
    assert.deepEqual(await ear.until(LAST), [change, change, LAST])
  })

  test('an unknown message is treated as a change of everything', async () => {
    await using it = await openedAlone('postgres')
    const ear = earOf(it.storage)
    for (const message of ['no json', '{}']) {
      await rawRows(it.url, `select pg_notify('postern_changes', '${message}')`)
      await ear.until({ kind: 'everything' })
      ear.heard.length = 0
    }
  })
})
