/** So many messages are kept. */
export const MOST_PARKED = 1_000

/** Of each message so many bytes are kept: the largest event that may be published. */
export const MOST_PARKED_BYTES = 256 * 1024

/** A message of a broker that can never be published. */
export interface ParkedMessage {
  id: string
  /** The stream that it is in, and its place there. */
  stream: string
  sequence: number
  subject: string
  /** Why it is not published: sentences. */
  reason: string
  /** Its size. */
  bytes: number
  /** What it holds, as text, up to `MOST_PARKED_BYTES`. */
  content: string
  /** When the broker received it. */
  receivedAtMs: number
  parkedAtMs: number
}

/** Messages of a broker that can never be published, for operators to look at. */
export interface ParkedMessageStore {
  /**
   * Keeps a message; durable once this resolves. One that is kept already, by the life of its stream and its sequence, changes nothing.
   * Returns false, and keeps nothing, while there are `MOST_PARKED`.
   */
  park(message: ParkedMessage, streamLife: string): Promise<boolean>
  /** Newest first, with the first `characters` of each: those whose id is before `before`. */
  list(before: string | null, limit: number, characters: number): Promise<ParkedMessage[]>
  byId(id: string): Promise<ParkedMessage | undefined>
  /** Returns false if there is no such message. */
  discard(id: string): Promise<boolean>
  count(): Promise<number>
}
