import type { Snapshots } from './snapshots.ts'

/** One webhook that an event goes to. `match` is opaque to the log; the sender needs it for the body of this webhook. */
export interface WebhookTarget {
  webhookId: string
  match: string
  /** The reason why this delivery is not sent (the webhook is invalid, …). The event is kept for replay. */
  notSent?: string
}

/** One app whose stream an event goes to. `match` is that of a target. */
export interface StreamTarget {
  appId: string
  match: string
}

/** An event to append. `content` is opaque to the log. */
export interface NewEvent {
  /** The producer's idempotency key: appending the same uuid again changes nothing. Derived from the sequence number if absent. */
  eventUuid?: string
  eventType: string
  userId: string
  content: Buffer
  targets: WebhookTarget[]
  /** The streams that it goes to; absent if there are none. */
  streams?: StreamTarget[]
  /** The span that appended it, as W3C writes it; absent where nobody traces it. */
  traceparent?: string | undefined
}

/** An event in the stream of an app. */
export interface StreamEntry {
  sequence: number
  eventUuid: string
  eventType: string
  /** The user whom the event is about. */
  userId: string
  appId: string
  match: string
  content: Buffer
}

/** The entries of an app's stream with a sequence number in (after, before), oldest first, up to so many entries and bytes of content. */
export interface StreamRange {
  appId: string
  after: number
  before: number
  limit: number
  /** Of several logs, what this one has alone. */
  log?: number
}

/** A page of a stream ends with the entry whose content reaches this. */
export const STREAM_PAGE_BYTES = 256 << 10

/** A page of a range, or of what waits, ends with the delivery whose content reaches this, so that one of large events takes no more memory. */
export const RANGE_PAGE_BYTES = 1 << 20

/** Told of entries of streams. Entries are handed over in no particular order, and may be handed over twice. */
export interface StreamListener {
  /** Entries that this process appended: called once they are durable, before `append` resolves. */
  committed(entries: readonly StreamEntry[]): void
  /** There may be more entries with a sequence number from `from` to `to`, of these apps; without `appIds` of any. `log`: of several, this has them. */
  mayHave(range: { from: number; to: number; appIds?: readonly string[]; log?: number }): void
  /** Messages of other processes may have been missed since this date, so there may be entries from a moment before it on, in `log` or any. */
  missed(sinceMs: number, log?: number): void
}

export interface Accepted {
  eventUuid: string
  /** True if this `eventUuid` exists already: nothing was appended. */
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
  /** The number of earlier attempts, without those of replays. */
  attempts: number
  /** When a retry fell due; absent for a first attempt. */
  dueMs?: number
  /** The span that appended its event; absent where nobody traces it. */
  traceparent?: string
  /** The number of the log that has it; absent where there is one. */
  log?: number
}

/** What names a delivery to the log that has handed it out. */
export type DeliveryKey = Pick<Delivery, 'sequence' | 'webhookId' | 'log'>

/** The result of one attempt, or why none was made. */
export interface Attempt {
  atMs: number
  /** Duration from DNS resolution to the last byte read; 0 if nothing was sent. */
  latencyMs: number
  /** When the steps of its request began, as its sender tells, and whether the callback may be private; empty where that is not known. */
  timing: string
  /** The HTTP status of the callback's response, or null if there was none. */
  status: number | null
  outcome: 'delivered' | 'failed' | 'not_sent'
  /** The reason, for an integrator; empty if it was delivered. */
  error: string
  /** The beginning of the callback's response body, printable; empty when there was none. */
  response: string
}

/**
 *   pending    no attempt has ended yet
 *   delivered  the callback answered 2xx
 *   retrying   the last attempt failed, and another one is due
 *   given_up   the last attempt of the retry plan failed
 *   not_sent   no attempt was made; the event is kept for replay
 */
export const deliveryStates = ['pending', 'delivered', 'retrying', 'given_up', 'not_sent'] as const

