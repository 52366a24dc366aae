/** A notification of PostgreSQL has less than 8,000 bytes. */
export const MOST_MESSAGE_BYTES = 7900

export interface FeedHeard {
  notified(message: string): void
  /** The connection was lost and is back: messages may have been missed. */
  restored(): void
}

/** What the operators' feeds of the processes that share a database tell each other. Nothing is stored. */
export interface FeedChannel {
  isConnected(): boolean
  /** Sends messages of at most `MOST_MESSAGE_BYTES` to all processes, also to this one. Rejects if the connection is lost. */
  send(messages: readonly string[]): Promise<unknown>
  /** Takes the place of the former listener. */
  listen(heard: FeedHeard): void
}
