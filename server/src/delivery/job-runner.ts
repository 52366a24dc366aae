import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { checkedTransitions } from '../lib/transitions.ts'
import type { Change, Changes } from '../storage/changes.ts'
import { isUnavailable, logUnlessUnavailable } from '../storage/unavailable.ts'
import type { WorkLease } from '../storage/work-lease.ts'
import { RETRY_DELAY_MS } from './due-retries.ts'

export interface JobRunner {
  /** Claims and runs every job that no live process has: new ones, and unfinished ones of a crash from their recorded position. Never rejects; failures are retried. */
  wake(): Promise<void>
  /** Leaves running jobs to the next start. */
  stop(): void
}

/** Jobs in the database: each belongs to one process at a time. */
export interface ClaimableJobs<Job> {
  byId(id: string): Promise<Job | undefined>
  /** Whether there are unfinished jobs, of any process. */
  areOpen(): Promise<boolean>
  /** Claims the unfinished jobs that no live process has. */
  claim(worker: number, livingWorkers: readonly number[]): Promise<Job[]>
}

/** What running jobs of any kind takes. */
export interface JobRunnerBase {
  /** Announces when another process has ended, which may have left jobs, and new jobs. */
  changes: Changes
  /** Another process may make jobs for this one. */
  isShared?: boolean
  clock: Clock
  logger: Logger
  worker: number
  livingWorkers: () => Promise<number[]>
  lease: WorkLease
}

type Work<Job> = (job: Job) => Promise<void>

interface JobRunnerOptions<Job> extends JobRunnerBase {
  /** What the log calls a job. */
  name: string
  /** The change that announces a new job. */
  announced: Change['kind']
  jobs: ClaimableJobs<Job>
  isFinished(job: Job): boolean
  /** `work` runs a job from its recorded position. `giveUp` ends it after an error that is not an outage of the database. */
  createWork(isStopped: () => boolean): { work: Work<Job>; giveUp: Work<Job> }
}

/**
 * The state of a claimed job in this process.
 *
 * working  it is being worked on
 * waiting  the database did not answer: the job is read again in a second
 * done     it is finished, was cancelled or given up, or is left to another process or to the next start
 */
type Step = 'working' | 'waiting' | 'done'

const transition = checkedTransitions<Step>('a job', {
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

/** Works on a claimed job until it is done. Never rejects. */
function createRun<Job extends { id: string }>(options: JobRunnerOptions<Job>, isStopped: () => boolean): Work<Job> {
  const { name, jobs, isFinished, clock, logger, lease } = options
  const { work, giveUp } = options.createWork(isStopped)

  const tryTo = async (attempt: Work<Job>, job: Job, why: string, otherwise?: Work<Job>): Promise<Step> => {
    try {
      await attempt(job)
      return 'done'
    } catch (error) {
      if (isUnavailable(error)) return 'waiting'
      logger.error({ err: error, job_id: job.id }, why)
      return otherwise ? tryTo(otherwise, job, `could not record the end of a ${name}`) : 'done'
    }
  }

  /** Reads the job again once the database answers. Undefined if nothing is left to do. */
  const reread = async ({ id }: Job): Promise<Job | undefined> => {
    while (!isStopped()) {
      await new Promise<void>((resolve) => void clock.after(RETRY_DELAY_MS, resolve))
      try {
        const found = await jobs.byId(id)
        return !found || isFinished(found) || isStopped() ? undefined : found
      } catch (error) {
        if (!isUnavailable(error)) throw error
      }
    }
    return undefined
  }

  const runToEnd = async (claimed: Job) => {
    let job: Job | undefined = claimed
    let step: Step = isStopped() ? 'done' : 'working'
    while (job && step !== 'done') {
      if (step === 'working') {
        const next: Step = await tryTo((one) => withLease(lease, () => work(one)), job, `${name} failed`, giveUp)
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
    await runToEnd(job).catch((error) => logger.error({ err: error, job_id: job.id }, `${name} failed`))
    if (await held) lease.end()
  }
}

/** Runs jobs that are kept in the database, each in one process at a time: at the start, when one is made, and when another process has ended. */
export function createJobRunner<Job extends { id: string }>(options: JobRunnerOptions<Job>): JobRunner {
  const { name, announced, jobs, changes, isShared = false, clock, logger, worker, livingWorkers, lease } = options
  let stopped = false
  let again: Timer | undefined
  const run = createRun(options, () => stopped)

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
      logUnlessUnavailable(logger, error, `could not start the pending ${name}s`)
      again?.cancel()
      again = clock.after(RETRY_DELAY_MS, () => void wake())
    }
  }

  changes.listen(({ kind }) => (kind === 'departure' || (isShared && kind === announced)) && void wake())

  return {
    wake,
    stop() {
      stopped = true
    },
  }
}
