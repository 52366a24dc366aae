import { assertLimits, type BodyLimits } from './body-limits.ts'
import type { ReceivedEvent } from './event.ts'
import { createRequestHandler, type LogEntry, type RequestHandler } from './handle-request.ts'
import type { Signatures } from './signatures.ts'
import { assertSecrets } from './signatures.ts'

export interface ReceiverOptions {
  /** The consumer secrets of the apps whose webhooks point here. */
  secrets: readonly string[]
  /**
   * Called with each new event, and the bytes of JSON that it was parsed from: whole numbers beyond 2^53 have all their digits there alone. The
   * sender gets 200 once it has resolved, and 500 when it throws, so that it retries.
   */
  onEvent: (event: ReceivedEvent, body: Uint8Array) => void | Promise<void>
  /** How many of the latest event ids are cached to drop duplicates. Default 10,000. */
  dedupeCacheSize?: number
  /** Default 1 MB. */
  maxBodyBytes?: number
  /** How long a body may take to arrive. Default 10 s, as long as a sender waits for the response. */
  bodyTimeoutMs?: number
  /** Called for everything but new events. Default: writes failures to the console. */
  log?: (entry: LogEntry) => void
}

/** The default `log`: writes failures to the console. */
function logFailures(entry: LogEntry): void {
  if (entry.msg === 'failed') console.error(`webhook receiver: ${entry.reason}`, entry.error ?? '')
}

const OPTIONS: readonly string[] = [
  'secrets',
  'onEvent',
  'dedupeCacheSize',
  'maxBodyBytes',
  'bodyTimeoutMs',
  'log',
] satisfies (keyof ReceiverOptions)[]

/** Throws a TypeError for an option that there is not, and without an `onEvent`: each event would be answered with 500, and sent again. */
function assertOptions(options: ReceiverOptions): void {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined) throw new TypeError(`createReceiver has no option ${unknown}. It has ${OPTIONS.join(', ')}.`)
  if (typeof options.onEvent !== 'function') throw new TypeError('onEvent must be a function, which is called with each new event')
}

/** What both kinds of receivers are made of. Throws a TypeError for an unknown option, and for an invalid `secrets`, `onEvent` or limit. */
export function prepareReceiver(options: ReceiverOptions, signatures: Signatures): { handle: RequestHandler; limits: BodyLimits } {
  const { secrets, onEvent, dedupeCacheSize = 10_000, log = logFailures } = options
  const limits = { maxBodyBytes: options.maxBodyBytes ?? 1_000_000, bodyTimeoutMs: options.bodyTimeoutMs ?? 10_000 }
  assertOptions(options)
  assertSecrets(secrets)
  assertLimits(limits)
  return { handle: createRequestHandler({ secrets, onEvent, dedupeCacheSize, log, signatures }), limits }
}
