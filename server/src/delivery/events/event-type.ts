import type { AppPermissions } from '../../storage/apps.ts'
import type { SubscriptionFilter } from '../../storage/subscriptions.ts'

/** Accepted names of directions with their canonical name. */
export const directions = { sent: 'sent', received: 'received', outbound: 'sent', inbound: 'received' } as const

/** What a user must have granted an app: either an OAuth 1.0a token with this access, or an OAuth 2.0 token with these scopes. */
export interface Consent {
  access: AppPermissions
  /** In the words of the specification: `post.read`. */
  scopes: readonly string[]
}

/** Another name that subscriptions and producers may use. Answers and deliveries have the canonical one. */
export interface EventAlias {
  name: string
  /** In ISO 8601; undefined where the name is not deprecated. */
  deprecatedSince?: string
}

/** A type of events of the activity API (§6). */
export interface EventType {
  /** A sentence that says what happened. */
  summary: string
  /** Whom `user_id` names, in the event and in filters. Undefined for an event that is not about a user. */
  subject?: string
  /** The members that a filter may have. */
  filter: readonly (keyof SubscriptionFilter)[]
  /** Allows subscriptions without a filter. */
  unfiltered?: true
  /** What its subject must have granted the app; null for a public event. */
  consent: Consent | null
  aliases?: readonly EventAlias[]
  /** The endpoints whose calls may make such an event. Without any, producers alone publish it. */
  madeBy?: readonly `${string} /${string}`[]
}

/** Declares event types. The names of a family keep their types, so that tables by event type are checked for completeness. */
export const eventFamily = <Name extends string>(family: Record<Name, EventType>): Readonly<Record<Name, EventType>> => family

/** Names that are accepted and not deprecated. */
export const alias = (...names: string[]): EventAlias[] => names.map((name) => ({ name }))

/** §9: deprecated in March 2026, without the day: the last one, by which it surely holds. */
const PASCAL_CASE_DEPRECATED = '2026-03-31T00:00:00Z'

/** The former names in PascalCase (§6, §9). */
export const pascalCase = (...names: string[]): EventAlias[] => names.map((name) => ({ name, deprecatedSince: PASCAL_CASE_DEPRECATED }))
