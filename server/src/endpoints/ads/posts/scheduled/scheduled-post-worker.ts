import { assertMayChange } from '../../../../access/account-member.ts'
import { accountNotFound, adsProblem, Problem } from '../../../../api/declare/problem.ts'
import type { Outbox } from '../../../../delivery/outbox.ts'
import { MINUTE_MS } from '../../../../lib/time.ts'
import type { AccountMembers } from '../../../../storage/account-members.ts'
import type { Content, ContentTransaction } from '../../../../storage/content.ts'
import { scheduledPosts, users } from '../../../../storage/content-tables.ts'
import type { Claim, DueWork } from '../../../../storage/due-work.ts'
import type { Records } from '../../../../storage/records.ts'
import { lockActingUser } from '../../../posts/acting-user.ts'
import { createDueWorker, type DueWorkerOptions } from '../../../work/due-worker.ts'
import { PRODUCTION, SANDBOX } from '../../resources/account.ts'
import { assertUsable, type MakeServices, prepareAdsPost, storeAdsPost } from '../make-post.ts'
import { assertMayPostAs } from '../promotable-users.ts'
import { SCHEDULED_COLUMNS, type ScheduledPost, scheduledPostOf, scheduledPostsOf, scheduledRow } from './scheduled-post.ts'

interface StillServices {
  content: Pick<Content, 'rows'>
  records: Pick<Records, 'list'>
  accountMembers: AccountMembers
}

/** The membership of an account, on whichever host that is. */
async function memberOf({ accountId, changerId }: ScheduledPost, { accountMembers }: StillServices) {
  const found = await Promise.all([PRODUCTION, SANDBOX].map((host) => accountMembers.find(host, accountId, changerId)))
  const member = found.find((membership) => membership !== undefined)
  if (!member || member.deleted) throw accountNotFound(accountId)
  return member
}

/** Throws unless whoever created a scheduled post, or changed it last, may create it now: the account, the member and the role are checked again. */
async function assertMayStillPost(scheduled: ScheduledPost, services: StillServices): Promise<void> {
  const { accountId, changerId, authorId, nullcast } = scheduled
  const [changer] = await services.content.rows(users, ['disabled'], [changerId])
  if (!changer || changer[0]) throw adsProblem('ACTION_NOT_ALLOWED', `The user ${changerId} is suspended or gone`)
  const { role, permissions } = await memberOf(scheduled, services)
  assertMayChange({ role, permissions, deleted: false }, 'posts')
  await assertMayPostAs({ user: { id: changerId }, accountId, role, permissions }, authorId, nullcast, services)
}

type PublishServices = MakeServices & StillServices & { outbox: Outbox }

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
async function publishScheduled({ id }: Claim, services: PublishServices): Promise<void> {
  const [scheduled] = await scheduledPostsOf(services.content, [id])
  if (scheduled?.status !== 'SCHEDULED') return
  await publish(scheduled, services).catch(async (error) => {
    if (!(error instanceof Problem)) throw error
    await fail(id, services)
  })
}

const AT_ONCE = 1

/** Publishes scheduled posts when they are due. */
export const createScheduledPostWorker = (
  options: PublishServices & { dueScheduledPosts: DueWork } & Pick<DueWorkerOptions, 'changes' | 'clock' | 'logger' | 'activity'>,
) => {
  const { dueScheduledPosts, changes, clock, logger, activity } = options
  return createDueWorker({
    queue: 'scheduled_posts',
    work: dueScheduledPosts,
    changes,
    clock,
    logger,
    activity,
    claimMs: MINUTE_MS,
    atOnce: AT_ONCE,
    run: (claim) => publishScheduled(claim, options),
  })
}
