import { endOfTurn } from '../../../lib/clock.ts'
import type { Claim } from '../../../storage/due-work.ts'
import { createDueWorker, type DueWorkerOptions } from '../../work/due-worker.ts'
import { CLAIM_MS, type FeedOptions, runFeed } from './feeds/run-feed.ts'
import { createImageWorker } from './images/image-worker.ts'
import { createSetWorker } from './sets/set-worker.ts'

const AT_ONCE = 2

type WorkOptions = FeedOptions & Pick<DueWorkerOptions, 'changes' | 'activity'>

function createWorker({ changes, clock, logger, activity }: WorkOptions, own: Pick<DueWorkerOptions, 'queue' | 'work' | 'run'>) {
  return createDueWorker({ ...own, changes, clock, logger, activity, claimMs: CLAIM_MS, atOnce: AT_ONCE })
}

/** Runs scheduled feeds when they are due. */
const createFeedWorker = (options: WorkOptions) =>
  createWorker(options, {
    queue: 'scheduled_feeds',
    work: options.scheduledFeeds,
    run: (claim, isStopped) => runFeed(claim, options, isStopped),
  })

/** Deletes what deleted catalogs and sets have, in slices. */
function createRemovalWorker(options: WorkOptions) {
  const { catalogs, clock } = options
  return createWorker(options, {
    queue: 'product_catalogs',
    work: catalogs.dueRemovals,
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
export function createCatalogWork(options: WorkOptions) {
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
