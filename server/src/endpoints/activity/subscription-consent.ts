import type { AppCaller } from '../../access/app-bearer.ts'
import type { OAuth2UserCaller } from '../../access/oauth2-user.ts'
import type { SignedUserCaller } from '../../access/signed-user.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { because, Problem } from '../../api/declare/problem.ts'
import { mayReceive, needsConsent } from '../../delivery/consent.ts'
import { eventTypes } from '../../delivery/events/event-types.ts'
import type { App } from '../../storage/apps.ts'
import type { Consents, UserConsent } from '../../storage/consents.ts'
import type { Subscription, SubscriptionFilter } from '../../storage/subscriptions.ts'
import { sayConsent } from '../events/described-events.ts'
import { type SubscriptionState, subscriptionView } from './subscription-view.ts'

/** An app, with its bearer token or with the access token of a user: then with the access (OAuth 1.0a) or the scopes (OAuth 2.0). */
export type AppOrUserCaller = AppCaller & Partial<Pick<SignedUserCaller, 'user' | 'access'> & Pick<OAuth2UserCaller, 'scopes'>>

export interface ConsentServices {
  consents: Consents
  now: () => number
}

const PARAMETER = 'filter.user_id'

/** Says the same of a user who has not consented and of one who does not exist. */
const notAuthorized = (eventType: string, userId: string, dialect: Dialect) =>
  new Problem('not-authorized-for-resource', {
    detail: `Sorry, you are not authorized to see the User with ${PARAMETER}: [${userId}]. ${eventType} is private: the user must have granted this app ${sayConsent(eventTypes[eventType]!.consent, dialect)}.`,
    value: userId,
    resource_id: userId,
    resource_type: 'user',
    parameter: PARAMETER,
    section: 'data',
  })

/** What there is, as sentences. */
function sayGranted({ access, grants }: UserConsent, nowMs: number, dialect: Dialect): string[] {
  const scopes = grants.filter(({ untilMs }) => untilMs > nowMs).map((grant) => grant.scopes.map(dialect.out).join(', '))
  return [
    access === null ? 'There is no access token of OAuth 1.0a.' : `There is an access token of OAuth 1.0a with the permission ${access}.`,
    scopes.length === 0 ? 'There is no live grant of OAuth 2.0.' : `There are OAuth 2.0 scopes: ${scopes.join('; ')}.`,
    'Sign the user in again and ask for more.',
  ]
}

/** What the access token of the caller covers. */
const ownConsent = ({ access, scopes }: AppOrUserCaller): UserConsent => ({
  access: access ?? null,
  grants: scopes ? [{ scopes, untilMs: Number.POSITIVE_INFINITY }] : [],
})

/**
 * Whether the access token of a user covers the user's events of this type. The access of a token of OAuth 1.0a decides alone where there is
 * one, whatever the scopes of the caller's are (§5.6).
 */
const covers = (eventType: string, caller: AppOrUserCaller, granted: UserConsent, nowMs: number): boolean =>
  (caller.scopes !== undefined && granted.access !== null) || mayReceive(eventType, ownConsent(caller), nowMs)

/**
 * Throws `not-authorized-for-resource` unless the user of the filter has granted the app what the event type needs. The access token of a
 * user is good for that user alone, as far as it reaches.
 */
export async function assertConsent(
  eventType: string,
  { userId = '' }: SubscriptionFilter,
  caller: AppOrUserCaller,
  { consents, now, dialect }: ConsentServices & { dialect: Dialect },
): Promise<void> {
  if (!needsConsent(eventType)) return
  const { app, user } = caller
  const [granted] = await consents.of(app.id, [userId])
  const isCovered = user === undefined || (user.id === userId && covers(eventType, caller, granted!, now()))
  if (isCovered && mayReceive(eventType, granted!, now())) return
  const reason = isCovered
    ? `User ${userId} has not granted the app what ${eventType} needs.`
    : `The access token that was sent does not cover ${eventType} of user ${userId}.`
  throw because(notAuthorized(eventType, userId, dialect), reason, () =>
    sayGranted(isCovered ? granted! : ownConsent(caller), now(), dialect),
  )
}

/** Subscriptions of an app as answers show them, the private ones with their state. */
export async function viewsOf(app: App, subscriptions: readonly Subscription[], { consents, now }: ConsentServices) {
  const isPrivate = ({ eventType, filter }: Subscription) => needsConsent(eventType) && filter.userId !== undefined
  const userIds = [...new Set(subscriptions.filter(isPrivate).map(({ filter }) => filter.userId!))]
  const granted = userIds.length === 0 ? [] : await consents.of(app.id, userIds)
  const byUser = new Map(userIds.map((userId, at) => [userId, granted[at]!]))
  const stateOf = ({ eventType, filter }: Subscription): SubscriptionState | undefined => {
    if (!needsConsent(eventType)) return undefined
    return mayReceive(eventType, byUser.get(filter.userId ?? '') ?? null, now()) ? 'active' : 'consent_revoked'
  }
  return subscriptions.map((subscription) => subscriptionView(subscription, stateOf(subscription)))
}
