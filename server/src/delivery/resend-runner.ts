import type { AppStore } from '../storage/apps.ts'
import type { ResendJob, ResendJobStore, ResendProgress } from '../storage/resend-jobs.ts'
import type { WebhookStore } from '../storage/webhooks.ts'
import type { Dispatcher } from './dispatcher.ts'
import { createJobRunner, type JobRunner, type JobRunnerBase } from './job-runner.ts'
import type { Resender } from './resend.ts'
import { resendToAll, webhookInPart } from './resend-to-all.ts'

/** How often a job looks whether the lane of its webhook has room again. */
const LOOK_MS = 250

interface ResendRunnerOptions extends JobRunnerBase {
  jobs: ResendJobStore
  webhooks: WebhookStore
  apps: AppStore
  resender: Resender
  dispatcher: Pick<Dispatcher, 'takeDue' | 'isSkipped'>
}

/**
 * Runs the resend job: page by page, webhook by webhook.
 *
 * running → (every webhook was walked) complete
 * running → (an operator cancels it) cancelled, after the page that is being opened again
 * running → (this process was frozen, and another one has claimed the job) run by that process
 *
 * It makes deliveries due in the log, at most 1,000 a page, and waits before the next page until the lanes have taken what they may hold. Of
 * a webhook with more than a page it waits until they have taken all: what is due and not taken is passed over by each look for what is due
 * of others. So it holds nothing in memory, and what it resends has the turns of retries beside live deliveries. Progress is recorded after
 * each page. A crash repeats at most one, of which only what has ended again is sent twice.
 */
export function createResendRunner(options: ResendRunnerOptions): JobRunner {
  const { jobs, worker, clock, logger, dispatcher } = options

  /** Waits until the lanes have taken what they may hold, and of the webhook that is walked in part all that is due. Returns whether that took a while. */
  const waitForLanes = async (next: string, isStopped: () => boolean): Promise<boolean> => {
    const webhookId = webhookInPart(next)
    let hasWaited = false
    await dispatcher.takeDue()
    while (webhookId !== undefined && dispatcher.isSkipped(webhookId) && !isStopped()) {
      hasWaited = true
      await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve, { isUpkeep: true }))
      if (!dispatcher.isSkipped(webhookId)) await dispatcher.takeDue()
    }
    return hasWaited
  }

  const runJob = async (job: ResendJob, isStopped: () => boolean): Promise<void> => {
    const { id, appId, eventType, states, fromMs, toMs } = job
    const filter = { states, fromMs, toMs, eventType: eventType ?? undefined }
    let progress: ResendProgress = { place: job.place, resent: job.resent, refused: job.refused }
    // Before anything is sent, also after a failure: another process may have the job by now.
    let isOwn = await jobs.progress(worker, id, progress)
    while (isOwn && !isStopped()) {
      const { webhooks, next } = await resendToAll({ appId: appId ?? undefined, filter, after: progress.place ?? undefined }, options)
      const sumOf = (isRefused: boolean) =>
        webhooks.reduce((sum, { count, refusal }) => sum + ((refusal !== undefined) === isRefused ? count : 0), 0)
      progress = {
        place: next ?? progress.place,
        resent: progress.resent + sumOf(false),
        refused: progress.refused + sumOf(true),
      }
      if (next === undefined) {
        if (await jobs.finish(worker, id, 'complete', progress, clock.now())) logger.info({ job_id: id, ...progress }, 'resend job ended')
        return
      }
      isOwn = await jobs.progress(worker, id, progress)
      // Meanwhile it may have been cancelled.
      if (isOwn && (await waitForLanes(next, isStopped))) isOwn = await jobs.progress(worker, id, progress)
    }
  }

  return createJobRunner<ResendJob>({
    ...options,
    name: 'resend job',
    announced: 'resend',
    isFinished: ({ state }) => state !== 'running',
    createWork: (isStopped) => ({
      work: (job) => runJob(job, isStopped),
      async giveUp(job) {
        const { place, resent, refused } = (await jobs.byId(job.id)) ?? job
        await jobs.finish(worker, job.id, 'incomplete', { place, resent, refused }, clock.now())
      },
    }),
  })
}
