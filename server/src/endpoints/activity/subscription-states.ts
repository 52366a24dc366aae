import { mayReceive, needsConsent } from '../../delivery/consent.ts'
import type { App } from '../../storage/apps.ts'
import type { Subscription } from '../../storage/subscriptions.ts'
import type { ConsentServices } from './assert-consent.ts'
import { type SubscriptionState, subscriptionView } from './subscription-view.ts'

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
