import { isAdsId } from '../api/declare/ads-words.ts'
import type { Auth } from '../api/declare/auth.ts'
import { accountNotFound, adsProblem, because } from '../api/declare/problem.ts'
import { cutText } from '../lib/text.ts'
import type { AccountMembers, Membership, Role } from '../storage/account-members.ts'
import { type AdsCaller, type AdsServices, adsUser, asAdsUser, assertEarlyAccess } from './ads-user.ts'
import { attachCaller } from './attach-caller.ts'
import type { UserCaller } from './signed-user.ts'

/** A user who calls for an advertising account of which they are a member. */
export interface MemberCaller extends AdsCaller {
  accountId: string
  role: Role
  permissions: Membership['permissions']
}

export type MemberServices = AdsServices & { accountMembers: AccountMembers }

/** The roles that may change something. All other roles may only read. Posts are also for whoever has the permission TWEET_COMPOSER. */
const rolesThatChange = {
  account: ['ACCOUNT_ADMIN'],
  campaigns: ['ACCOUNT_ADMIN', 'AD_MANAGER'],
  creatives: ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER'],
  posts: ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER', 'TWEET_COMPOSER'],
  audiences: ['ACCOUNT_ADMIN', 'AD_MANAGER', 'PARTNER_AUDIENCE_MANAGER'],
} as const satisfies Record<string, readonly Role[]>

export interface MemberOptions {
  /** What the endpoint changes; without this it only reads. */
  changes?: keyof typeof rolesThatChange
  /** The endpoint also accepts a deleted account. */
  allowDeleted?: boolean
  /** The endpoint is only for apps with this early access. */
  earlyAccess?: string
}

/** Each host has accounts of its own. */
async function whyNoMember(accountId: string, userId: string, { adsHost, accountMembers }: MemberServices): Promise<string[]> {
  const other = adsHost === 'production' ? 'sandbox' : 'production'
  if (await accountMembers.find(other, accountId, userId)) return [`The account is on the ${other} host: call that.`]
  return ['GET /12/accounts lists those of which the user is a member. The access token decides who the user is.']
}

/** The caller's membership of an account. Throws 403 if the caller is not a member. */
async function memberOf(accountId: string, { user }: UserCaller, services: MemberServices, allowDeleted: boolean): Promise<Membership> {
  if (!isAdsId(accountId))
    throw because(accountNotFound(cutText(accountId, 20)), 'This is not the form of an account id, which has letters and digits alone.')
  const member = await services.accountMembers.find(services.adsHost, accountId, user.id)
  if (member?.deleted && !allowDeleted) throw because(accountNotFound(accountId), 'The account was deleted.')
  if (!member)
    throw because(accountNotFound(accountId), `User ${user.id} is not a member of such an account on the ${services.adsHost} host.`, () =>
      whyNoMember(accountId, user.id, services),
    )
  return member
}

/** Throws 403 unless the role of a member, or a permission, allows this change. */
export function assertMayChange({ role, permissions }: Membership, what: keyof typeof rolesThatChange) {
  const allowed: readonly Role[] = rolesThatChange[what]
  if (!allowed.includes(role) && !permissions.some((permission) => allowed.includes(permission)))
    throw adsProblem('ACTION_NOT_ALLOWED', `A member with the role ${role} may not do this; it takes one of ${allowed.join(', ')}`)
}

/** A member of the account in the path (§4.4), with a role that allows what the endpoint does. */
export const accountMember = ({ changes, allowDeleted = false, earlyAccess }: MemberOptions = {}): Auth<MemberCaller, MemberServices> => ({
  ...adsUser,
  name: 'accountMember',
  async authenticate(request, services) {
    const caller = await asAdsUser(request, services)
    const accountId = (request.pathParams.account_id ?? '').toLowerCase()
    const { role, permissions } = await attachCaller(caller, async () => {
      if (earlyAccess !== undefined) assertEarlyAccess(caller, earlyAccess)
      const member = await memberOf(accountId, caller, services, allowDeleted)
      if (changes) assertMayChange(member, changes)
      return member
    })
    return { ...caller, accountId, role, permissions, accountKey: `account:${services.adsHost}:${accountId}` }
  },
})
