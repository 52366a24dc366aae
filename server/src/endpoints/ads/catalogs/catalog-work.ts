import { endOfTurn } from '../../../lib/clock.ts'
import type { Catalogs } from '../../../storage/catalogs.ts'
import type { Claim } from '../../../storage/due-work.ts'
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
    run: (claim, isStopped) => runFeed(claim, options, isStopped),
  })
}

/** Deletes what deleted catalogs and sets have, in slices. */
const createRemovalWorker = (options: { catalogs: Catalogs } & Pick<DueWorkerOptions, 'changes' | 'clock' | 'logger' | 'activity'>) => {
  const { catalogs, changes, clock, logger, activity } = options
  return createDueWorker({
    queue: 'product_catalogs',
    work: catalogs.dueRemovals,
    changes,
    clock,
    logger,
    activity,
    claimMs: CLAIM_MS,
    atOnce: AT_ONCE,
    async run(claimed, isStopped) {
      let claim: Claim | undefined = claimed
      while (claim && !isStopped() && (await catalogs.removeSlice(claim.id))) {
        claim = await catalogs.dueRemovals.renew(claim, clock.now() + CLAIM_MS)
        await endOfTurn()
      }
    },
  })
}

/** What is done for catalogs in the background: filtered sets, scheduled feeds, images and removals. */
export function createCatalogWork(options: FeedOptions & Pick<DueWorkerOptions, 'changes' | 'activity'>) {
  const workers = [createSetWorker(options), createFeedWorker(options), createImageWorker(options), createRemovalWorker(options)]
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
