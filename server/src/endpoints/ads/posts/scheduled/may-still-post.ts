import { assertMayChange } from '../../../../access/account-member.ts'
import { accountNotFound, adsProblem } from '../../../../api/declare/problem.ts'
import type { AccountMembers } from '../../../../storage/account-members.ts'
import type { Content } from '../../../../storage/content.ts'
import { users } from '../../../../storage/content-tables.ts'
import type { Records } from '../../../../storage/records.ts'
import { PRODUCTION, SANDBOX } from '../../resources/account.ts'
import { assertMayPostAs } from '../promotable-users.ts'
import type { ScheduledPost } from './scheduled-post.ts'

export interface StillServices {
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
export async function assertMayStillPost(scheduled: ScheduledPost, services: StillServices): Promise<void> {
  const { accountId, changerId, authorId, nullcast } = scheduled
  const [changer] = await services.content.rows(users, ['disabled'], [changerId])
  if (!changer || changer[0]) throw adsProblem('ACTION_NOT_ALLOWED', `The user ${changerId} is suspended or gone`)
  const { role, permissions } = await memberOf(scheduled, services)
  assertMayChange({ role, permissions, deleted: false }, 'posts')
  await assertMayPostAs({ user: { id: changerId }, accountId, role, permissions }, authorId, nullcast, services)
}
