import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { aResendJob, opened, twentyAtOnce } from './samples.ts'

const PROGRESS = { place: '10.9007199254740000', resent: 3, refused: 1 }

for (const flavour of databasesOf(import.meta)) {
  suite(`resend jobs on ${flavour}`, () => {
    test('a job is read as it was created, and listed newest first, page by page', async () => {
      await using it = await opened(flavour)
      const { resendJobs } = it.storage
      const first = aResendJob({ id: '501', appId: '1', eventType: 'dm.received', states: ['delivered'] })
      assert.equal(await resendJobs.create(first), true)
      assert.deepEqual(await resendJobs.byId('501'), first)
      assert.equal(await resendJobs.byId('502'), undefined)
      await resendJobs.finish(0, '501', 'complete', PROGRESS, 7)
      await resendJobs.create(aResendJob({ id: '502' }))
      const ended = { ...first, ...PROGRESS, state: 'complete', finishedAtMs: 7 }
      assert.deepEqual(await resendJobs.list(null, 9), [aResendJob({ id: '502' }), ended])
      assert.deepEqual(await resendJobs.list('502', 9), [ended])
    })

    test('of twenty jobs created concurrently one runs, and once it has ended the next may', async () => {
      await using it = await opened(flavour)
      const { resendJobs } = it.storage
      assert.equal(await resendJobs.areOpen(), false)
      const created = await twentyAtOnce(it.storages, (storage, n) => storage.resendJobs.create(aResendJob({ id: `${n + 10}` })))
      assert.equal(created.filter(Boolean).length, 1)
      assert.equal(await resendJobs.areOpen(), true)
      const [job] = await resendJobs.list(null, 9)
      assert.equal(await resendJobs.cancel(job!.id, 7), true)
      assert.equal(await resendJobs.areOpen(), false)
      assert.equal(await resendJobs.create(aResendJob()), true)
    })

    test('progress and an end are recorded while the job runs, and nothing once it was cancelled', async () => {
      await using it = await opened(flavour)
      const { resendJobs } = it.storage
      await resendJobs.create(aResendJob())
      assert.equal(await resendJobs.progress(0, '500', PROGRESS), true)
      assert.deepEqual(await resendJobs.byId('500'), aResendJob(PROGRESS))
      assert.equal(await resendJobs.cancel('500', 77), true)
      assert.equal(await resendJobs.cancel('500', 78), false)
      assert.equal(await resendJobs.progress(0, '500', { ...PROGRESS, resent: 9 }), false)
      assert.equal(await resendJobs.finish(0, '500', 'complete', PROGRESS, 79), false)
      assert.deepEqual(await resendJobs.byId('500'), aResendJob({ ...PROGRESS, state: 'cancelled', finishedAtMs: 77 }))
    })

    test('a job is claimed by one of twenty processes, by another once that is dead, and then the first records nothing', async () => {
      await using it = await opened(flavour)
      const { resendJobs } = it.storage
      await resendJobs.create(aResendJob())
      const everyone = Array.from({ length: 20 }, (_, n) => n)
      const claimed = await twentyAtOnce(it.storages, (storage, n) => storage.resendJobs.claim(n, everyone, []))
      assert.deepEqual(claimed.flat(), [aResendJob()])
      const first = claimed.findIndex((jobs) => jobs.length > 0)
      assert.equal(await resendJobs.progress(first, '500', PROGRESS), true)
      const living = everyone.filter((n) => n !== first)
      const next = living[0]!
      assert.deepEqual(await resendJobs.claim(next, living, []), [aResendJob(PROGRESS)])
      assert.deepEqual(await resendJobs.claim(next, living, ['500']), [])
      assert.deepEqual(await resendJobs.claim(next, living, []), [aResendJob(PROGRESS)], 'it has the job and does not run it')
      assert.equal(await resendJobs.progress(first, '500', { ...PROGRESS, resent: 9 }), false)
      assert.equal(await resendJobs.finish(first, '500', 'incomplete', PROGRESS, 7), false)
      assert.equal(await resendJobs.finish(next, '500', 'complete', PROGRESS, 8), true)
      assert.deepEqual(await resendJobs.claim(next, living, []), [])
    })
  })
}
