import { MINUTE_MS } from '../../../../lib/time.ts'
import type { DueWork } from '../../../../storage/due-work.ts'
import { createDueWorker, type DueWorkerOptions } from '../../../work/due-worker.ts'
import { type PublishServices, publishScheduled } from './publish-scheduled.ts'

const AT_ONCE = 1

/** Publishes scheduled posts when they are due. */
export const createScheduledPostWorker = (
  options: PublishServices & { dueScheduledPosts: DueWork } & Pick<DueWorkerOptions, 'changes' | 'clock' | 'logger' | 'activity'>,
) => {
  const { dueScheduledPosts, changes, clock, logger, activity } = options
  return createDueWorker({
    queue: 'scheduled_posts',
    work: dueScheduledPosts,
    changes,
    clock,
    logger,
    activity,
    claimMs: MINUTE_MS,
    atOnce: AT_ONCE,
    run: (claim) => publishScheduled(claim, options),
  })
}
