import type { MemberCaller } from '../../../access/account-member.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { type FieldFilter, NEWEST_FIRST, type Records } from '../../../storage/records.ts'
import { PromotableUser, type PromotableUserRecord } from '../resources/promotable-user.ts'

/** The most that are read of an account; of full ones, of which an account usually has one. */
const MOST = 1000
const MOST_FULL = 100

interface RecordReads {
  records: Pick<Records, 'list'>
}

/** The users whose posts an account may promote, newest first: those that pass the filters, as it may have a thousand others. */
export const promotableUsersOf = (
  accountId: string,
  { records }: RecordReads,
  filters: readonly FieldFilter[] = [],
  limit = MOST,
): Promise<PromotableUserRecord[]> =>
  records.list(PromotableUser, { scope: { account_id: accountId }, sort: [NEWEST_FIRST], withDeleted: false, filters, limit })

const FULL: FieldFilter = { field: 'promotable_user_type', equals: 'FULL' }

const fullUsersOf = (accountId: string, services: RecordReads) => promotableUsersOf(accountId, services, [FULL], MOST_FULL)

/** Those of some users whose posts an account may promote. */
async function promotableAmong(userIds: readonly string[], accountId: string, services: RecordReads): Promise<Set<string>> {
  const found = await promotableUsersOf(accountId, services, [{ field: 'user_id', anyOf: userIds }])
  return new Set(found.map(({ user_id }) => user_id))
}

/** Of whose posts an account sees those that are for promotion only, whoever made them: of the caller and of its full promotable user. */
export const authorsInFull = async ({ accountId, user }: MemberCaller, services: RecordReads): Promise<Set<string>> =>
  new Set([user.id, ...(await fullUsersOf(accountId, services)).map(({ user_id }) => user_id)])

/** A member who posts, now or when a scheduled post is due. */
export type PostingMember = Pick<MemberCaller, 'accountId' | 'role' | 'permissions'> & { user: { id: string } }

const isComposer = ({ role, permissions }: PostingMember) => role === 'TWEET_COMPOSER' || permissions.includes('TWEET_COMPOSER')

/**
 * Throws unless the caller may post as this user through the account (§5.8): as itself, or with TWEET_COMPOSER as the full promotable user.
 * Only posts of the caller itself may be organic. Refusals of the author name `parameter`.
 */
export async function assertMayPostAs(
  caller: PostingMember,
  userId: string,
  nullcast: boolean,
  services: RecordReads,
  parameter = 'as_user_id',
): Promise<void> {
  if (userId === caller.user.id) return
  const [full] = await promotableUsersOf(caller.accountId, services, [FULL, { field: 'user_id', equals: userId }])
  if (!full)
    throw adsProblem(
      'INVALID_USER_ID',
      `${userId} is neither the authenticated user nor the full promotable user of the account`,
      parameter,
    )
  if (!isComposer(caller))
    throw adsProblem('ACTION_NOT_ALLOWED', `Posting as the user ${userId} takes the permission TWEET_COMPOSER in the account`, parameter)
  if (!nullcast) throw adsProblem('INVALID_PARAMETER', 'nullcast may be false only for posts of the authenticated user', 'nullcast')
}

/** Whether a member sees what is scheduled for an author: for themself, or for a promotable user of the account. */
export const seesScheduled = async ({ accountId, user }: MemberCaller, authorId: string, services: RecordReads): Promise<boolean> =>
  authorId === user.id || (await promotableAmong([authorId], accountId, services)).has(authorId)

/**
 * Whose posts a list has: the user who was asked for, who must be the caller or a promotable user of the account; without one the full promotable
 * user, else the caller.
 */
export async function authorOfList(caller: MemberCaller, asked: string | undefined, services: RecordReads): Promise<string> {
  if (asked === caller.user.id) return asked
  if (asked === undefined) return (await fullUsersOf(caller.accountId, services))[0]?.user_id ?? caller.user.id
  if (!(await promotableAmong([asked], caller.accountId, services)).has(asked))
    throw adsProblem('INVALID_USER_ID', `${asked} is neither the authenticated user nor a promotable user of the account`, 'user_id')
  return asked
}
