/** One webhook that an event goes to. `match` is opaque to the log: what the sender needs to write this webhook's body. */
export interface Target {
  webhookId: string
  match: string
  /** Set when it is not to be sent by itself (the webhook was invalid): why. It is kept for replay. */
  notSent?: string
}

/** An event as it is accepted. `content` is opaque to the log. */
export interface NewEvent {
  /** Given by the producer: appending the same one again changes nothing. Made from the sequence number when absent. */
  eventUuid?: string
  eventType: string
  userId: string
  content: Buffer
  targets: Target[]
}

export interface Accepted {
  eventUuid: string
  /** True when this `eventUuid` was known: nothing was appended. */
  repeated: boolean
}

/** One event on its way to one webhook. */
export interface Delivery {
  sequence: number
  eventUuid: string
  eventType: string
  webhookId: string
  match: string
  content: Buffer
  /** Attempts made before, not counting those of replays. */
  attempts: number
  /** When a retry fell due; absent for a first attempt. */
  dueMs?: number
}

/** What became of one attempt, or why none was made. */
export interface Attempt {
  atMs: number
  /** From the first byte resolved to the last byte read, in milliseconds; 0 when nothing was sent. */
  latencyMs: number
  /** The HTTP status of the callback, or null when there was none. */
  status: number | null
  /** `delivered`, `failed` or `not_sent`. */
  outcome: 'delivered' | 'failed' | 'not_sent'
  /** In words, for an integrator; empty when it was delivered. */
  error: string
  /** The beginning of the callback's response body, printable; empty when there was none. */
  response: string
}

/** delivered: acknowledged. retrying: failed and due again. given_up: the plan has ended. not_sent: kept for replay. pending: no attempt has ended yet. */
export type DeliveryState = 'pending' | 'delivered' | 'retrying' | 'given_up' | 'not_sent'

export interface DeliveryReport {
  sequence: number
  eventUuid: string
  eventType: string
  webhookId: string
  acceptedAtMs: number
  state: DeliveryState
  nextTryAtMs: number | null
  /** In order; those of replays carry the job's id. */
  attempts: (Attempt & { n: number; replayJobId: string | null })[]
}

export interface DeliveryQuery {
  webhookId?: string
  eventUuid?: string
  state?: DeliveryState
  /** Only deliveries with a sequence number below this, the last of the page before: the next page. */
  before?: number
  limit: number
}

/** Deliveries that may be opened again: those of a webhook with a sequence number in (after, before), of events in this order. */
export interface Reopening {
  webhookId: string
  after: number
  before: number
  /** The state that they ended in. */
  states: readonly EndedState[]
  /** When they are due. */
  dueMs: number
  /** At most so many are opened. */
  limit: number
}

/** The states of a delivery that has ended. */
export type EndedState = Exclude<DeliveryState, 'pending' | 'retrying'>

/** How many deliveries were opened again, and the sequence number to go on after; null when none is left. */
export interface Reopened {
  count: number
  next: number | null
}

/** Retries that are due and that nobody holds. */
export interface DueRetries {
  /** Counted up to a limit. */
  count: number
  /** When the first of them fell due. */
  sinceMs: number | undefined
}

/** Told of each commit: how long it took, and whether it succeeded. */
export type CommitListener = (durationMs: number, succeeded: boolean) => void

/**
 * The append-only log of accepted events and what became of their deliveries. The database is the truth: an event whose
 * `append` resolved is never lost. A delivery is *open* from its append until it is acknowledged for good; every open delivery is
 * either *held* by this process (handed out to it and not yet acknowledged), *waiting* (for a webhook that fell behind) or *retrying*.
 * A process that dies leaves what it held to the next `recover`, so a delivery may happen twice, never zero times.
 *
 * The life of a delivery:
 *   appended → held → acknowledged: delivered | given up | not sent
 *                  → acknowledged with retryAtMs: retrying → (due) held → …
 *   appended → waiting (its webhook is parked) → (read) held → …
 *   acknowledged → (reopened by the operator) retrying → …
 */
