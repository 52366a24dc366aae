/** What an app may do on behalf of a user: the levels of the access that a user grants it (§5.7). */
export type AppPermissions = 'read' | 'read_write' | 'read_write_dm'

/** A registered client application. Secrets are open in memory and sealed in every table. */
export interface App {
  id: string
  name: string
  consumerKey: string
  consumerSecret: string
  /** Counts the secrets that the app has had, from 1. */
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
  /** A suspended app is refused everywhere and receives nothing; its events are kept for replay. */
  suspended: boolean
  createdAtMs: number
}

/** The secret of before the last rotation, while it holds. */
export const previousSecretOf = (
  { previousConsumerSecret, previousSecretUntilMs }: Pick<App, 'previousConsumerSecret' | 'previousSecretUntilMs'>,
  nowMs: number,
): string | null => ((previousSecretUntilMs ?? 0) > nowMs ? previousConsumerSecret : null)

/** Whether a secret of an app, known by the version that it had, authenticates the app now: the current one, and the previous one while it holds. */
export const isVersionValid = (
  { secretVersion, previousSecretUntilMs }: Pick<App, 'secretVersion' | 'previousSecretUntilMs'>,
  version: number,
  nowMs: number,
): boolean => version === secretVersion || (version === secretVersion - 1 && (previousSecretUntilMs ?? 0) > nowMs)

/** Secrets change by a rotation alone. */
type Fixed = 'id' | 'consumerKey' | 'createdAtMs' | 'consumerSecret' | 'secretVersion' | 'previousConsumerSecret' | 'previousSecretUntilMs'
export type AppChanges = Partial<Omit<App, Fixed>>

/** The secret that the app has now holds until `previousUntilMs`, or with null not a moment longer whatever the clock says, and one before that no longer. */
export interface SecretRotation {
  secret: string
  previousUntilMs: number | null
}

export interface AppStore {
  byId(id: string): Promise<App | undefined>
  byConsumerKey(consumerKey: string): Promise<App | undefined>
  /** The oldest apps first, after the one with the id `afterId`. */
  list(afterId: string | null, limit: number): Promise<App[]>
  /** False when the id or the consumer key is taken; then nothing changes. */
  insert(app: App): Promise<boolean>
  /** All or nothing. The app after the change, or undefined when there is none of that id. */
  update(id: string, changes: AppChanges, rotation?: SecretRotation): Promise<App | undefined>
  /**
   * Deletes an app with its webhooks, subscriptions, replay jobs and tokens, all or nothing. The ids of the webhooks that it had, or
   * undefined when there is none of that id.
   */
  remove(id: string): Promise<string[] | undefined>
}
