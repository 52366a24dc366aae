import { createDueWorker, type DueWorkerOptions } from '../../work/due-worker.ts'
import { CLAIM_MS, type FeedOptions, runFeed } from './feeds/run-feed.ts'
import { createImageWorker } from './images/image-worker.ts'
import { createSetWorker } from './sets/set-worker.ts'

const AT_ONCE = 2

/** Runs scheduled feeds when they are due. */
const createFeedWorker = (options: FeedOptions & Pick<DueWorkerOptions, 'changes' | 'activity'>) => {
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

/** What is done for catalogs in the background: filtered sets, scheduled feeds and images. */
export function createCatalogWork(options: FeedOptions & Pick<DueWorkerOptions, 'changes' | 'activity'>) {
  const workers = [createSetWorker(options), createFeedWorker(options), createImageWorker(options)]
  return {
    start() {
      for (const worker of workers) worker.start()
    },
    /** Ends fetches, which are made again later, and resolves once nothing runs. */
    async stop() {
      const stopping = workers.map((worker) => worker.stop())
      await options.sender.close()
      await Promise.all(stopping)
    },
  }
}
