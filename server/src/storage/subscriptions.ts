import type { UserConsent } from './consents.ts'
import type { Webhook } from './webhooks.ts'

export type Direction = 'sent' | 'received'

/** The conditions of a subscription besides the event type. */
export interface SubscriptionFilter {
  userId?: string
  keyword?: string
  direction?: Direction
}

/** A subscription of the activity API (§6): events of one type that match the filter go to the webhook. */
export interface Subscription {
  id: string
  appId: string
  webhookId: string | null
  eventType: string
  filter: SubscriptionFilter
  tag: string | null
  createdAtMs: number
  updatedAtMs: number
}

/** A subscription that an event may match, with its webhook. Without one, its events go to the app's stream alone. */
export interface Candidate {
  subscription: Subscription
  webhook: Pick<Webhook, 'id' | 'valid'> | null
  /** When the app was last seen using its stream; null if it never was. */
  streamedAtMs: number | null
  appSuspended: boolean
  /** Whether the app has a usage cap or a quota by month: then its events and deliveries are counted. */
  isCounted: boolean
  /** The app's quotas by month, each null for none; null where it has neither. */
  quotas: { events: number | null; deliveries: number | null } | null
  /** What the user of the filter has granted the app; null where that was not asked for. */
  consent: UserConsent | null
}

/** An event whose candidates are looked for. */
export interface AskedEvent {
  eventType: string
  userId: string
  /** Whether events of this type need the consent of the user: then candidates have it. The same for all events of a type. */
  needsConsent: boolean
}

export interface SubscriptionStore {
  /** The subscriptions of an app after `afterId`, by ascending id; with `userId` those that are filtered to this user. */
  list(appId: string, afterId: string | null, limit: number, userId?: string): Promise<Subscription[]>
  count(appId: string, userId?: string): Promise<number>
  byIds(appId: string, ids: readonly string[]): Promise<Subscription[]>
  /**
   * Inserts a subscription. `duplicateOf`: the id of the app's subscription with the same event type, filter and webhook. `limit`: the app
   * has that many already. `no-webhook`: the app has no such webhook. `id-taken`: a subscription of any app has the id. With the limit `Infinity` none is counted.
   * `row-quota`: the app has as many rows as its quota allows, counted in the transaction, which excludes others that add some.
   */
  insert(
    subscription: Subscription,
    limit: number,
    rowQuota?: number | null,
  ): Promise<'created' | 'limit' | 'row-quota' | 'no-webhook' | 'id-taken' | { duplicateOf: string }>
  /**
   * Changes the given fields of a subscription and returns it. `missing`: the app has none with this id. `no-webhook` and `duplicateOf`: as
   * for `insert`; nothing is changed.
   */
  update(
    appId: string,
    id: string,
    changes: { tag?: string; webhookId?: string },
    atMs: number,
  ): Promise<Subscription | 'missing' | 'no-webhook' | { duplicateOf: string }>
  /** Deletes these subscriptions of the app. Returns how many there were. */
  remove(appId: string, ids: readonly string[]): Promise<number>
  /**
   * Subscriptions that may match one of these events, oldest first: they have the event's type, and its `userId` or none. The caller
   * checks keyword and direction. The result may contain others.
   */
  candidates(events: readonly AskedEvent[]): Promise<Candidate[]>
}
