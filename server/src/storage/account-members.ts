/** Permissions that a member may have besides a role, or instead of one. `TWEET_COMPOSER` allows to post as the full promotable user. */
export const extraPermissions = ['TWEET_COMPOSER'] as const

/** The roles of a user in an advertising account. */
export const roles = [
  ...(['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST', 'ANALYST', 'PARTNER_AUDIENCE_MANAGER'] as const),
  ...extraPermissions,
] as const

export type Role = (typeof roles)[number]

export type ExtraPermission = (typeof extraPermissions)[number]

export interface Membership {
  role: Role
  permissions: readonly ExtraPermission[]
  /** The account was deleted. */
  deleted: boolean
}

/** The members of advertising accounts. `host` is `production` or `sandbox`; an account exists on one of them. */
export interface AccountMembers {
  find(host: string, accountId: string, userId: string): Promise<Membership | undefined>
}
