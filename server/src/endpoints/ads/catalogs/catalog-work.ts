import type { DueWorkerOptions } from '../../work/due-worker.ts'
import { createFeedWorker } from './feeds/feed-worker.ts'
import type { FeedOptions } from './feeds/run-feed.ts'
import { createImageWorker } from './images/image-worker.ts'
import { createSetWorker } from './sets/set-worker.ts'

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
