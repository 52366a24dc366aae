import type { Changes } from '../../../../storage/changes.ts'
import { createDueWorker } from '../../../work/due-worker.ts'
import { CLAIM_MS, type FeedOptions, runFeed } from './run-feed.ts'

const AT_ONCE = 2

/** Runs scheduled feeds when they are due. */
export const createFeedWorker = (options: FeedOptions & { changes: Changes }) => {
  const { scheduledFeeds, changes, clock, logger } = options
  return createDueWorker({
    ...{ queue: 'scheduled_feeds', work: scheduledFeeds, changes, clock, logger, claimMs: CLAIM_MS, atOnce: AT_ONCE },
    run: (claim) => runFeed(claim, options),
  })
}
