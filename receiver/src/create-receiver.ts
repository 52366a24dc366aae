import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyLimits } from './body-limits.ts'
import type { ReceivedEvent } from './event.ts'
import { createRequestHandler } from './handle-request.ts'
import { type LogEntry, logFailures } from './log.ts'
import { readFetchBody } from './read-fetch-body.ts'
import { readNodeBody } from './read-node-body.ts'
import { assertSecrets } from './signature.ts'
import { writeNodeResponse } from './write-node-response.ts'

export interface ReceiverOptions {
  /** The consumer secrets of the apps whose webhooks point here. */
  secrets: readonly string[]
  /** Called with each new event. The sender gets 200 once it has resolved, and 500 when it throws, so that it retries. */
  onEvent: (event: ReceivedEvent) => void | Promise<void>
  /** How many of the latest event ids are cached to drop duplicates. Default 10,000. */
  dedupeCacheSize?: number
  /** Default 1 MB. */
  maxBodyBytes?: number
  /** How long a body may take to arrive. Default 10 s, as long as a sender waits for the response. */
  bodyTimeoutMs?: number
  /** Called for everything but new events. Default: writes failures to the console. */
  log?: (entry: LogEntry) => void
}

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
  const { secrets, onEvent, dedupeCacheSize = 10_000, log = logFailures } = options
  const limits: BodyLimits = { maxBodyBytes: options.maxBodyBytes ?? 1_000_000, bodyTimeoutMs: options.bodyTimeoutMs ?? 10_000 }
  assertSecrets(secrets)
  const handle = createRequestHandler({ secrets, onEvent, dedupeCacheSize, log })

  return {
    async fetch(request) {
      const { status, headers, body } = await handle({
        method: request.method,
        query: queryOf(request.url),
        header: (name) => request.headers.get(name),
        body: () => readFetchBody(request, limits),
      })
      return Response.json(body, { status, headers })
    },

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

/** The raw query string. A fetch Request keeps the fragment, which a server never receives. */
function queryOf(url: string): string {
  const withoutFragment = url.split('#', 1)[0]!
  const start = withoutFragment.indexOf('?')
  return start < 0 ? '' : withoutFragment.slice(start + 1)
}
