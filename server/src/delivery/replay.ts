import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import type { Changes } from '../storage/changes.ts'
import type { Attempt, Delivery, EventLog } from '../storage/event-log.ts'
import type { ReplayJob, ReplayJobStore, ReplayProgress } from '../storage/replay-jobs.ts'
import { isUnavailable, logUnlessUnavailable } from '../storage/unavailable.ts'
import type { WebhookStore } from '../storage/webhooks.ts'
import type { WorkLease } from '../storage/work-lease.ts'
import { acknowledged } from './attempt.ts'
import { type Directory, isNowhere } from './directory.ts'
import type { Dispatcher } from './dispatcher.ts'
import { AGAIN_MS } from './due-retries.ts'
import type { Post } from './signed-request.ts'

/** How many events are read from the log, and recorded as done, at once. */
const PAGE = 100
const TRIES = 2

export interface ReplayRunner {
  /** Takes up every job that no living process works on: new ones, and after a crash unfinished ones where they were. Never rejects: what fails is tried again. */
  wake(): Promise<void>
  /** Leaves running jobs to the next start. */
  stop(): void
}

export interface ReplayOptions {
  jobs: ReplayJobStore
  webhooks: WebhookStore
  /** Says when another process has gone, which may have left jobs. */
  changes: Changes
  log: EventLog
  dispatcher: Pick<Dispatcher, 'replay'>
  directory: Directory
  post: Post
  clock: Clock
  logger: Logger
  worker: number
  livingWorkers: () => Promise<number[]>
  lease: WorkLease
}

const descriptions = {
  complete: { job_state: 'Complete', job_state_description: 'Job completed successfully' },
  incomplete: { job_state: 'Incomplete', job_state_description: 'Job failed to deliver all events, please retry your replay job' },
} as const

/**
 * Runs replay jobs (§2.2, §3).
 *
 * running → every event of the window was tried, at most twice → complete, or incomplete when one was not delivered
 * running → the webhook turned invalid                          → incomplete
 * running → the webhook was deleted                             → cancelled (by the deletion itself)
 * running → this process was frozen, and another has claimed it → that one's
 * complete, incomplete → the signed `replay_job_status` event was sent or given up → reported
 *
 * Progress is recorded page by page; a crash repeats at most one page.
 */
