import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { WebhookQuery } from '../../src/storage/webhooks.ts'
import { databasesOf } from '../stage/databases.ts'
import { anApp, aReplayJob, aSubscription, aWebhook, FAILED, opened, openedAlone, PASSED, rawRows, twentyAtOnce } from './samples.ts'

for (const flavour of databasesOf(import.meta)) {
  suite(`webhooks on ${flavour}`, () => {
    test('a webhook is read as it was registered', async () => {
      await using it = await openedAlone(flavour)
      assert.equal(await it.storage.webhooks.register(aWebhook(), 5), 'created')
      assert.deepEqual(await it.storage.webhooks.byId('10'), aWebhook())
      assert.equal(await it.storage.webhooks.byId('11'), undefined)
    })

    test('a URL is a duplicate within its app, not in another', async () => {
      await using it = await openedAlone(flavour)
      const { apps, webhooks } = it.storage
      await apps.insert(anApp({ id: '2' }))
      await webhooks.register(aWebhook({ normalUrl: 'n' }), 5)
      assert.equal(await webhooks.register(aWebhook({ id: '11', normalUrl: 'n' }), 5), 'duplicate')
      assert.equal(await webhooks.register(aWebhook({ id: '12', normalUrl: 'n', appId: '2' }), 5), 'created')
      assert.equal((await webhooks.byUrl('1', 'n'))?.id, '10')
      assert.equal((await webhooks.byUrl('2', 'n'))?.id, '12')
      assert.equal(await webhooks.byUrl('1', 'm'), undefined)
    })

    test('the challenges that decided about a webhook are kept, newest first, as many as there is room for', async () => {
      await using it = await openedAlone(flavour)
      const { webhooks } = it.storage
      assert.equal(await webhooks.challenges('10'), undefined)
      await webhooks.register(aWebhook({ lastChallenge: { atMs: 60, failure: null } }), 5)
      await webhooks.decide('10', 1, FAILED)
      await webhooks.postpone('10', 9_000, { atMs: 75 })
      await webhooks.decide('10', 2, PASSED)
      await webhooks.decide('10', 1, { ...FAILED, atMs: 90 })
      assert.deepEqual(await webhooks.challenges('10'), [
        { atMs: 80, failure: null },
        { atMs: 70, failure: 'answered 500' },
        { atMs: 60, failure: null },
      ])
      for (let number = 3; number < 23; number += 1)
        await webhooks.decide('10', number, { valid: false, atMs: 70, nextChallengeAtMs: null, failure: 'é"\n'.repeat(100) })
      const kept = (await webhooks.challenges('10'))!
      assert.ok(kept.length >= 5 && kept.length < 20, `${kept.length} are kept`)
      for (const { failure } of kept) assert.equal(failure, 'é"\n'.repeat(100))
    })

    test('a duplicate is reported before the limit', async () => {
      await using it = await openedAlone(flavour)
      const { webhooks } = it.storage
      await webhooks.register(aWebhook(), 1)
      assert.equal(await webhooks.register(aWebhook({ id: '11', normalUrl: aWebhook().normalUrl }), 1), 'duplicate')
      assert.equal(await webhooks.register(aWebhook({ id: '11' }), 1), 'limit')
      assert.equal(await webhooks.count('1'), 1)
    })

    test('webhooks are counted over all apps, valid and invalid ones', async () => {
      await using it = await openedAlone(flavour)
      const { apps, webhooks } = it.storage
      assert.deepEqual(await webhooks.countAll(), { valid: 0, invalid: 0 })
      await apps.insert(anApp({ id: '2' }))
      for (const id of ['10', '11']) await webhooks.register(aWebhook({ id, normalUrl: id }), 5)
      await webhooks.register(aWebhook({ id: '12', appId: '2', valid: false, nextChallengeAtMs: null }), 5)
      assert.deepEqual(await webhooks.countAll(), { valid: 2, invalid: 1 })
    })

    test('twenty concurrent registrations of one URL leave one', async () => {
      await using it = await opened(flavour)
      const answers = await twentyAtOnce(it.storages, (storage, n) =>
        storage.webhooks.register(aWebhook({ id: `${n}`, normalUrl: 'n' }), 5),
      )
      assert.deepEqual(answers.toSorted(), ['created', ...Array(19).fill('duplicate')])
      assert.equal(await it.storage.webhooks.count('1'), 1)
    })

    test('twenty concurrent registrations never exceed the limit', async () => {
      await using it = await opened(flavour)
      const answers = await twentyAtOnce(it.storages, (storage, n) => storage.webhooks.register(aWebhook({ id: `${n}` }), 5))
      assert.equal(answers.filter((answer) => answer === 'created').length, 5)
      assert.equal(await it.storage.webhooks.count('1'), 5)
    })

    test('webhooks are listed oldest first, for each app', async () => {
      await using it = await openedAlone(flavour)
      const { apps, webhooks } = it.storage
      await apps.insert(anApp({ id: '2' }))
      await webhooks.register(aWebhook({ id: '12', createdAtMs: 2 }), 5)
      await webhooks.register(aWebhook({ id: '11', createdAtMs: 3 }), 5)
      await webhooks.register(aWebhook({ id: '13', createdAtMs: 1 }), 5)
      await webhooks.register(aWebhook({ id: '14', appId: '2' }), 5)
      assert.deepEqual(
        (await webhooks.list('1')).map((webhook) => webhook.id),
        ['13', '12', '11'],
      )
    })

    test('the outcome of a challenge is recorded while the webhook exists', async () => {
      await using it = await openedAlone(flavour)
      const { webhooks } = it.storage
      await webhooks.register(aWebhook(), 5)
      assert.equal(await webhooks.decide('10', 1, FAILED), true)
      assert.deepEqual(
        await webhooks.byId('10'),
        aWebhook({ valid: false, nextChallengeAtMs: null, lastChallenge: { atMs: 70, failure: 'answered 500' } }),
      )
      assert.equal(await webhooks.beginChallenge('11'), undefined)
      assert.equal(await webhooks.decide('11', 1, PASSED), false)
    })

    test('challenges are numbered as they begin, and an older outcome changes nothing after a newer one', async () => {
      await using it = await opened(flavour)
      const { webhooks } = it.storage
      await webhooks.register(aWebhook(), 5)
      const begun = await twentyAtOnce(it.storages, (storage) => storage.webhooks.beginChallenge('10'))
      assert.deepEqual(
        begun.map((challenge) => challenge?.number).sort((one, other) => one! - other!),
        [...Array(20).keys()].map((n) => n + 1),
      )
      assert.equal(await webhooks.decide('10', 7, FAILED), true)
      assert.equal(await webhooks.decide('10', 6, PASSED), true)
      assert.equal((await webhooks.byId('10'))?.valid, false)
      assert.equal(await webhooks.decide('10', 8, PASSED), true)
      const lastChallenge = { atMs: 80, failure: null }
      assert.deepEqual(await webhooks.byId('10'), aWebhook({ nextChallengeAtMs: 1, provenSecretVersion: 2, lastChallenge }))
    })

    test('only a valid webhook is postponed', async () => {
      await using it = await openedAlone(flavour)
      const { webhooks } = it.storage
      await webhooks.register(aWebhook(), 5)
      await webhooks.postpone('10', 6000)
      assert.deepEqual(await webhooks.byId('10'), aWebhook({ nextChallengeAtMs: 6000 }))
      await webhooks.postpone('10', 6001, { atMs: 90, provenSecretVersion: 3 })
      const passed = { atMs: 90, failure: null }
      assert.deepEqual(await webhooks.byId('10'), aWebhook({ nextChallengeAtMs: 6001, provenSecretVersion: 3, lastChallenge: passed }))
      await webhooks.decide('10', 1, FAILED)
      await webhooks.postpone('10', 7000, { atMs: 95 })
      const failed = { atMs: 70, failure: 'answered 500' }
      assert.deepEqual(
        await webhooks.byId('10'),
        aWebhook({ valid: false, nextChallengeAtMs: null, provenSecretVersion: 3, lastChallenge: failed }),
      )
    })

    test('the webhooks of all apps are listed by id, page by page, those of an app or of a state alone too', async () => {
      await using it = await openedAlone(flavour)
      const { webhooks, apps } = it.storage
      await apps.insert(anApp({ id: '2' }))
      await webhooks.register(aWebhook({ id: '13' }), 5)
      await webhooks.register(aWebhook({ id: '11', valid: false, lastChallenge: { atMs: 5, failure: 'answered 404' } }), 5)
      await webhooks.register(aWebhook({ id: '12', appId: '2' }), 5)
      const ids = async (query: Partial<WebhookQuery>) =>
        (await webhooks.listAll({ after: null, limit: 9, ...query })).map((webhook) => webhook.id)
      assert.deepEqual(await ids({}), ['11', '12', '13'])
      assert.deepEqual(await ids({ limit: 2 }), ['11', '12'])
      assert.deepEqual(await ids({ after: '12' }), ['13'])
      assert.deepEqual(await ids({ appId: '1' }), ['11', '13'])
      assert.deepEqual(await ids({ valid: true }), ['12', '13'])
      assert.deepEqual(await ids({ valid: false }), ['11'])
      assert.deepEqual(await ids({ appId: '2', valid: false }), [])
      assert.deepEqual((await webhooks.listAll({ valid: false, after: null, limit: 1 }))[0]?.lastChallenge, {
        atMs: 5,
        failure: 'answered 404',
      })
    })

    test('removal deletes the subscriptions and cancels the running replay', async () => {
      await using it = await openedAlone(flavour)
      const { webhooks, subscriptions, replayJobs } = it.storage
      await webhooks.register(aWebhook(), 5)
      await webhooks.register(aWebhook({ id: '11' }), 5)
      await subscriptions.insert(aSubscription(), 9)
      await subscriptions.insert(aSubscription({ id: '1001', webhookId: '11' }), 9)
      await replayJobs.create(aReplayJob())
      await replayJobs.create(aReplayJob({ id: '501', webhookId: '11' }))

      assert.equal(await webhooks.remove('1', '10'), true)

      assert.equal(await webhooks.byId('10'), undefined)
      assert.deepEqual(
        (await subscriptions.list('1', null, 9)).map((subscription) => subscription.id),
        ['1001'],
      )
      const cancelled = await replayJobs.byId('500')
      assert.equal(cancelled?.state, 'cancelled')
      assert.ok(Math.abs(cancelled.finishedAtMs! - it.clock.now()) < 60_000)
      assert.equal((await replayJobs.byId('501'))?.state, 'running')
    })

    test('the webhook of another app, or none, is not removed', async () => {
      await using it = await openedAlone(flavour)
      const { apps, webhooks, subscriptions } = it.storage
      await apps.insert(anApp({ id: '2' }))
      await webhooks.register(aWebhook(), 5)
      await subscriptions.insert(aSubscription(), 9)
      assert.equal(await webhooks.remove('2', '10'), false)
      assert.equal(await webhooks.remove('1', '11'), false)
      assert.equal(await subscriptions.count('1'), 1)
    })

    test('a removal that fails half way changes nothing', async () => {
      await using it = await openedAlone(flavour, { fresh: true })
      const { webhooks, subscriptions, replayJobs } = it.storage
      await webhooks.register(aWebhook(), 5)
      await subscriptions.insert(aSubscription(), 9)
      await replayJobs.create(aReplayJob())
      if (flavour === 'sqlite')
        await rawRows(it.url, `create trigger refuse before update on replay_jobs begin select raise(abort, 'refused'); end`)
      else await rawRows(it.url, `alter table replay_jobs add constraint refuse check (state <> 'cancelled')`)

      await assert.rejects(webhooks.remove('1', '10'), /refuse/)

      assert.deepEqual(await webhooks.byId('10'), aWebhook())
      assert.equal(await subscriptions.count('1'), 1)
      assert.equal((await replayJobs.byId('500'))?.state, 'running')
    })

    test('of twenty concurrent removals one succeeds, and nothing that was added meanwhile is left', async () => {
      await using it = await opened(flavour)
      await it.storage.webhooks.register(aWebhook(), 5)
      const done = await twentyAtOnce(it.storages, async (storage, n) => {
        const [removed] = await Promise.all([
          storage.webhooks.remove('1', '10'),
          storage.subscriptions.insert(aSubscription({ id: `${n}`, filter: { userId: `${n}` } }), 100),
          storage.replayJobs.create(aReplayJob({ id: `${n}` })),
        ])
        return removed
      })
      assert.equal(done.filter(Boolean).length, 1)
      assert.equal(await it.storage.subscriptions.count('1'), 0)
      assert.deepEqual(await rawRows(it.url, `select id from replay_jobs where state = 'running'`), [])
    })

    test('due webhooks are claimed earliest first and postponed', async () => {
      await using it = await openedAlone(flavour)
      const { webhooks } = it.storage
      await webhooks.register(aWebhook({ id: '11', nextChallengeAtMs: 300 }), 5)
      await webhooks.register(aWebhook({ id: '12', nextChallengeAtMs: 100 }), 5)
      await webhooks.register(aWebhook({ id: '13', nextChallengeAtMs: 200 }), 5)
      await webhooks.register(aWebhook({ id: '14', nextChallengeAtMs: 301 }), 5)

      assert.deepEqual(await webhooks.claimDue(300, 900, 2), [
        aWebhook({ id: '12', nextChallengeAtMs: 900 }),
        aWebhook({ id: '13', nextChallengeAtMs: 900 }),
      ])
      assert.deepEqual(await webhooks.claimDue(300, 900, 9), [aWebhook({ id: '11', nextChallengeAtMs: 900 })])
      assert.deepEqual(await webhooks.claimDue(300, 900, 9), [])
      assert.equal((await webhooks.claimDue(900, 1000, 9)).length, 4)
    })

    test('an invalid webhook is never due', async () => {
      await using it = await openedAlone(flavour)
      const { webhooks } = it.storage
      await webhooks.register(aWebhook(), 5)
      await webhooks.decide('10', 1, FAILED)
      assert.deepEqual(await webhooks.claimDue(1e12, 2e12, 9), [])
      assert.equal(await webhooks.nextDueMs(), undefined)
    })

    test('a challenge due from before the clock was set back is moved into the hour, to its slot', async () => {
      await using it = await openedAlone(flavour)
      const { webhooks } = it.storage
      const [minuteMs, hourMs, nowMs] = [60_000, 3_600_000, 1_800_000_000_123]
      const dueIn = { '11': 10 * minuteMs, '12': hourMs + minuteMs, '13': hourMs + 20 * minuteMs, '14': 400 * 24 * hourMs + 7 }
      for (const [id, ms] of Object.entries(dueIn)) await webhooks.register(aWebhook({ id, nextChallengeAtMs: nowMs + ms }), 5)
      await webhooks.moveIntoHour(nowMs)
      const due = (await webhooks.list('1')).map(({ id, nextChallengeAtMs }) => [id, nextChallengeAtMs! - nowMs])
      assert.deepEqual(Object.fromEntries(due), { '11': 10 * minuteMs, '12': hourMs + minuteMs, '13': 20 * minuteMs, '14': 7 })
    })

    test('any number of challenges from before the clock was set back are moved into the hour', async () => {
      await using it = await openedAlone(flavour)
      const { webhooks } = it.storage
      for (let n = 0; n < 1001; n++) await webhooks.register(aWebhook({ id: `${n}`, nextChallengeAtMs: 7_200_000 + n }), 2000)
      await webhooks.moveIntoHour(0)
      assert.equal((await webhooks.claimDue(3_600_000, 3_700_000, 2000)).length, 1001)
    })

    test('twenty concurrent claims take each due webhook once', async () => {
      await using it = await opened(flavour)
      for (let n = 0; n < 30; n++) await it.storage.webhooks.register(aWebhook({ id: `${n}`, nextChallengeAtMs: n }), 30)
      const claimed = await twentyAtOnce(it.storages, (storage) => storage.webhooks.claimDue(100, 900, 3))
      const ids = claimed.flat().map((webhook) => webhook.id)
      assert.equal(new Set(ids).size, ids.length)
      const rest = await it.storage.webhooks.claimDue(100, 900, 30)
      assert.equal(ids.length + rest.length, 30)
    })

    test('the next due time is the earliest of the valid webhooks', async () => {
      await using it = await openedAlone(flavour)
      const { webhooks } = it.storage
      assert.equal(await webhooks.nextDueMs(), undefined)
      await webhooks.register(aWebhook({ id: '11', nextChallengeAtMs: 300 }), 5)
      await webhooks.register(aWebhook({ id: '12', nextChallengeAtMs: 200 }), 5)
      assert.equal(await webhooks.nextDueMs(), 200)
    })
  })
}