export interface EventLog {
  /**
   * Appends events and resolves once they are durable: one fsync serves everything that arrived within the group-commit
   * window. All or none; rejects with `Unavailable` when the database is away or full. Open targets of webhooks that are not parked are handed to `held` in the same moment, those of parked ones wait.
   */
  append(events: readonly NewEvent[]): Promise<Accepted[]>
  /** Called with the deliveries that this process now holds, after they became durable and before `append` resolves. Set once, before `recover`. */
  onHeld(held: (deliveries: Delivery[]) => void): void
  /** Called when another process has handed deliveries back, or may have: `recover` takes them. Set once, before `recover`. */
  onWork(work: () => void): void
  /**
   * Called with an error when attempts cannot be committed, and with null once they are. Those that are acknowledged meanwhile are kept in
   * memory, so nothing more should be sent until then. Set once, before `recover`.
   */
  onStalled(stalled: (error: unknown | null) => void): void
  /** Calls the listener after each commit. Set once. */
  onCommit(listener: CommitListener): void
  /**
   * Records an attempt of a held delivery. `retryAtMs` null acknowledges it for good; otherwise it is due again then, and no longer held.
   * Batched: committed with the next append or soon after. Resolves once committed.
   */
  acknowledge(delivery: Delivery, attempt: Attempt, retryAtMs: number | null): Promise<void>
  /** Records an attempt that a replay made; changes no delivery's state. */
  recordReplay(sequence: number, webhookId: string, replayJobId: string, attempt: Attempt): Promise<void>
  /**
   * The webhook fell behind: `unsent` (held deliveries that were never tried) go back to the log, and from here on its
   * deliveries wait there, costing no memory, until `read` has handed out the last of them.
   */
  park(webhookId: string, unsent: readonly Delivery[]): void
  /** The oldest waiting deliveries of a parked webhook, now held. An empty answer: it has caught up and is parked no longer. */
  read(webhookId: string, limit: number): Promise<Delivery[]>
  /** Retrying deliveries that are due, oldest due first, now held. Those of the webhooks named in `except` are passed over. */
  takeDue(nowMs: number, limit: number, except?: readonly string[]): Promise<Delivery[]>
  /** When the next retry is due, but for those of the webhooks named in `except`; undefined when none is. */
  nextDueMs(except?: readonly string[]): Promise<number | undefined>
  /** The retries that are due and that nobody holds, counted up to `limit`. */
  dueRetries(nowMs: number, limit: number): Promise<DueRetries>
  /**
   * Makes deliveries that have ended due again, oldest first. One that is open (pending, in flight, retrying) is left alone, so it is not
   * duplicated. Durable once this resolves. Looks at a bounded number of deliveries a call.
   */
  reopen(reopening: Reopening): Promise<Reopened>
  /** How many deliveries of each of these webhooks are open, each counted up to about `limit`. */
  countOpen(webhookIds: readonly string[], limit: number): Promise<Map<string, number>>
  /** Settles everything open of this webhook that is waiting or retrying, as `not_sent` with this reason. Held ones are the caller's. */
  cancel(webhookId: string, atMs: number, reason: string): Promise<void>
  /**
   * At start, and on PostgreSQL after another process has died: takes over every delivery that no living process holds.
   * What fits is handed to `held`, page by page; webhooks with more are parked and named in the answer.
   */
  recover(): Promise<{ parked: string[] }>
  /** Everything that was ever meant for the webhook in [fromMs, toMs) with a sequence number above `after`, oldest first. For replay. Holds nothing. */
  range(webhookId: string, fromMs: number, toMs: number, after: number, limit: number): Promise<Delivery[]>
  /** Deliveries with their attempts, newest first. A page never splits an event, so it may be a few longer than `limit`. */
  report(query: DeliveryQuery): Promise<DeliveryReport[]>
  /** Deletes events accepted before `beforeMs` with all that belongs to them, in slices that let appends pass between. Open deliveries are kept. How many events went. */
  trim(beforeMs: number): Promise<number>
  /** Rejects when the log cannot be read, or cannot commit. A log whose last commit succeeded is not written to. */
  probe(): Promise<void>
  /** Commits what is batched. */
  flush(): Promise<void>
  /** Deletes everything. For a reset in development. */
  wipe(): Promise<void>
  close(): Promise<void>
}