export type DeliveryState = (typeof deliveryStates)[number]

export interface DeliveryReport {
  sequence: number
  eventUuid: string
  eventType: string
  /** The user whom the event is about. */
  userId: string
  webhookId: string
  acceptedAtMs: number
  state: DeliveryState
  nextTryAtMs: number | null
  /** In order of time. Attempts of replays have the job's id. */
  attempts: (Attempt & { n: number; replayJobId: string | null })[]
}

/** An event as it was accepted, with what of each webhook's body is its own. */
export interface LoggedEvent {
  sequence: number
  eventUuid: string
  eventType: string
  /** The user whom it is about. */
  userId: string
  acceptedAtMs: number
  content: Buffer
  /** The webhooks that it goes to. */
  targets: Pick<WebhookTarget, 'webhookId' | 'match'>[]
}

export interface DeliveryQuery {
  webhookId?: string
  eventUuid?: string
  state?: DeliveryState
  /** Only deliveries whose next attempt is due in [fromMs, toMs). */
  nextTry?: { fromMs: number; toMs: number }
  /** Only deliveries with a sequence number below this. For the next page: the last one of the previous page. */
  before?: number
  limit: number
}

/** `next` is the `before` of the next page, or null at the end. */
export interface DeliveryPage {
  reports: DeliveryReport[]
  next: number | null
}

/** Deliveries that may be opened again: those of a webhook with a sequence number in (after, before), of events in this order. */
export interface Reopening {
  webhookId: string
  after: number
  before: number
  /** The state that they ended in. */
  states: readonly EndedState[]
  /** Only those of events of this type. */
  eventType?: string
  /** Counts what would be opened, and opens nothing. */
  isDryRun?: boolean
  /** When they are due. */
  dueMs: number
  /** At most so many are opened. */
  limit: number
}

/** The open deliveries of a webhook. */
export interface OpenCount {
  count: number
  /** When the event of the oldest was accepted; undefined when none is open. */
  sinceMs: number | undefined
}

/** The states of a delivery that has ended. */
export type EndedState = Exclude<DeliveryState, 'pending' | 'retrying'>

/** How many deliveries were opened again, and the sequence number to go on after; null when none is left. */
export interface Reopened {
  count: number
  next: number | null
}

/** Events with a sequence number in [from, before) whose content has some bytes, newest first. */
export interface ContentSearch {
  /** The bytes that the content must have somewhere. */
  bytes: Buffer
  from: number
  before: number
  /** At most so many events are looked at; a slice also ends with the one whose content reaches `SEARCH_SLICE_BYTES`. */
  looks: number
  /** A slice ends once so many are found. */
  limit: number
}

/** A slice of a search looks at so many bytes of content, and at one event more. */
export const SEARCH_SLICE_BYTES = 1 << 20

export interface ContentSlice {
  found: Omit<LoggedEvent, 'targets'>[]
  /** The sequence number of the last event that was looked at, where the next slice goes on below; null when none is left. */
  last: number | null
}

/** Retries that are due and that nobody holds. */
export interface DueRetries {
  /** Counted up to a limit. */
  count: number
  /** When the first of them fell due. */
  sinceMs: number | undefined
}

/** The events of the log. */
export interface LogExtent {
  /** Counted up to a limit. */
  events: number
  /** When the oldest was accepted; undefined without any. */
  oldestMs: number | undefined
}

/** Told of each commit: how long it took, and whether it succeeded. */
export type CommitListener = (durationMs: number, succeeded: boolean) => void

/** Told of each takeover: how many processes had ended without a shutdown, and how many deliveries they held. */
export type TakeOverListener = (processes: number, deliveries: number) => void

export interface TrimOptions {
  /** Only events about these users. */
  userIds?: readonly string[]
  /** Called between two slices: the next one waits for it. The trim ends if it resolves to false. */
  pause?: () => Promise<boolean>
}

