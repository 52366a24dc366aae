import type { Logger } from 'pino'
import { type Activity, noActivity } from '../../lib/activity.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import { checkedTransitions } from '../../lib/transitions.ts'
import type { Changes } from '../../storage/changes.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { ReplayJob, ReplayJobStore } from '../../storage/replay-jobs.ts'
import { isUnavailable, logUnlessUnavailable } from '../../storage/unavailable.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import type { WorkLease } from '../../storage/work-lease.ts'
import { acknowledged } from '../attempt.ts'
import { type Destinations, isNoDestination } from '../destinations.ts'
import type { Dispatcher } from '../dispatcher.ts'
import { RETRY_DELAY_MS } from '../due-retries.ts'
import { notSentReason } from '../publish.ts'
import type { SignedPost } from '../signed-request.ts'
import { createWindowDelivery } from './deliver-window.ts'

const TRIES = 2

const descriptions = {
  complete: { job_state: 'Complete', job_state_description: 'Job completed successfully' },
  incomplete: { job_state: 'Incomplete', job_state_description: 'Job failed to deliver all events, please retry your replay job' },
} as const

interface ReportOptions {
  jobs: ReplayJobStore
  destinations: Destinations
  post: SignedPost
  isStopped(): boolean
}

/** Sends the signed `replay_job_status` event that ends a job, at most twice (§3); not to an invalid webhook, which receives nothing (§2.1). */
function createReport({ jobs, destinations, post, isStopped }: ReportOptions) {
  return async (job: ReplayJob, state: 'complete' | 'incomplete'): Promise<void> => {
    const status = { webhook_id: job.webhookId, ...descriptions[state], job_id: job.id }
    const body = Buffer.from(JSON.stringify({ replay_job_status: status }))
    for (let made = 0; made < TRIES && !isStopped(); made += 1) {
      const destination = await destinations.load(job.webhookId)
      if (isNoDestination(destination) || notSentReason(destination)) break
      if (acknowledged(await post(destination, body))) break
    }
    if (!isStopped()) await jobs.setReported(job.id)
  }
}

export interface ReplayRunner {
  /** Claims and runs every job that no live process has: new ones, and unfinished ones of a crash from their recorded position. Never rejects; failures are retried. */
  wake(): Promise<void>
  /** Leaves running jobs to the next start. */
  stop(): void
}

interface ReplayOptions {
  jobs: ReplayJobStore
  webhooks: WebhookStore
  /** Announces when another process has ended, which may have left jobs. */
  changes: Changes
  log: EventLog
  dispatcher: Pick<Dispatcher, 'replay'>
  destinations: Destinations
  post: SignedPost
  clock: Clock
  logger: Logger
  worker: number
  livingWorkers: () => Promise<number[]>
  lease: WorkLease
  /** Told of the end of each job. */
  activity?: Activity
}

/**
 * The state of a claimed job in this process.
 *
 * working  its events are being sent, or its status event after it has ended
 * waiting  the database did not answer: the job is read again in a second
 * done     it was reported, cancelled or given up, or is left to another process or to the next start
 */
type Step = 'working' | 'waiting' | 'done'

const transition = checkedTransitions<Step>('a replay job', {
  working: ['waiting', 'done'],
  waiting: ['working', 'done'],
  done: [],
})

/** Runs `work` with the lease, so that other processes take over if this one is frozen. */
async function withLease<T>(lease: WorkLease, work: () => Promise<T>): Promise<T> {
  await lease.begin()
  try {
    return await work()
  } finally {
    lease.end()
  }
}

type Work = (job: ReplayJob) => Promise<void>

