import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createResendRunner } from '../../src/delivery/resend-runner.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { App, AppStore } from '../../src/storage/apps.ts'
import type { Changes } from '../../src/storage/changes.ts'
import type { ResendJob, ResendJobStore, ResendProgress } from '../../src/storage/resend-jobs.ts'
import type { Webhook, WebhookStore } from '../../src/storage/webhooks.ts'
import type { WorkLease } from '../../src/storage/work-lease.ts'
import { aResendJob } from '../storage/samples.ts'

interface Stage {
  job?: Partial<ResendJob>
  /** What each page makes due, and where the next begins. A failure is thrown. */
  pages: readonly ({ count: number; next: number | undefined } | Error)[]
  /** Whether the process may still record progress, by the number of earlier records. */
  holds?: (records: number) => boolean
  /** Whether the app is suspended. */
  suspended?: boolean
  /** How often the lane of the webhook is found full. */
  full?: number
}

/** Runs a job of the one webhook '10' until it ends or is left; tells from where its pages began, and what was recorded. */
async function run({ job = {}, pages, holds = () => true, suspended = false, full = 0 }: Stage) {
  const began: (number | undefined)[] = []
  const recorded: ResendProgress[] = []
  let state: string | undefined
  let isClaimed = false
  let taken = 0
  const left = Promise.withResolvers<void>()
  let leases = 0
  let leftFull = full
  let waits = 0
  const latest = () => ({ ...aResendJob(job), ...recorded.at(-1) })
  const jobs: Partial<ResendJobStore> = {
    areOpen: async () => true,
    async claim() {
      isClaimed = true
      return [aResendJob(job)]
    },
    byId: async () => latest(),
    async progress(_worker, _id, progress) {
      if (!holds(recorded.length)) return false
      recorded.push(progress)
      return true
    },
    async finish(_worker, _id, ending, progress) {
      state = ending
      recorded.push(progress)
      return true
    },
  }
  const webhook = { id: '10', appId: '1', valid: true } as Webhook
  const runner = createResendRunner({
    jobs: jobs as ResendJobStore,
    webhooks: {
      byId: async () => webhook,
      listAll: async ({ after }: { after: string | null }) => (after === null ? [webhook] : []),
    } as unknown as WebhookStore,
    apps: { byId: async () => ({ suspended }) as App } as unknown as AppStore,
    resender: {
      one: async () => undefined,
      async matching({ after }) {
        const page = pages[began.length]!
        began.push(after)
        if (page instanceof Error) throw page
        return page
      },
    },
    dispatcher: {
      async takeDue() {
        taken += 1
      },
      isSkipped() {
        leftFull -= 1
        return leftFull >= 0
      },
    },
    changes: { listen() {} } as unknown as Changes,
    clock: {
      ...createClock(),
      after(_ms, run) {
        waits += 1
        setImmediate(run)
        return { cancel() {} }
      },
    },
    logger: pino({ enabled: false }),
    worker: 1,
    livingWorkers: async () => [1],
    lease: {
      async begin() {
        leases += 1
      },
      end() {
        leases -= 1
        if (leases === 0 && isClaimed) left.resolve()
      },
    } as unknown as WorkLease,
  })
  await runner.wake()
  await left.promise
  runner.stop()
  return { state, began, recorded, taken, waits }
}

test('a job goes page by page, waits for the lanes between them, and records where it is', async () => {
  const { state, recorded, taken } = await run({
    pages: [
      { count: 1000, next: 7 },
      { count: 5, next: undefined },
    ],
  })
  assert.equal(state, 'complete')
  assert.deepEqual(
    recorded.map(({ resent }) => resent),
    [0, 1000, 1005],
  )
  assert.match(recorded[1]!.place!, /^10\.\d+$/)
  assert.equal(taken, 1)
})

test('a job waits while the lane of the webhook that it walks is full, and then looks whether it is still its own', async () => {
  const pages = [
    { count: 1000, next: 7 },
    { count: 1000, next: 9 },
    { count: 5, next: undefined },
  ]
  const { state, began, waits } = await run({ pages, full: 3 })
  assert.deepEqual([state, began.length, waits], ['complete', 3, 2])
  const cancelled = await run({ pages, full: 3, holds: (records) => records < 2 })
  assert.deepEqual([cancelled.state, cancelled.began.length], [undefined, 1])
})

test('a job that another process left goes on from its place, with its counts', async () => {
  const first = await run({
    pages: [
      { count: 1000, next: 7 },
      { count: 0, next: undefined },
    ],
  })
  const { place } = first.recorded[1]!
  const { began, recorded } = await run({ job: { place, resent: 1000 }, pages: [{ count: 5, next: undefined }] })
  assert.deepEqual(began, [7])
  assert.equal(recorded.at(-1)!.resent, 1005)
})

test('a job that is cancelled, or that another process has, ends after its page', async () => {
  const { state, began } = await run({ pages: [{ count: 1000, next: 7 }], holds: (records) => records < 1 })
  assert.deepEqual([state, began.length], [undefined, 1])
  assert.deepEqual((await run({ pages: [], holds: () => false })).began, [], 'nothing is sent before it is known whose the job is')
})

test('what a suspended app has is counted alone', async () => {
  const { state, recorded } = await run({ pages: [{ count: 3, next: undefined }], suspended: true })
  assert.deepEqual([state, recorded.at(-1)!.resent, recorded.at(-1)!.refused], ['complete', 0, 3])
})

test('an unexpected error ends the job as incomplete, with what it has recorded', async () => {
  const { state, recorded } = await run({ pages: [{ count: 1000, next: 7 }, new Error('broken')] })
  assert.deepEqual([state, recorded.at(-1)!.resent], ['incomplete', 1000])
})