/**
 * The append-only log of accepted events, their deliveries and attempts. An event whose `append` resolved is never lost.
 *
 * A delivery is *open* from its append until its final acknowledgement. An open delivery is *held* by a process (handed out and not yet
 * acknowledged), *waiting* (its webhook is parked) or *retrying*. If a process dies, the next `recover` takes over what it held, so a
 * delivery may happen twice, never zero times.
 *
 * The life of a delivery:
 *   appended → held → acknowledged: delivered | given up | not sent
 *                  → acknowledged with retryAtMs: retrying → (due) held → …
 *   appended → waiting (its webhook is parked) → (read back) held → …
 *   acknowledged → (reopened by an operator) retrying → …
 */
export interface EventLog {
  /**
   * Appends events, all or none, and resolves once they are durable (group commit). Rejects with `Unavailable` if the database is
   * unavailable or full. Deliveries of webhooks that are not parked are passed to the `onHeld` listener; those of parked ones wait.
   */
  append(events: readonly NewEvent[]): Promise<Accepted[]>
  /** Sets the listener for deliveries that this process now holds. It is called after they are durable, before `append` resolves. Set it once, before `recover`. */
  onHeld(held: (deliveries: Delivery[]) => void): void
  /** Sets the listener for entries of streams. Set it once, before `recover`. */
  onStream(listener: StreamListener): void
  /** A page of an app's stream. There may be more if it has `limit` entries or `STREAM_PAGE_BYTES`. */
  readStream(range: StreamRange): Promise<StreamEntry[]>
  /** Call it every few seconds while this process serves streams: a lost connection to the other processes is noticed. */
  watchStreams(): void
  /** Tells the other processes that deliveries are due or wait, because this one does not send. On SQLite there is no other. */
  callForWork(): void
  /** When the oldest event with a delivery that waits for a process was accepted; on PostgreSQL alone. Of many that wait, the oldest of some. */
  unclaimedSinceMs(): Promise<number | undefined>
  /** Sets the listener that is called when there may be deliveries for `recover`, because another process released some. Set it once, before `recover`. */
  onWork(work: () => void): void
  /**
   * Sets the listener that is called when another process has taken over what this one held, because it was frozen or cut off: of several
   * logs, what it held of one. It forgets the held deliveries that are lost and returns how many they were. Set it once, before `recover`.
   */
  onLost(lost: (isLost: (delivery: DeliveryKey) => boolean) => number): void
  /**
   * Call it before each attempt, also of a replay. Undefined: no other process has taken over what this one holds. Otherwise it asks, and
   * resolves if none has; it rejects with `Unavailable` once the `onLost` listener was called, if the database does not answer, or while
   * the one log of several that has the delivery cannot record attempts.
   */
  confirmHeld(delivery: DeliveryKey): Promise<void> | undefined
  /**
   * Sets the listener that is called with an error when attempts cannot be committed, and with null once they can again. Acknowledgements
   * stay in memory meanwhile, so the caller should stop sending. Set it once, before `recover`.
   */
  onStalled(stalled: (error: unknown | null) => void): void
  /** Calls the listener after each commit. Set once. */
  onCommit(listener: CommitListener): void
  /** Calls the listener when this process has released what dead processes held; on PostgreSQL alone. Set once. */
  onTakeOver(listener: TakeOverListener): void
  /**
   * Records an attempt of a held delivery, which is no longer held then. It is due again at `retryAtMs`; null means that this was its last
   * attempt. Batched with the next append, or committed soon. Resolves once committed.
   */
  acknowledge(delivery: Delivery, attempt: Attempt, retryAtMs: number | null): Promise<void>
  /** Records an attempt of a replay. The state of the delivery does not change. */
  recordReplay(delivery: DeliveryKey, replayJobId: string, attempt: Attempt): Promise<void>
  /**
   * Parks a webhook that has fallen behind: `unsent` (held deliveries that were never tried) are released, and its deliveries wait in
   * the log, without using memory, until `read` has returned the last of them.
   */
  park(webhookId: string, unsent: readonly Delivery[]): void
  /** Returns the oldest waiting deliveries of a parked webhook, up to `RANGE_PAGE_BYTES`, which are held now. Empty if it has caught up and is no longer parked. */
  read(webhookId: string, limit: number): Promise<Delivery[]>
  /** Returns retrying deliveries that are due, earliest first, which are held now. Webhooks in `except` are skipped. */
  takeDue(nowMs: number, limit: number, except?: readonly string[]): Promise<Delivery[]>
  /** When the next retry is due, without the webhooks in `except`; undefined if there is none. */
  nextDueMs(except?: readonly string[]): Promise<number | undefined>
  /** The number of due retries that no process holds, at most `limit`. */
  dueRetries(nowMs: number, limit: number): Promise<DueRetries>
  /** The number of retries that are due in (fromMs, toMs], at most `limit`. */
  plannedRetries(fromMs: number, toMs: number, limit: number): Promise<number>
  /**
   * Makes ended deliveries due again, oldest first. An open one (pending, in flight, retrying) stays as it is, so it is not duplicated.
   * Durable once this resolves. A call looks at a bounded number of deliveries.
   */
  reopen(reopening: Reopening): Promise<Reopened>
  /** The open deliveries of each of these webhooks, counted up to `limit`, with few queries. */
  countOpen(webhookIds: readonly string[], limit: number): Promise<Map<string, OpenCount>>
  /** Records the webhook's waiting and retrying deliveries as `not_sent` with this reason. Held ones are left to the caller. */
  cancel(webhookId: string, atMs: number, reason: string): Promise<void>
  /**
   * Takes over every delivery that no live process holds: at the start, and on PostgreSQL after another process has died. As many as fit
   * are passed to the `onHeld` listener; webhooks with more are parked and returned.
   */
  recover(): Promise<{ parked: string[] }>
  /** A page of the deliveries of the webhook in [fromMs, toMs) with a sequence number above `after`, in any state, oldest first; empty if there are no more. For replay: none becomes held. */
  range(webhookId: string, fromMs: number, toMs: number, after: number, limit: number): Promise<Delivery[]>
  /** How many deliveries `range` has, counted up to `limit`. */
  countRange(webhookId: string, fromMs: number, toMs: number, limit: number): Promise<number>
  /** Deliveries with their attempts, newest first. The last event is never split, so there may be a few more than `limit`. */
  report(query: DeliveryQuery): Promise<DeliveryReport[]>
  /** The same, but looks at a bounded number of events: of a state there may be fewer than `limit`, although there are more. */
  reportPage(query: DeliveryQuery): Promise<DeliveryPage>
  /** One bounded slice of a search in what events carry. */
  search(search: ContentSearch): Promise<ContentSlice>
  /** Looks up an event, also one that goes to no webhook. Undefined for an unknown uuid, and once it is trimmed. */
  find(eventUuid: string): Promise<LoggedEvent | undefined>
  /** How many events there are, counted up to `limit`, and how old the oldest is. */
  extent(limit: number): Promise<LogExtent>
  /** Deletes events accepted before `beforeMs` and what belongs to them, except events with open deliveries. Works in slices, so that appends can run between. Returns how many were deleted; of several logs each keeps and counts what it has of an event. */
  trim(beforeMs: number, options?: TrimOptions): Promise<number>
  /** Rejects if the log cannot be read or cannot commit. Writes only if the last commit failed. */
  probe(): Promise<void>
  /** Commits the current batch. */
  flush(): Promise<void>
  /** Deletes everything. For a reset in development. */
  wipe(): Promise<void>
  /** In development. After a restore, call `recover`. */
  snapshots: Snapshots
  close(): Promise<void>
}
