import { adsProblem } from '../../../../api/declare/problem.ts'
import type { Content, ContentTransaction } from '../../../../storage/content.ts'
import { scheduledPosts } from '../../../../storage/content-tables.ts'
import { SCHEDULED_COLUMNS, type ScheduledPost, scheduledPostOf, scheduledPostsOf } from './scheduled-post.ts'

const ofAccount = (post: ScheduledPost | undefined, id: string, accountId: string): ScheduledPost => {
  if (!post || post.accountId !== accountId || post.status === 'DELETED')
    throw adsProblem('NOT_FOUND', `Scheduled post ${id} was not found`, 'scheduled_post_id')
  return post
}

/** A scheduled post of an account. Throws 404 if there is none, or it was deleted. */
export const ownScheduledPost = async (content: Pick<Content, 'rows'>, id: string, accountId: string): Promise<ScheduledPost> =>
  ofAccount((await scheduledPostsOf(content, [id]))[0], id, accountId)

/** The same, locked; throws 400 for one that is published or has failed. */
export async function lockScheduledPost(
  transaction: ContentTransaction,
  id: string,
  accountId: string,
  nowMs: number,
): Promise<ScheduledPost> {
  const row = await transaction.get(scheduledPosts, id, SCHEDULED_COLUMNS)
  const post = ofAccount(row && scheduledPostOf(row), id, accountId)
  if (post.status !== 'SCHEDULED' || post.scheduledAtMs <= nowMs)
    throw adsProblem('INVALID', `Scheduled post ${id} can be changed only before its scheduled_at`, 'scheduled_post_id')
  return post
}
