import { Problem } from '../../../../api/declare/problem.ts'
import type { Outbox } from '../../../../delivery/outbox.ts'
import type { ContentTransaction } from '../../../../storage/content.ts'
import { scheduledPosts } from '../../../../storage/content-tables.ts'
import type { Claim } from '../../../../storage/due-work.ts'
import { lockActingUser } from '../../../posts/acting-user.ts'
import { assertUsable, type MakeServices, prepareAdsPost, storeAdsPost } from '../make-post.ts'
import { assertMayStillPost, type StillServices } from './may-still-post.ts'
import { SCHEDULED_COLUMNS, type ScheduledPost, scheduledPostOf, scheduledPostsOf, scheduledRow } from './scheduled-post.ts'

export type PublishServices = MakeServices & StillServices & { outbox: Outbox }

/** A scheduled post that is still to be published, locked; undefined for one that was published, moved or deleted meanwhile. */
async function lockDue(transaction: ContentTransaction, id: string, nowMs: number): Promise<ScheduledPost | undefined> {
  const row = await transaction.get(scheduledPosts, id, SCHEDULED_COLUMNS)
  const post = row && scheduledPostOf(row)
  return post?.status === 'SCHEDULED' && post.scheduledAtMs <= nowMs ? post : undefined
}

const finish = (transaction: ContentTransaction, post: ScheduledPost, result: Partial<ScheduledPost>, nowMs: number) =>
  transaction.update(scheduledPosts, post.id, scheduledRow({ ...post, ...result, updatedAtMs: nowMs, completedAtMs: nowMs }))

/** Stores the post and that it was published in one transaction, so that it is published exactly once. */
async function publish(scheduled: ScheduledPost, services: PublishServices) {
  await assertMayStillPost(scheduled, services)
  await assertUsable(scheduled, scheduled.creatorId, services)
  const made = await prepareAdsPost(scheduled, services)
  await services.outbox.change(made.events, async (transaction, announce) => {
    // Users are locked before what belongs to them.
    await lockActingUser(transaction, scheduled.authorId)
    const post = await lockDue(transaction, scheduled.id, services.now())
    if (!post || post.updatedAtMs !== scheduled.updatedAtMs) return
    await storeAdsPost(transaction, announce, made)
    await finish(transaction, post, { status: 'SUCCESS', postId: made.post.id }, services.now())
  })
}

/** Records that a post may not be published. */
const fail = (id: string, { content, now }: PublishServices) =>
  content.change(async (transaction) => {
    const post = await lockDue(transaction, id, now())
    if (post) await finish(transaction, post, { status: 'FAILED' }, now())
  })

/** Publishes a scheduled post that is due. A refusal makes it `FAILED`; any other error leaves it due. */
export async function publishScheduled({ id }: Claim, services: PublishServices): Promise<void> {
  const [scheduled] = await scheduledPostsOf(services.content, [id])
  if (scheduled?.status !== 'SCHEDULED') return
  await publish(scheduled, services).catch(async (error) => {
    if (!(error instanceof Problem)) throw error
    await fail(id, services)
  })
}
