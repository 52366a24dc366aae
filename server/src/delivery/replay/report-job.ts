import type { ReplayJob, ReplayJobStore } from '../../storage/replay-jobs.ts'
import { acknowledged } from '../attempt.ts'
import { type Destinations, isNoDestination } from '../destinations.ts'
import { notSentReason } from '../publish.ts'
import type { SignedPost } from '../signed-request.ts'

const TRIES = 2

const descriptions = {
  complete: { job_state: 'Complete', job_state_description: 'Job completed successfully' },
  incomplete: { job_state: 'Incomplete', job_state_description: 'Job failed to deliver all events, please retry your replay job' },
} as const

export interface ReportOptions {
  jobs: ReplayJobStore
  destinations: Destinations
  post: SignedPost
  isStopped(): boolean
}

/** Sends the signed `replay_job_status` event that ends a job, at most twice (§3); not to an invalid webhook, which receives nothing (§2.1). */
export function createReport({ jobs, destinations, post, isStopped }: ReportOptions) {
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
