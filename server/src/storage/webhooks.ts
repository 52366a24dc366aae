/** A webhook config (§2.1) with what the hourly challenge needs to remember. */
export interface Webhook {
  id: string
  appId: string
  /** The callback URL as it was sent. */
  url: string
  /** The same URL normalised: two registrations of an app that normalise alike are duplicates. */
  normalUrl: string
  /** False after a failed challenge; an invalid webhook receives no events (§2.1). */
  valid: boolean
  createdAtMs: number
  /** When the hourly round challenges it next; null while it is invalid, because only a PUT re-enables it. */
  nextChallengeAtMs: number | null
  /** The version of the consumer secret that its callback last answered a challenge with. */
  provenSecretVersion: number
  /** The last challenge that decided `valid` or confirmed it; null before the first. */
  lastChallenge: LastChallenge | null
}

/** How a challenge ended. `failure` says why it failed, and hides nothing: it is for the operator alone. Null when it passed. */
export interface LastChallenge {
  atMs: number
  failure: string | null
}

/** A challenge of a webhook, as this was when it began. The challenges of a webhook are numbered as they begin, over all processes. */
export interface BegunChallenge {
  webhook: Webhook
  number: number
}

/** What a challenge that ended at `atMs` decides; of one that passed also which version of the secret it proved, else why it failed. */
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

export type Registration = 'created' | 'duplicate' | 'limit'

export interface WebhookStore {
  byId(id: string): Promise<Webhook | undefined>
  /** The webhooks of an app, oldest first. */
  list(appId: string): Promise<Webhook[]>
  /** The webhooks of all apps, in the order of their ids. */
  listAll(query: WebhookQuery): Promise<Webhook[]>
  hasUrl(appId: string, normalUrl: string): Promise<boolean>
  count(appId: string): Promise<number>
  /** Checks duplicate, then limit, and inserts: all in one transaction that no other registration of the app can pass. */
  register(webhook: Webhook, limit: number): Promise<Registration>
  /** Undefined when the webhook is gone. */
  beginChallenge(id: string): Promise<BegunChallenge | undefined>
  /**
   * Records what a challenge decided, unless one that began later has decided already: an old outcome that comes late changes
   * nothing. False when the webhook is gone.
   */
  decide(id: string, challenge: number, decision: ChallengeDecision): Promise<boolean>
  /** Puts off the hourly challenge of a webhook that is valid still, and records the challenge that passed, if one did. */
  putOff(id: string, nextChallengeAtMs: number, passed?: PassedChallenge): Promise<void>
  /** Deletes the webhook and its subscriptions and cancels its running replay, all or nothing. False when it is not this app's. */
  remove(appId: string, id: string): Promise<boolean>
  /** Valid webhooks whose challenge is due, at most `limit`, oldest due first; each is put off to `leaseUntilMs` so that no other process takes it. */
  claimDue(nowMs: number, leaseUntilMs: number, limit: number): Promise<Webhook[]>
  /**
   * Challenges that are due more than a minute beyond the coming hour were dated before the clock was set back: brings each to its
   * slot in the coming hour.
   */
  bringIntoHour(nowMs: number): Promise<void>
  /** When the next challenge is due; undefined when none is. */
  nextDueMs(): Promise<number | undefined>
}
