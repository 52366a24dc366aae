import type { Caller } from './auth.ts'

/** A part of a multipart body, whose bytes are taken in as they come. */
export interface StreamedPart {
  name: string
  bytes: AsyncIterable<Uint8Array>
}

/**
 * A multipart body besides the declared one: its parts are parameters, but for one, which is streamed. Nobody holds more of it than a piece,
 * and nothing of it is read before the caller is known and counted.
 */
export interface StreamedBody<Received, C extends Caller, Services> {
  /** The parts that are streamed; a body has at most one of them. */
  parts: readonly string[]
  /** What such a part is, for the description. */
  description: string
  /** Of the part; what else comes in a body is limited by itself. */
  maxBytes: number
  /** Takes a part in. What it rejects with is answered. */
  receive(part: StreamedPart, caller: C, services: Services): Promise<Received>
  /** Removes what was taken in by a request that is refused. */
  discard(received: Received, services: Services): Promise<void>
}
