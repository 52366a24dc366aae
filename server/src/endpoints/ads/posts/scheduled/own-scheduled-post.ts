import type { MemberCaller } from '../../../../access/account-member.ts'
import { adsProblem } from '../../../../api/declare/problem.ts'
import type { Content, ContentTransaction } from '../../../../storage/content.ts'
import { scheduledPosts } from '../../../../storage/content-tables.ts'
import type { Records } from '../../../../storage/records.ts'
import { seesScheduled } from '../promotable-users.ts'
import { SCHEDULED_COLUMNS, type ScheduledPost, scheduledPostOf, scheduledPostsOf } from './scheduled-post.ts'

const absent = (id: string) => adsProblem('NOT_FOUND', `Scheduled post ${id} was not found`, 'scheduled_post_id')

const ofAccount = (post: ScheduledPost | undefined, id: string, accountId: string): ScheduledPost => {
  if (!post || post.accountId !== accountId || post.status === 'DELETED') throw absent(id)
  return post
}

interface Reads {
  content: Pick<Content, 'rows'>
  records: Pick<Records, 'list'>
}

/** A scheduled post of an account, which lists show to the caller. Throws 404 if there is none, or it was deleted. */
export async function ownScheduledPost(id: string, caller: MemberCaller, { content, records }: Reads): Promise<ScheduledPost> {
  const post = ofAccount((await scheduledPostsOf(content, [id]))[0], id, caller.accountId)
  if (!(await seesScheduled(caller, post.authorId, { records }))) throw absent(id)
  return post
}

/** A scheduled post of an account, locked. Throws 404 if there is none, or it was deleted, and 400 for one that is published or has failed. */
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
