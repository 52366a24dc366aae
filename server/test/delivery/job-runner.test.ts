import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { type ClaimableJobs, createJobRunner } from '../../src/delivery/job-runner.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { Changes } from '../../src/storage/changes.ts'
import { DatabaseAway } from '../../src/storage/unavailable.ts'
import { noLease } from '../../src/storage/work-lease.ts'
import { aResendJob, opened } from '../storage/samples.ts'

interface Job {
  id: string
}

interface Does {
  work(): Promise<void>
  giveUp?(): Promise<void>
}

/** A runner of these jobs, as worker 1, which is alone. `work` and `giveUp` do what the test says. */
function stageRunner(jobs: ClaimableJobs<Job>, { work, giveUp = async () => {} }: Does) {
  const clock = createClock()
  const runner = createJobRunner<Job>({
    name: 'job',
    announced: 'resend',
    jobs,
    isFinished: () => false,
    createWork: () => ({ work, giveUp }),
    changes: { listen() {} } as unknown as Changes,
    clock,
    logger: pino({ level: 'silent' }),
    worker: 1,
    livingWorkers: async () => [1],
    lease: noLease,
  })
  return { ...runner, clock }
}

/** A store of one job that never ends. */
const oneJob: ClaimableJobs<Job> = {
  byId: async (id) => ({ id }),
  areOpen: async () => true,
  claim: async (_worker, _living, running) => [{ id: '1' }].filter(({ id }) => !running.includes(id)),
}

test('a job whose claim was committed and not answered is claimed again after a second, and run', async () => {
  await using it = await opened('sqlite')
  const { resendJobs } = it.storage
  await resendJobs.create(aResendJob())
  let claims = 0
  const again = Promise.withResolvers<Job[]>()
  let runs = 0
  const jobs: ClaimableJobs<Job> = {
    ...resendJobs,
    async claim(...asked) {
      const claimed = await resendJobs.claim(...asked)
      claims += 1
      if (claims === 1) throw new DatabaseAway('The answer was lost.')
      again.resolve(claimed)
      return claimed
    },
  }
  const { wake, stop, clock } = stageRunner(jobs, {
    work: async () => {
      runs += 1
    },
  })
  await wake()
  clock.advance(1_000)
  assert.deepEqual(
    (await again.promise).map(({ id }) => id),
    ['500'],
  )
  await turn()
  assert.equal(runs, 1)
  stop()
})

test('a job that runs is not begun again, however often and at once the runner is woken', async () => {
  let runs = 0
  const ended = Promise.withResolvers<void>()
  const { wake, stop } = stageRunner(oneJob, {
    work() {
      runs += 1
      return ended.promise
    },
  })
  await Promise.all([wake(), wake(), wake()])
  await turn()
  await wake()
  assert.equal(runs, 1)
  ended.resolve()
  stop()
})

test('a job whose end cannot be recorded is claimed again after a minute', async () => {
  let runs = 0
  const { wake, stop, clock } = stageRunner(oneJob, {
    work: async () => {
      runs += 1
      throw new Error('broken')
    },
    giveUp: () => Promise.reject(new Error('broken too')),
  })
  await wake()
  await turn()
  clock.advance(59_000)
  await turn()
  assert.equal(runs, 1)
  clock.advance(1_000)
  await turn()
  await turn()
  assert.equal(runs, 2)
  stop()
})
