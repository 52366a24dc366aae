import type { ReplayJob, ReplayJobStore } from '../../storage/replay-jobs.ts'
import { acknowledged } from '../attempt.ts'
import { type Directory, isNowhere } from '../directory.ts'
import type { Post } from '../signed-request.ts'

const TRIES = 2

const descriptions = {
  complete: { job_state: 'Complete', job_state_description: 'Job completed successfully' },
  incomplete: { job_state: 'Incomplete', job_state_description: 'Job failed to deliver all events, please retry your replay job' },
} as const

export interface ReportOptions {
  jobs: ReplayJobStore
  directory: Directory
  post: Post
  isStopped(): boolean
}

/** Sends the signed `replay_job_status` event that ends a job, at most twice (§3). */
export function createReport({ jobs, directory, post, isStopped }: ReportOptions) {
  return async (job: ReplayJob, state: 'complete' | 'incomplete'): Promise<void> => {
    const status = { webhook_id: job.webhookId, ...descriptions[state], job_id: job.id }
    const body = Buffer.from(JSON.stringify({ replay_job_status: status }))
    for (let made = 0; made < TRIES && !isStopped(); made += 1) {
      const destination = await directory.load(job.webhookId)
      if (isNowhere(destination) || destination.suspended) break
      if (acknowledged(await post(destination, body))) break
    }
    if (!isStopped()) await jobs.setReported(job.id)
  }
}
