import { createDueWorker, type DueWorkerOptions } from '../../../work/due-worker.ts'
import { CLAIM_MS, type FeedOptions, runFeed } from './run-feed.ts'

const AT_ONCE = 2

/** Runs scheduled feeds when they are due. */
export const createFeedWorker = (options: FeedOptions & Pick<DueWorkerOptions, 'changes' | 'activity'>) => {
  const { scheduledFeeds, changes, clock, logger, activity } = options
  return createDueWorker({
    queue: 'scheduled_feeds',
    work: scheduledFeeds,
    changes,
    clock,
    logger,
    activity,
    claimMs: CLAIM_MS,
    atOnce: AT_ONCE,
    run: (claim) => runFeed(claim, options),
  })
}
