/** A webhook config (§2.1) with the state of its hourly challenge. */
export interface Webhook {
  id: string
  appId: string
  /** The callback URL as it was sent. */
  url: string
  /** The normalised URL: two registrations of an app with the same one are duplicates. */
  normalUrl: string
  /** False after a failed challenge; an invalid webhook receives no events (§2.1). */
  valid: boolean
  createdAtMs: number
  /** When the hourly round challenges it next; null while it is invalid, because only a PUT can enable it again. */
  nextChallengeAtMs: number | null
  /** The version of the consumer secret with which its callback signed its last correct challenge response. */
  provenSecretVersion: number
  /** The last challenge that decided `valid` or confirmed it; null before the first. */
  lastChallenge: LastChallenge | null
}

/** How a challenge ended. `failure` says why it failed, and hides nothing: it is for the operator alone. Null when it passed. */
export interface LastChallenge {
  atMs: number
  failure: string | null
}

/** A challenge that has begun, with the webhook as it was then. The challenges of a webhook are numbered in the order of their beginning, over all processes. */
export interface BegunChallenge {
  webhook: Webhook
  number: number
}

/** The outcome of a challenge that ended at `atMs`: the version of the secret that a correct response was signed with, or the failure. */
export type ChallengeDecision =
  | { valid: true; atMs: number; nextChallengeAtMs: number; provenSecretVersion: number }
  | { valid: false; atMs: number; nextChallengeAtMs: null; failure: string }

/** A challenge that passed and re-enables nothing; `provenSecretVersion` is set when it proved another version of the secret. */
export interface PassedChallenge {
  atMs: number
  provenSecretVersion?: number
}

export interface WebhookQuery {
  appId?: string
  valid?: boolean
  /** Only those whose id sorts after this, as a text. */
  after: string | null
  limit: number
}

export type Registration = 'created' | 'duplicate' | 'limit' | 'row-quota'

export interface WebhookStore {
  byId(id: string): Promise<Webhook | undefined>
  /** The webhooks of an app, oldest first. */
  list(appId: string): Promise<Webhook[]>
  /** The webhooks of all apps, in the order of their ids. */
  listAll(query: WebhookQuery): Promise<Webhook[]>
  /** The webhook of an app with this URL. */
  byUrl(appId: string, normalUrl: string): Promise<Webhook | undefined>
  count(appId: string): Promise<number>
  /** How many webhooks all apps have. Reads indexes alone where the database can. */
  countAll(): Promise<{ valid: number; invalid: number }>
  /** Checks for a duplicate, the limit, then the quota of rows, and inserts, in a transaction that excludes others that add webhooks or subscriptions of the app. With the limit `Infinity` it counts nothing, so that it takes no longer for an app with many. */
  register(webhook: Webhook, limit: number, rowQuota?: number | null): Promise<Registration>
  /** Undefined if the webhook does not exist. */
  beginChallenge(id: string): Promise<BegunChallenge | undefined>
  /**
   * Records the outcome of a challenge, unless a challenge that began later has been recorded already. Returns false if the webhook does
   * not exist.
   */
  decide(id: string, challenge: number, decision: ChallengeDecision): Promise<boolean>
  /**
   * The last challenges that decided whether a webhook is valid, newest first: not those of the hourly round that confirmed it. Undefined if it
   * does not exist.
   */
  challenges(id: string): Promise<LastChallenge[] | undefined>
  /** Postpones the hourly challenge of a webhook that is still valid. Records a passed challenge if given. */
  postpone(id: string, nextChallengeAtMs: number, passed?: PassedChallenge): Promise<void>
  /** Deletes the webhook and its subscriptions and cancels its running replay, all or nothing. Returns false if it is not this app's. */
  remove(appId: string, id: string): Promise<boolean>
  /** Claims valid webhooks whose challenge is due, at most `limit`, earliest first. Each is postponed to `leaseUntilMs`, so that no other process takes it. */
  claimDue(nowMs: number, leaseUntilMs: number, limit: number): Promise<Webhook[]>
  /**
   * After the clock was set back: challenges that are due more than a minute after the coming hour are moved to their slot in that hour.
   */
  moveIntoHour(nowMs: number): Promise<void>
  /** When the next challenge is due; undefined if there is none. */
  nextDueMs(): Promise<number | undefined>
}
