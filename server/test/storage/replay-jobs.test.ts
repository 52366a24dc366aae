import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { anApp, aReplayJob, aWebhook, openAt, opened, twentyAtOnce } from './samples.ts'

const PROGRESS = { position: 9_007_199_254_740_000, delivered: 3, failed: 1 }

/** A storage with the webhooks '10' and '11' of app '1'. */
async function withWebhooks(flavour: Flavour) {
  const it = await opened(flavour)
  await it.storage.webhooks.register(aWebhook(), 5)
  await it.storage.webhooks.register(aWebhook({ id: '11' }), 5)
  return it
}

for (const flavour of databasesOf(import.meta)) {
  suite(`replay jobs on ${flavour}`, () => {
    test('a job is read as it was created', async () => {
      await using it = await withWebhooks(flavour)
      assert.equal(await it.storage.replayJobs.create(aReplayJob()), 'created')
      assert.deepEqual(await it.storage.replayJobs.byId('500'), aReplayJob())
      assert.equal(await it.storage.replayJobs.byId('501'), undefined)
    })

    test('jobs of all apps are listed newest first, page by page, with who created them', async () => {
      await using it = await withWebhooks(flavour)
      const { apps, webhooks, replayJobs } = it.storage
      await apps.insert(anApp({ id: '2' }))
      await webhooks.register(aWebhook({ id: '12', appId: '2' }), 5)
      const jobs = [
        aReplayJob({ id: '500' }),
        aReplayJob({ id: '501', webhookId: '11', createdBy: 'operator' }),
        aReplayJob({ id: '502', webhookId: '12', appId: '2' }),
      ]
      for (const job of jobs) await replayJobs.create(job)
      assert.deepEqual(await replayJobs.list(null, 9), jobs.toReversed())
      assert.deepEqual(await replayJobs.list(null, 2), [jobs[2], jobs[1]])
      assert.deepEqual(await replayJobs.list('501', 2), [jobs[0]])
    })

    test('a webhook has at most one running job, and any number of ended ones', async () => {
      await using it = await withWebhooks(flavour)
      const { replayJobs } = it.storage
      await replayJobs.create(aReplayJob())
      assert.equal(await replayJobs.create(aReplayJob({ id: '501' })), 'conflict')
      assert.equal(await replayJobs.create(aReplayJob({ id: '502', webhookId: '11' })), 'created')
      await replayJobs.finish(0, '500', 'complete', PROGRESS, 9)
      assert.equal(await replayJobs.create(aReplayJob({ id: '501' })), 'created')
    })

    test('of twenty jobs created concurrently for one webhook, one runs', async () => {
      await using it = await withWebhooks(flavour)
      const answers = await twentyAtOnce(it.storages, (storage, n) => storage.replayJobs.create(aReplayJob({ id: `${n}` })))
      assert.deepEqual(answers.toSorted(), [...Array(19).fill('conflict'), 'created'])
    })

    test('no job is created for a webhook that does not exist or belongs to another app', async () => {
      await using it = await withWebhooks(flavour)
      const { apps, webhooks, replayJobs } = it.storage
      await apps.insert(anApp({ id: '2' }))
      await webhooks.remove('1', '10')
      assert.equal(await replayJobs.create(aReplayJob()), 'no-webhook')
      assert.equal(await replayJobs.create(aReplayJob({ appId: '2', webhookId: '11' })), 'no-webhook')
    })

    test('progress and an end are recorded while the job runs', async () => {
      await using it = await withWebhooks(flavour)
      const { replayJobs } = it.storage
      await replayJobs.create(aReplayJob())
      assert.equal(await replayJobs.progress(0, '500', PROGRESS), true)
      assert.deepEqual(await replayJobs.byId('500'), aReplayJob(PROGRESS))
      const last = { ...PROGRESS, delivered: 5 }
      assert.equal(await replayJobs.finish(0, '500', 'incomplete', last, 77), true)
      assert.deepEqual(await replayJobs.byId('500'), aReplayJob({ ...last, state: 'incomplete', finishedAtMs: 77 }))
      assert.equal(await replayJobs.progress(0, '500', PROGRESS), false)
      assert.equal(await replayJobs.finish(0, '500', 'complete', PROGRESS, 78), false)
    })

    test('a cancelled job accepts no progress and no other end', async () => {
      await using it = await withWebhooks(flavour)
      const { webhooks, replayJobs } = it.storage
      await replayJobs.create(aReplayJob())
      await webhooks.remove('1', '10')
      assert.equal(await replayJobs.progress(0, '500', PROGRESS), false)
      assert.equal(await replayJobs.finish(0, '500', 'complete', PROGRESS, 78), false)
      assert.equal((await replayJobs.byId('500'))?.state, 'cancelled')
    })

    test('of twenty concurrent ends, one is recorded', async () => {
      await using it = await withWebhooks(flavour)
      await it.storage.replayJobs.create(aReplayJob())
      const done = await twentyAtOnce(it.storages, (storage, n) => storage.replayJobs.finish(0, '500', 'complete', PROGRESS, n))
      assert.equal(done.filter(Boolean).length, 1)
    })

    test('a job is claimed once, oldest first, and only if no live process has it', async () => {
      await using it = await withWebhooks(flavour)
      const { replayJobs } = it.storage
      const [older, newer] = [aReplayJob({ id: '502', createdAtMs: 1 }), aReplayJob({ id: '501', webhookId: '11', createdAtMs: 2 })]
      await replayJobs.create(newer)
      await replayJobs.create(older)
      assert.deepEqual(await replayJobs.claim(7, [7, 8], []), [older, newer])
      assert.deepEqual(await replayJobs.claim(7, [7, 8], ['502', '501']), [])
      assert.deepEqual(await replayJobs.claim(7, [7, 8], ['502']), [newer], 'it has that job and does not run it')
      assert.deepEqual(await replayJobs.claim(8, [7, 8], []), [])
      assert.deepEqual(await replayJobs.claim(8, [8], []), [older, newer])
    })

    test('an ended job can be claimed until it is reported, also by the next process', async () => {
      await using it = await withWebhooks(flavour)
      const { replayJobs } = it.storage
      await replayJobs.create(aReplayJob())
      await replayJobs.finish(0, '500', 'complete', PROGRESS, 9)
      assert.equal((await replayJobs.claim(7, [7], [])).length, 1)
      assert.equal((await replayJobs.claim(8, [8], [])).length, 1)
      await replayJobs.setReported('500')
      assert.deepEqual(await replayJobs.claim(9, [9], []), [])
      assert.equal((await replayJobs.byId('500'))?.reported, true)
    })

    test('after a webhook was deleted it has no job to claim', async () => {
      await using it = await withWebhooks(flavour)
      const { webhooks, replayJobs } = it.storage
      await replayJobs.create(aReplayJob())
      await replayJobs.finish(0, '500', 'complete', PROGRESS, 9)
      await replayJobs.create(aReplayJob({ id: '501' }))
      await webhooks.remove('1', '10')
      assert.deepEqual(await replayJobs.claim(7, [7], []), [])
    })

    test('twenty processes that claim concurrently get each job once', async () => {
      await using it = await opened(flavour)
      for (let n = 0; n < 30; n++) await it.storage.webhooks.register(aWebhook({ id: `${n}` }), 30)
      for (let n = 0; n < 30; n++) await it.storage.replayJobs.create(aReplayJob({ id: `${n}`, webhookId: `${n}` }))
      const everyone = Array.from({ length: 20 }, (_, n) => n)
      const claimed = await twentyAtOnce(it.storages, (storage, n) => storage.replayJobs.claim(n, everyone, []))
      assert.deepEqual(new Set(claimed.flat().map((job) => job.id)).size, 30)
      assert.equal(claimed.flat().length, 30)
    })

    test('the jobs of a dead process can be claimed by the next one with its number', async () => {
      await using it = await withWebhooks(flavour)
      const { worker, replayJobs } = it.storage
      await replayJobs.create(aReplayJob())
      await replayJobs.claim(worker, [worker], [])
      await it.storage.close()
      const next = await openAt(it.url)
      assert.equal(next.worker, worker)
      assert.deepEqual(await next.replayJobs.claim(worker, [worker], []), [aReplayJob()])
      await next.close()
    })
  })
}
