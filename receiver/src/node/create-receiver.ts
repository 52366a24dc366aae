import type { IncomingMessage, ServerResponse } from 'node:http'
import { fetchHandler } from '../fetch-handler.ts'
import { queryOf } from '../query-of.ts'
import { prepareReceiver, type ReceiverOptions } from '../receiver-options.ts'
import { answerChallenge, findChallengeSecret } from './challenge.ts'
import { readNodeBody } from './read-node-body.ts'
import { verifySignature } from './signature.ts'
import { writeNodeResponse } from './write-node-response.ts'

/** Request handlers for two kinds of servers. Both work without `this`, so they can be passed around. */
export interface Receiver {
  fetch(request: Request): Promise<Response>
  node(request: IncomingMessage, response: ServerResponse): void
}

/**
 * A webhook callback: answers challenges (CRC), verifies the signature of each event and drops duplicates (§4.2, §6).
 *
 * Status codes: 200; 400 for a malformed challenge or a signed body that is not JSON; 401 without a valid signature; 405 for
 * other methods; 408 and 413 for a body too slow or too large; 500 when `onEvent` throws or a body parser has read the raw body.
 * Throws a TypeError when `secrets` are invalid.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { handle, limits } = prepareReceiver(options, { verifySignature, findChallengeSecret, answerChallenge })
  return {
    fetch: fetchHandler(handle, limits),

    node(request, response) {
      const handled = handle({
        method: request.method ?? '',
        query: queryOf(request.url ?? ''),
        header: (name) => request.headers[name],
        body: () => readNodeBody(request, limits),
      })
      handled
        .then((answer) => writeNodeResponse(request, response, answer))
        .catch((error) => {
          console.error(error)
          response.destroy()
        })
    },
  }
}
