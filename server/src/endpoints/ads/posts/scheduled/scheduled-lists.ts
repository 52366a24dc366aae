import type { Content } from '../../../../storage/content.ts'
import { type ScheduledPost, scheduledPostsOf } from './scheduled-post.ts'

/** The states that lists show: a deleted scheduled post is gone. */
const SHOWN = ['SCHEDULED', 'SUCCESS', 'FAILED']

export interface ScheduledPage {
  accountId: string
  authorId: string
  ids?: readonly string[] | undefined
  olderThan: string | undefined
  limit: number
}

const newestFirst = (one: ScheduledPost, other: ScheduledPost) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1)

/** The scheduled posts of an account by one author, newest first. */
export async function pageOfScheduled(
  content: Content,
  { accountId, authorId, ids, olderThan, limit }: ScheduledPage,
): Promise<ScheduledPost[]> {
  if (!ids) {
    const list = { of: 'scheduled', accountId, userId: authorId, states: SHOWN } as const
    const items = await content.items(list, { limit, ...(olderThan !== undefined && { olderThan }) })
    return (
      await scheduledPostsOf(
        content,
        items.map(({ key }) => key),
      )
    ).sort(newestFirst)
  }
  const isListed = (post: ScheduledPost) =>
    post.accountId === accountId &&
    post.authorId === authorId &&
    SHOWN.includes(post.status) &&
    (olderThan === undefined || BigInt(post.id) < BigInt(olderThan))
  return (await scheduledPostsOf(content, ids)).filter(isListed).sort(newestFirst).slice(0, limit)
}
