/** What an app may do on behalf of a user: the levels of the access that a user grants it (§5.7). */
export type AppPermissions = 'read' | 'read_write' | 'read_write_dm'

/** A registered client application. Secrets are open in memory and sealed in every table. */
export interface App {
  id: string
  name: string
  consumerKey: string
  consumerSecret: string
  /** The secret before the last rotation; both sign and authenticate until `previousSecretUntilMs`. */
  previousConsumerSecret: string | null
  previousSecretUntilMs: number | null
  callbackUrls: string[]
  permissions: AppPermissions
  signInWithService: boolean
  webhookLimit: number
  adsAccess: boolean
  earlyAccess: string[]
  /** A suspended app is refused everywhere and receives nothing. */
  suspended: boolean
  createdAtMs: number
}

export type AppChanges = Partial<Omit<App, 'id' | 'consumerKey' | 'createdAtMs'>>

export interface AppStore {
  byId(id: string): Promise<App | undefined>
  byConsumerKey(consumerKey: string): Promise<App | undefined>
  list(): Promise<App[]>
  /** False when the id or the consumer key is taken; then nothing changes. */
  insert(app: App): Promise<boolean>
  /** The app after the change, or undefined when there is none of that id. */
  update(id: string, changes: AppChanges): Promise<App | undefined>
}
