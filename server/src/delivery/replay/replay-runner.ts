import { type Activity, noActivity } from '../../lib/activity.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { ReplayJob, ReplayJobStore } from '../../storage/replay-jobs.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { acknowledged } from '../attempt.ts'
import { type Destinations, isNoDestination } from '../destinations.ts'
import type { Dispatcher } from '../dispatcher.ts'
import { createJobRunner, type JobRunner, type JobRunnerBase } from '../job-runner.ts'
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

interface ReplayOptions extends JobRunnerBase {
  jobs: ReplayJobStore
  webhooks: WebhookStore
  log: EventLog
  dispatcher: Pick<Dispatcher, 'replay'>
  destinations: Destinations
  post: SignedPost
  /** Told of the end of each job. */
  activity?: Activity
}

type Work = (job: ReplayJob) => Promise<void>

/** `work` runs or reports a job. */
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
export const createReplayRunner = (options: ReplayOptions): JobRunner =>
  createJobRunner<ReplayJob>({
    ...options,
    name: 'replay job',
    announced: 'replay',
    isFinished: ({ reported }) => reported,
    createWork: (isStopped) => createWork(options, isStopped),
  })
