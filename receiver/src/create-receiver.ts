import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerRequests } from './answer-requests.ts'
import type { BodyLimits } from './body-limits.ts'
import { checkSecrets } from './check-secrets.ts'
import { type Happening, logFailures } from './happening.ts'
import type { ReceivedEvent } from './parse-event.ts'
import { readFetchBody } from './read-fetch-body.ts'
import { readNodeBody } from './read-node-body.ts'
import { writeNodeAnswer } from './write-node-answer.ts'

export interface ReceiverOptions {
  /** The consumer secrets of the apps whose webhooks point here. */
  secrets: readonly string[]
  /** Called with each new event. The sender hears 200 once it has resolved, and 500, so that it sends again, when it throws. */
  onEvent: (event: ReceivedEvent) => void | Promise<void>
  /** How many of the latest event ids are remembered, to drop duplicates. Default 10,000. */
  remember?: number
  /** Default 1 MB. */
  maxBodyBytes?: number
  /** How long a body may take to arrive. Default 10 s, as long as a sender waits for the answer. */
  bodyTimeoutMs?: number
  /** Told of everything but the events. Default: failures go to the console. */
  log?: (happening: Happening) => void
}

/** One receiver for two kinds of servers. Both functions may be passed on by themselves. */
export interface Receiver {
  fetch(request: Request): Promise<Response>
  node(request: IncomingMessage, response: ServerResponse): void
}

/**
 * A callback: answers challenges, verifies the signature of each event and drops duplicates (§4.2, §6).
 *
 * Answers 200; 400 for a malformed challenge or a signed body that is not JSON; 401 without a right signature; 405 for
 * other verbs; 408 and 413 for a body too slow or too large; 500 when `onEvent` throws or a body parser took the raw body.
 * Throws a TypeError when `secrets` are unusable.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { secrets, onEvent, remember = 10_000, log = logFailures } = options
  const limits: BodyLimits = { maxBodyBytes: options.maxBodyBytes ?? 1_000_000, bodyTimeoutMs: options.bodyTimeoutMs ?? 10_000 }
  checkSecrets(secrets)
  const answer = answerRequests({ secrets, onEvent, remember, log })

  return {
    async fetch(request) {
      const { status, headers, body } = await answer({
        method: request.method,
        query: queryOf(request.url),
        header: (name) => request.headers.get(name),
        body: () => readFetchBody(request, limits),
      })
      return Response.json(body, { status, headers })
    },

    node(request, response) {
      const answered = answer({
        method: request.method ?? '',
        query: queryOf(request.url ?? ''),
        header: (name) => request.headers[name],
        body: () => readNodeBody(request, limits),
      })
      answered
        .then((value) => writeNodeAnswer(request, response, value))
        .catch((error) => {
          console.error(error)
          response.destroy()
        })
    },
  }
}

/** What follows the first `?`, as it came over the wire. A Request keeps a fragment, which no server ever sees. */
function queryOf(url: string): string {
  const withoutFragment = url.split('#', 1)[0]!
  const start = withoutFragment.indexOf('?')
  return start < 0 ? '' : withoutFragment.slice(start + 1)
}
