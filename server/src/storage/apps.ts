/** The access level that an app has on behalf of a user (§5.7). */
export type AppPermissions = 'read' | 'read_write' | 'read_write_dm'

const LEVELS: Record<AppPermissions, number> = { read: 0, read_write: 1, read_write_dm: 2 }

/** Whether an access level includes another. */
export const permits = (granted: AppPermissions, needed: AppPermissions): boolean => LEVELS[granted] >= LEVELS[needed]

/** The lower of two access levels. */
export const lowerAccess = (one: AppPermissions, other: AppPermissions): AppPermissions => (permits(one, other) ? other : one)

/** Whether an OAuth 2.0 client can keep a secret: a server can, an app on a device or in a browser cannot (RFC 6749, section 2.1). */
export type OAuth2ClientType = 'confidential' | 'public'

/** A registered client application. Secrets are plain text in memory and sealed in every table. */
export interface App {
  id: string
  name: string
  consumerKey: string
  consumerSecret: string
  /** The number of the current secret, from 1. */
  secretVersion: number
  /** The secret before the last rotation; both sign and authenticate until `previousSecretUntilMs`. Without an overlap that is null. */
  previousConsumerSecret: string | null
  previousSecretUntilMs: number | null
  callbackUrls: string[]
  permissions: AppPermissions
  signInWithService: boolean
  webhookLimit: number
  adsAccess: boolean
  earlyAccess: string[]
  /** False: the activity API rejects the app with `client-forbidden`. */
  activityEnrolled: boolean
  /** Deliveries in a calendar month (UTC) after which new subscriptions are rejected; null for no cap. */
  usageCap: number | null
  /** Events and deliveries in a calendar month (UTC) after which deliveries are kept for replay; null for no quota. */
  eventQuota: number | null
  deliveryQuota: number | null
  /** Rows after which it can store no more; null for no quota. */
  rowQuota: number | null
  /** Null for an app that has no OAuth 2.0 client. */
  oauth2ClientId: string | null
  oauth2ClientType: OAuth2ClientType | null
  /** Null for a public client. */
  oauth2ClientSecret: string | null
  /** All requests of a suspended app are rejected and it receives no deliveries; its events are kept for replay. */
  suspended: boolean
  /** Sessions and links of the app's portal have the number that it had when they began: the next one ends them. */
  portalGeneration: number
  createdAtMs: number
}

/** The secret before the last rotation, while it is still valid. */
export const previousSecretOf = (
  { previousConsumerSecret, previousSecretUntilMs }: Pick<App, 'previousConsumerSecret' | 'previousSecretUntilMs'>,
  nowMs: number,
): string | null => ((previousSecretUntilMs ?? 0) > nowMs ? previousConsumerSecret : null)

/** True if the secret of this version authenticates the app: the current one, or the previous one during its overlap. */
export const isVersionValid = (
  { secretVersion, previousSecretUntilMs }: Pick<App, 'secretVersion' | 'previousSecretUntilMs'>,
  version: number,
  nowMs: number,
): boolean => version === secretVersion || (version === secretVersion - 1 && (previousSecretUntilMs ?? 0) > nowMs)

/** Fields that an update cannot change. The consumer secret changes only by rotation. */
type Fixed =
  | 'id'
  | 'consumerKey'
  | 'createdAtMs'
  | 'consumerSecret'
  | 'secretVersion'
  | 'previousConsumerSecret'
  | 'previousSecretUntilMs'
  | 'portalGeneration'
export type AppChanges = Partial<Omit<App, Fixed>> & {
  /** Ends the sessions and links of the app's portal, as a suspension does. */
  endsPortals?: boolean
}

/**
 * A new secret. The current one stays valid until `previousUntilMs`; with null it is invalid at once. An older one becomes invalid. One that
 * the app already has can only end the overlap earlier: a call whose answer was lost can be repeated.
 */
export interface SecretRotation {
  secret: string
  previousUntilMs: number | null
}

export interface AppStore {
  byId(id: string): Promise<App | undefined>
  byConsumerKey(consumerKey: string): Promise<App | undefined>
  byOAuth2ClientId(clientId: string): Promise<App | undefined>
  /** Apps after the one with the id `afterId`, oldest first. */
  list(afterId: string | null, limit: number): Promise<App[]>
  /** Returns false if the id, the consumer key or the OAuth 2.0 client id is taken; nothing changes then. */
  insert(app: App): Promise<boolean>
  /**
   * Changes an app, all or nothing; a function is given the app as no other change can alter it meanwhile. Returns it after the change, or
   * undefined if no app has the id.
   */
  update(id: string, changes: AppChanges | ((app: App) => AppChanges), rotation?: SecretRotation): Promise<App | undefined>
  /**
   * Deletes an app with its webhooks, subscriptions, replay jobs and tokens, all or nothing. The ids of the webhooks that it had, or
   * undefined when there is none of that id.
   */
  remove(id: string): Promise<string[] | undefined>
}

/** Of an app in a month. */
export interface UsageCounts {
  /** Events that were sent to it, each once. */
  events: number
  deliveries: number
}

/** What apps with a usage cap or a quota were given in the running month (§7): one row for each, shared by all processes of a database. */
export interface AppUsage {
  /** Adds counts, by app. A new month begins at 0; apps that do not exist are passed over. */
  add(counts: ReadonlyMap<string, UsageCounts>, month: number): Promise<void>
  /** Those of apps in a month, which is not before the last one that was counted. An app of which nothing was counted is missing. */
  of(appIds: readonly string[], month: number): Promise<Map<string, UsageCounts>>
}
