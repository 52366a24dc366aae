import type { AppCaller } from '../../access/app-bearer.ts'
import type { OAuth2UserCaller } from '../../access/oauth2-user.ts'
import { Problem } from '../../api/declare/problem.ts'
import type { SubscriptionFilter } from '../../storage/subscriptions.ts'

const PARAMETER = 'filter.user_id'

/**
 * The user whose subscriptions alone a caller may list and create; undefined for one who may all of the app. An OAuth 2.0 access token is on
 * the device of its user, who must neither learn who else uses the app nor subscribe to them.
 */
export const ownUserOf = (caller: AppCaller & Partial<Pick<OAuth2UserCaller, 'user' | 'scopes'>>): string | undefined =>
  caller.scopes && caller.user?.id

/** Throws `not-authorized-for-resource` for a subscription that is not filtered to the user whose OAuth 2.0 access token was sent. */
export function assertOwnUser(caller: AppCaller, { userId = '' }: SubscriptionFilter): void {
  const ownId = ownUserOf(caller)
  if (ownId === undefined || ownId === userId) return
  throw new Problem('not-authorized-for-resource', {
    detail: `An OAuth 2.0 access token subscribes to its own user only: ${PARAMETER} must be ${ownId}.`,
    value: userId,
    resource_id: userId,
    resource_type: 'user',
    parameter: PARAMETER,
    section: 'data',
  })
}
