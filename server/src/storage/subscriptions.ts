import type { Webhook } from './webhooks.ts'

export type Direction = 'sent' | 'received'

/** What an event must match, besides its type. */
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

/** A subscription that an event may match, with the webhook it leads to. */
export interface Candidate {
  subscription: Subscription
  webhook: Pick<Webhook, 'id' | 'appId' | 'valid'>
  appSuspended: boolean
  /** Whether the app has a usage cap: then its deliveries are counted. */
  isCounted: boolean
}

export interface SubscriptionStore {
  /** The subscriptions of an app by ascending id, after `afterId`. */
  list(appId: string, afterId: string | null, limit: number): Promise<Subscription[]>
  count(appId: string): Promise<number>
  byIds(appId: string, ids: readonly string[]): Promise<Subscription[]>
  /**
   * Inserts unless the app has one of the same event type, filter and webhook (duplicate; its id is answered) or `limit` already.
   * `no-webhook`: the webhook is not, or no longer, one of the app's. `id-taken`: another subscription, of any app, has the id.
   */
  insert(subscription: Subscription, limit: number): Promise<'created' | 'limit' | 'no-webhook' | 'id-taken' | { duplicateOf: string }>
  /**
   * Changes what is given of one of the app's subscriptions; answers the whole of it. `missing`: the app has none with this id. `no-webhook` and
   * a duplicate: as for `insert`, and nothing is changed.
   */
  update(
    appId: string,
    id: string,
    changes: { tag?: string; webhookId?: string },
    atMs: number,
  ): Promise<Subscription | 'missing' | 'no-webhook' | { duplicateOf: string }>
  /** How many of these the app had; they are gone. */
  remove(appId: string, ids: readonly string[]): Promise<number>
  /**
   * The subscriptions with a webhook whose event type is that of one of these events and whose `userId` is the event's or absent,
   * oldest first. Keyword and direction are the caller's to check. There may be others among them.
   */
  candidates(events: readonly { eventType: string; userId: string }[]): Promise<Candidate[]>
}
