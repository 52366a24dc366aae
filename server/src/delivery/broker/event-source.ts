/** A message of a broker that this process has taken. It is settled once: accepted, discarded or given back. */
export interface SourceMessage {
  /** The stream, topic or partition that it is in. */
  stream: string
  /** The same for all messages of one life of the stream: one that was deleted and made anew has another. */
  streamLife: string
  /** Its place there: a whole number that grows, the same with every delivery. */
  sequence: number
  subject: string
  /** What its producer calls it (`Nats-Msg-Id`); undefined if it says nothing. */
  producerId: string | undefined
  body: Buffer
  /** When the broker received it, by its clock. */
  receivedAtMs: number
  /** How often it was delivered, to any process, this time included. */
  deliveries: number
  /** What is in it is done: the broker delivers it no more. */
  accept(): void
  /** It can never be done: the broker delivers it no more, and may tell its operators. */
  discard(): void
  /** The broker delivers it again after so long, to whoever asks. */
  giveBack(delayMs: number): void
}

/** What waits at the broker. */
export interface SourceBacklog {
  /** Messages that were never delivered. */
  pending: number
  /** Messages that were delivered, to any process, and are not settled. */
  unsettled: number
}

/**
 * A stream of a broker with a place that is kept there, which several processes share: each message goes to one of them, and to another one
 * if it is not settled in time. A source reconnects for ever, and logs each outage once.
 *
 * At most two batches of it are in memory: the one that was taken, and the one that is pulled meanwhile.
 */
export interface EventSource {
  /** Waits for messages and answers those at hand, oldest first, at least one; none once the source is stopped. Never rejects. */
  take(): Promise<SourceMessage[]>
  /** Gives back these messages in their order, then what was pulled besides. Until the next `take` nothing is pulled. */
  giveBack(messages: readonly SourceMessage[]): Promise<void>
  /** Whether the broker can be used now. */
  isConnected(): boolean
  /** Asks the broker; rejects if it does not answer. */
  backlog(): Promise<SourceBacklog>
  /** Pulls nothing more. What was pulled and not taken is given back; what was taken can still be settled. */
  stop(): Promise<void>
  /** Closes the connection once the broker has heard how messages were settled. */
  close(): Promise<void>
}
