import { CLAIM_MS, createOutbox } from '../delivery/outbox.ts'
import { createScheduledPostWorker } from '../endpoints/ads/posts/scheduled/scheduled-post-worker.ts'
import { createDueWorker } from '../endpoints/work/due-worker.ts'
import { does } from '../settings/roles.ts'
import type { Delivery } from './delivery.ts'
import type { Base } from './parts.ts'

/** How many events that were left are published at the same time. */
const AT_ONCE = 16

/** What publishes the events of actions, the worker that publishes those which another process left, and the one that publishes scheduled posts. */
export function assembleOutbox({ settings: { roles }, storage, ids, now, clock, logger, activity, wing }: Base, { publisher }: Delivery) {
  const { content, subscriptions, outbox: events, changes } = storage
  const outbox = createOutbox({
    content,
    events,
    subscriptions,
    publisher,
    ids,
    now,
    logger,
    left: () => worker.wake(),
    unmatched: wing?.noteUnmatched,
  })
  const worker = createDueWorker({
    queue: 'outbox',
    work: events,
    changes,
    clock,
    logger,
    activity,
    claimMs: CLAIM_MS,
    atOnce: AT_ONCE,
    run: (claim) => outbox.publishClaimed(claim),
  })
  const posts = createScheduledPostWorker({
    content,
    records: storage.records,
    accountMembers: storage.accountMembers,
    dueScheduledPosts: storage.dueScheduledPosts,
    changes,
    outbox,
    ids,
    now,
    clock,
    logger,
    activity,
  })
  return {
    outbox,
    start() {
      if (does(roles, 'outbox')) worker.start()
      if (does(roles, 'backgroundWork')) posts.start()
    },
    async stop() {
      await posts.stop()
      await worker.stop()
      await outbox.settled()
    },
  }
}
export type OutboxParts = ReturnType<typeof assembleOutbox>