/** `work` runs or reports a job. `giveUp` ends it after an error that is not an outage of the database. */
function createWork(options: ReplayOptions, isStopped: () => boolean): { work: Work; giveUp: Work } {
  const { jobs, clock, logger, worker, activity = noActivity } = options
  const deliverWindow = createWindowDelivery({ ...options, isStopped })
  const report = createReport({ ...options, isStopped })

  return {
    async work(job) {
      const state = job.state === 'running' ? await deliverWindow(job) : job.state
      logger.info({ job_id: job.id, webhook_id: job.webhookId, state: state ?? 'stopped' }, 'replay')
      if (state) activity.happened({ kind: 'replay_job', job_id: job.id, webhook_id: job.webhookId, outcome: state })
      if (state === 'complete' || state === 'incomplete') await report(job, state)
    },
    async giveUp(job) {
      if (await jobs.finish(worker, job.id, 'incomplete', job, clock.now())) await report(job, 'incomplete')
    },
  }
}

/** Works on a claimed job until it is done. Never rejects. */
function createJobRunner(options: ReplayOptions, isStopped: () => boolean): Work {
  const { jobs, clock, logger, lease } = options
  const { work, giveUp } = createWork(options, isStopped)

  const tryTo = async (attempt: Work, job: ReplayJob, why: string, otherwise?: Work): Promise<Step> => {
    try {
      await attempt(job)
      return 'done'
    } catch (error) {
      if (isUnavailable(error)) return 'waiting'
      logger.error({ err: error, job_id: job.id }, why)
      return otherwise ? tryTo(otherwise, job, 'could not record the end of a replay job') : 'done'
    }
  }

  /** Reads the job again once the database answers. Undefined if nothing is left to do. */
  const reread = async ({ id }: ReplayJob): Promise<ReplayJob | undefined> => {
    while (!isStopped()) {
      await new Promise<void>((resolve) => void clock.after(RETRY_DELAY_MS, resolve))
      try {
        const found = await jobs.byId(id)
        return found?.reported || isStopped() ? undefined : found
      } catch (error) {
        if (!isUnavailable(error)) throw error
      }
    }
    return undefined
  }

  const runToEnd = async (claimed: ReplayJob) => {
    let job: ReplayJob | undefined = claimed
    let step: Step = isStopped() ? 'done' : 'working'
    while (job && step !== 'done') {
      if (step === 'working') {
        const next: Step = await tryTo((one) => withLease(lease, () => work(one)), job, 'replay job failed', giveUp)
        step = transition(step, next)
        continue
      }
      job = await reread(job)
      step = transition(step, job ? 'working' : 'done')
    }
  }

  return async (job) => {
    const held = Promise.resolve(lease.begin()).then(
      () => true,
      () => false,
    )
    await runToEnd(job).catch((error) => logger.error({ err: error, job_id: job.id }, 'replay job failed'))
    if (await held) lease.end()
  }
}

/**
 * Runs replay jobs (§2.2, §3).
 *
 * running → (every event of the window was tried, at most twice) complete, or incomplete if one was not delivered; one whose user has
 *   revoked the consent is left out
 * running → (the webhook became invalid) incomplete
 * running → (the webhook was deleted) cancelled, by the deletion itself
 * running → (an operator cancels it) cancelled; the page that is being sent ends, and nothing is reported
 * running → (this process was frozen, and another one has claimed the job) run by that process
 * complete, incomplete → (the signed `replay_job_status` event was sent or given up) reported
 *
 * Progress is recorded page by page; a crash repeats at most one page.
 */
export function createReplayRunner(options: ReplayOptions): ReplayRunner {
  const { jobs, changes, clock, logger, worker, livingWorkers, lease } = options
  let stopped = false
  let again: Timer | undefined
  const run = createJobRunner(options, () => stopped)

  const claim = async () => {
    // There are none most of the time: a look needs no lease and no transaction.
    if (!(await jobs.areOpen())) return
    await withLease(lease, async () => {
      for (const job of await jobs.claim(worker, await livingWorkers())) void run(job)
    })
  }

  /** Jobs that cannot be claimed now stay in the database. */
  const wake = async (): Promise<void> => {
    if (stopped) return
    try {
      await claim()
    } catch (error) {
      logUnlessUnavailable(logger, error, 'could not start the pending replay jobs')
      again?.cancel()
      again = clock.after(RETRY_DELAY_MS, () => void wake())
    }
  }

  changes.listen(({ kind }) => kind === 'departure' && void wake())

  return {
    wake,
    stop() {
      stopped = true
    },
  }
}
