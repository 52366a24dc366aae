import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { createSemaphore } from '../lib/mutex.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { checkedTransitions } from '../lib/transitions.ts'
import type { Change, Changes } from '../storage/changes.ts'
import { isUnavailable, logUnlessUnavailable } from '../storage/unavailable.ts'
import type { WorkLease } from '../storage/work-lease.ts'
import { RETRY_DELAY_MS } from './due-retries.ts'

/** Delay before a job whose end could not be recorded is claimed again. */
const AGAIN_MS = MINUTE_MS

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
  /**
   * Claims the unfinished jobs that no other live process has, without those in `running`, which this one runs. It may have others: it did
   * not hear that it had claimed them.
   */
  claim(worker: number, livingWorkers: readonly number[], running: readonly string[]): Promise<Job[]>
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
 * left     its end could not be recorded: it is claimed again in a minute
 */
type Step = 'working' | 'waiting' | 'done' | 'left'

const transition = checkedTransitions<Step>('a job', {
  working: ['waiting', 'done', 'left'],
  waiting: ['working', 'done'],
  done: [],
  left: [],
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

/** Works on a claimed job until it is done or left. Never rejects. */
function createRun<Job extends { id: string }>(options: JobRunnerOptions<Job>, isStopped: () => boolean): (job: Job) => Promise<Step> {
  const { name, jobs, isFinished, clock, logger, lease } = options
  const { work, giveUp } = options.createWork(isStopped)

  const tryTo = async (attempt: Work<Job>, job: Job, why: string, otherwise?: Work<Job>): Promise<Step> => {
    try {
      await attempt(job)
      return 'done'
    } catch (error) {
      if (isUnavailable(error)) return 'waiting'
      logger.error({ err: error, job_id: job.id }, why)
      return otherwise ? tryTo(otherwise, job, `could not record the end of a ${name}`) : 'left'
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

  const runToEnd = async (claimed: Job): Promise<Step> => {
    let job: Job | undefined = claimed
    let step: Step = isStopped() ? 'done' : 'working'
    while (job && (step === 'working' || step === 'waiting')) {
      if (step === 'working') {
        const next: Step = await tryTo((one) => withLease(lease, () => work(one)), job, `${name} failed`, giveUp)
        step = transition(step, next)
        continue
      }
      job = await reread(job)
      step = transition(step, job ? 'working' : 'done')
    }
    return step
  }

  return async (job) => {
    const held = Promise.resolve(lease.begin()).then(
      () => true,
      () => false,
    )
    const step = await runToEnd(job).catch((error): Step => {
      logger.error({ err: error, job_id: job.id }, `${name} failed`)
      return 'left'
    })
    if (await held) lease.end()
    return step
  }
}

/** Runs jobs that are kept in the database, each in one process at a time: at the start, when one is made, and when another process has ended. */
export function createJobRunner<Job extends { id: string }>(options: JobRunnerOptions<Job>): JobRunner {
  const { name, announced, jobs, changes, isShared = false, clock, logger, worker, livingWorkers, lease } = options
  let stopped = false
  let again: Timer | undefined
  const run = createRun(options, () => stopped)
  /** The ids of the jobs that this process runs. */
  const running = new Set<string>()
  /** Each claim has to know what the one before it has claimed. */
  const oneAtATime = createSemaphore(1, Number.POSITIVE_INFINITY)

  const begin = async (job: Job) => {
    running.add(job.id)
    const step = await run(job)
    running.delete(job.id)
    if (step === 'left') clock.after(AGAIN_MS, () => void wake())
  }

  const claim = async () => {
    // There are none most of the time: a look needs no lease and no transaction.
    if (!(await jobs.areOpen())) return
    await withLease(lease, async () => {
      for (const job of await jobs.claim(worker, await livingWorkers(), [...running])) void begin(job)
    })
  }

  /** Jobs that cannot be claimed now stay in the database. */
  const wake = async (): Promise<void> => {
    if (stopped) return
    try {
      await oneAtATime(claim)
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