export function createReplayRunner(options: ReplayOptions): ReplayRunner {
  const { jobs, webhooks, changes, log, dispatcher, directory, post, clock, logger, worker, livingWorkers, lease } = options
  let stopped = false

  const deliver = async (job: ReplayJob, delivery: Delivery): Promise<boolean> => {
    for (let made = 0; made < TRIES; made += 1) {
      const attempt: Attempt = await dispatcher.replay(delivery)
      await log.recordReplay(delivery.sequence, delivery.webhookId, job.id, attempt)
      if (attempt.outcome === 'delivered') return true
      if (attempt.outcome === 'not_sent') return false
    }
    return false
  }

  const deliverPage = async (job: ReplayJob, page: readonly Delivery[], before: ReplayProgress): Promise<ReplayProgress> => {
    const outcomes = await Promise.all(page.map((delivery) => deliver(job, delivery)))
    const delivered = outcomes.filter(Boolean).length
    return {
      position: page.at(-1)!.sequence,
      delivered: before.delivered + delivered,
      failed: before.failed + outcomes.length - delivered,
    }
  }

  const stillAsValid = async (job: ReplayJob, wasValid: boolean) => {
    const webhook = await webhooks.byId(job.webhookId)
    return webhook !== undefined && (webhook.valid || !wasValid)
  }

  /** The window, page by page; undefined when the job was cancelled meanwhile. */
  const deliverAll = async (job: ReplayJob): Promise<'complete' | 'incomplete' | undefined> => {
    const wasValid = (await webhooks.byId(job.webhookId))?.valid ?? false
    let progress: ReplayProgress = { position: job.position, delivered: job.delivered, failed: job.failed }
    while (!stopped) {
      const page = await log.range(job.webhookId, job.fromMs, job.toMs, progress.position, PAGE)
      const goesOn = page.length > 0 && (await stillAsValid(job, wasValid))
      if (!goesOn) {
        const state = page.length === 0 && progress.failed === 0 ? 'complete' : 'incomplete'
        return (await jobs.finish(worker, job.id, state, progress, clock.now())) ? state : undefined
      }
      progress = await deliverPage(job, page, progress)
      if (!(await jobs.progress(worker, job.id, progress))) return undefined
    }
    return undefined
  }

  const report = async (job: ReplayJob, state: 'complete' | 'incomplete') => {
    const status = { webhook_id: job.webhookId, ...descriptions[state], job_id: job.id }
    const body = Buffer.from(JSON.stringify({ replay_job_status: status }))
    for (let made = 0; made < TRIES && !stopped; made += 1) {
      const destination = await directory.load(job.webhookId)
      if (isNowhere(destination) || destination.suspended) break
      if (acknowledged(await post(destination, body))) break
    }
    if (!stopped) await jobs.setReported(job.id)
  }

  const work = async (job: ReplayJob) => {
    const state = job.state === 'running' ? await deliverAll(job) : job.state
    logger.info({ job_id: job.id, webhook_id: job.webhookId, state: state ?? 'stopped' }, 'replay')
    if (state === 'complete' || state === 'incomplete') await report(job, state)
  }

  /** Others take the work over when this process is frozen meanwhile. */
  const leased = async (step: () => Promise<void>) => {
    await lease.begin()
    try {
      await step()
    } finally {
      lease.end()
    }
  }

  /** True when the job need not be tried again. */
  const attempt = async (job: ReplayJob): Promise<boolean> => {
    try {
      await leased(() => work(job))
      return true
    } catch (error) {
      return isUnavailable(error) ? false : giveUp(job, error)
    }
  }

  const giveUp = async (job: ReplayJob, error: unknown): Promise<boolean> => {
    logger.error({ err: error, job_id: job.id }, 'a replay cannot go on')
    try {
      if (await jobs.finish(worker, job.id, 'incomplete', job, clock.now())) await report(job, 'incomplete')
      return true
    } catch (failure) {
      if (isUnavailable(failure)) return false
      logger.error({ err: failure, job_id: job.id }, 'a replay cannot be ended')
      return true
    }
  }

  const pause = () => new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve))

  /** Where the job was when that was last recorded, once the database answers; undefined when it needs no more work. */
  const reread = async (job: ReplayJob): Promise<ReplayJob | undefined> => {
    while (!stopped) {
      await pause()
      try {
        const found = await jobs.byId(job.id)
        return found?.reported ? undefined : found
      } catch (error) {
        if (!isUnavailable(error)) throw error
      }
    }
    return undefined
  }

  /** Never rejects: while the database is away the job waits, and one that cannot be worked on for any other reason ends. */
  const run = async (job: ReplayJob): Promise<void> => {
    const held = Promise.resolve(lease.begin()).then(
      () => true,
      () => false,
    )
    try {
      for (let next: ReplayJob | undefined = job; next && !stopped; next = await reread(job)) if (await attempt(next)) break
    } catch (error) {
      logger.error({ err: error, job_id: job.id }, 'a replay cannot go on')
    }
    if (await held) lease.end()
  }

  const claim = () =>
    leased(async () => {
      for (const job of await jobs.claim(worker, await livingWorkers())) void run(job)
    })

  let again: Timer | undefined

  /** What is there stays until somebody takes it. */
  const wake = async (): Promise<void> => {
    if (stopped) return
    try {
      await claim()
    } catch (error) {
      logUnlessUnavailable(logger, error, 'replays could not be taken up')
      again?.cancel()
      again = clock.after(AGAIN_MS, () => void wake())
    }
  }

  changes.listen(({ kind }) => kind === 'departure' && void wake())

  const stop = () => {
    stopped = true
  }

  return { wake, stop }
}
