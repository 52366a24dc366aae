import { Problem } from '../../api/declare/problem.ts'
import { id, iso, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import { filterView } from '../../delivery/envelope.ts'
import { eventTypes } from '../../delivery/events/event-types.ts'
import type { Subscription } from '../../storage/subscriptions.ts'

/** How many subscriptions an app may have (public practice). */
export const SUBSCRIPTION_LIMIT = 1500

export const LONGEST_TAG = 200
export const LONGEST_KEYWORD = 150

/** Only of private event types: `consent_revoked` while the user has not granted the app what the type needs. Nothing is delivered then. */
export type SubscriptionState = 'active' | 'consent_revoked'

export const subscriptionMembers = {
  subscription_id: id(),
  event_type: oneOf(Object.keys(eventTypes)),
  filter: object({ user_id: optional(id()), keyword: optional(text()), direction: optional(oneOf(['sent', 'received'])) }),
  created_at: timestamp(),
  updated_at: timestamp(),
  tag: optional(text()),
  webhook_id: optional(id()),
  state: optional(
    oneOf(['active', 'consent_revoked'], {
      description:
        'Of private event types. `consent_revoked`: the user has not granted the app what the event type needs, or has revoked it, so nothing is delivered; a new grant makes it `active` again.',
    }),
  ),
}

export const subscriptionSchema = object(subscriptionMembers)

/** A subscription as every answer shows it; absent members are left out. */
export const subscriptionView = (subscription: Subscription, state: SubscriptionState | undefined) => ({
  subscription_id: subscription.id,
  event_type: subscription.eventType,
  filter: filterView(subscription),
  created_at: iso(subscription.createdAtMs),
  updated_at: iso(subscription.updatedAtMs),
  ...(subscription.tag !== null && { tag: subscription.tag }),
  ...(subscription.webhookId !== null && { webhook_id: subscription.webhookId }),
  ...(state !== undefined && { state }),
})

/** An app has no two subscriptions of the same event type, filter and webhook. `id` is that of the one it has. */
export const duplicateSubscription = (id: string, eventType: string) =>
  new Problem('duplicate-rules', { detail: `Duplicate: this app has the same subscription already, ${id}.`, id, value: eventType })

export const subscriptionNotFound = (id: string) => new Problem('not-found', { detail: `Could not find a subscription with id: [${id}].` })
