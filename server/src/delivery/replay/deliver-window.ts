import type { Clock } from '../../lib/clock.ts'
import type { Delivery, EventLog } from '../../storage/event-log.ts'
import type { ReplayJob, ReplayJobStore, ReplayProgress } from '../../storage/replay-jobs.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { CONSENT_REVOKED } from '../consent.ts'
import type { Dispatcher } from '../dispatcher.ts'

/** How many events are read from the log, and recorded as done, together. */
const PAGE = 100
const TRIES = 2

export interface WindowOptions {
  jobs: ReplayJobStore
  webhooks: WebhookStore
  log: EventLog
  dispatcher: Pick<Dispatcher, 'replay'>
  clock: Clock
  worker: number
  isStopped(): boolean
}

/** How a job ended; undefined if it was cancelled, another process has it, or this one stops. */
export type Ended = 'complete' | 'incomplete' | undefined

/** `withheld`: its user has revoked the consent, so that a replay is complete without it. */
type Outcome = 'delivered' | 'failed' | 'withheld'

/** Delivers the events of a job's window, page by page, from its recorded position. Records how it ended. */
export function createWindowDelivery({ jobs, webhooks, log, dispatcher, clock, worker, isStopped }: WindowOptions) {
  const deliver = async (job: ReplayJob, delivery: Delivery): Promise<Outcome> => {
    for (let made = 0; made < TRIES; made += 1) {
      const attempt = await dispatcher.replay(delivery)
      await log.recordReplay(delivery, job.id, attempt)
      if (attempt.outcome === 'delivered') return 'delivered'
      if (attempt.outcome === 'not_sent') return attempt.error === CONSENT_REVOKED ? 'withheld' : 'failed'
    }
    return 'failed'
  }

  /** Rejects once every delivery has ended: the page is sent again then, and not beside its rest. */
  const deliverPage = async (job: ReplayJob, page: readonly Delivery[], before: ReplayProgress): Promise<ReplayProgress> => {
    const delivering = page.map((delivery) => deliver(job, delivery))
    await Promise.allSettled(delivering)
    const outcomes = await Promise.all(delivering)
    const count = (outcome: Outcome) => outcomes.filter((each) => each === outcome).length
    return {
      position: page.at(-1)!.sequence,
      delivered: before.delivered + count('delivered'),
      failed: before.failed + count('failed'),
    }
  }

  const isValid = async ({ webhookId }: ReplayJob) => (await webhooks.byId(webhookId))?.valid ?? false

  return async (job: ReplayJob): Promise<Ended> => {
    let progress: ReplayProgress = { position: job.position, delivered: job.delivered, failed: job.failed }
    // Before anything is sent, also after a failure: another process may have the job by now.
    if (!(await jobs.progress(worker, job.id, progress))) return undefined
    while (!isStopped()) {
      const page = await log.range(job.webhookId, job.fromMs, job.toMs, progress.position, PAGE)
      const continues = page.length > 0 && (await isValid(job))
      if (!continues) {
        const state = page.length === 0 && progress.failed === 0 ? 'complete' : 'incomplete'
        return (await jobs.finish(worker, job.id, state, progress, clock.now())) ? state : undefined
      }
      progress = await deliverPage(job, page, progress)
      if (!(await jobs.progress(worker, job.id, progress))) return undefined
    }
    return undefined
  }
}
