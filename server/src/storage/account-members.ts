/** What a member may have besides a role, or instead of one. It allows no change of what is here. */
export const extraPermissions = ['TWEET_COMPOSER'] as const

/** What a user may do with an advertising account. */
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

/** Who may use which advertising account. `host` is where the account lives: the accounts of the sandbox are its own. */
export interface AccountMembers {
  find(host: string, accountId: string, userId: string): Promise<Membership | undefined>
}
