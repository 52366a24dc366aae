import { fetchHandler } from '../fetch-handler.ts'
import { prepareReceiver, type ReceiverOptions } from '../receiver-options.ts'
import { answerChallenge, findChallengeSecret } from './challenge.ts'
import { verifySignature } from './signature.ts'

/** A request handler for servers that call `fetch(request)`. It works without `this`, so it can be passed around. */
export interface Receiver {
  fetch(request: Request): Promise<Response>
}

/**
 * A webhook callback for every runtime that has `fetch` and WebCrypto: answers challenges (CRC), verifies the signature of
 * each event and drops duplicates (§4.2, §6), with the status codes of the receiver for Node.
 * Throws a TypeError for invalid `secrets` and limits.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { handle, limits } = prepareReceiver(options, { verifySignature, findChallengeSecret, answerChallenge })
  return { fetch: fetchHandler(handle, limits) }
}
