import { PassThrough, type Readable } from 'node:stream'
import type { BodyReceiver } from '../../../../delivery/send/read-answer.ts'
import { MINUTE_MS } from '../../../../lib/time.ts'
import { type FetchOptions, failureOf, isCutOff } from '../work/fetch-options.ts'

const TIMEOUT_MS = 10 * MINUTE_MS
const MAX_BYTES = 50 * 1024 * 1024
/** Chunks of a body have sizes of their own on the wire, and what waits for the database is read twice. */
const MAX_WIRE_BYTES = 3 * MAX_BYTES
/** What is held of a file that arrives faster than its rows are stored. */
const BUFFERED_BYTES = 256 * 1024

/** Why a file was not read to its end. */
export class FeedFailure extends Error {}

/** This process is stopping: the feed is fetched again later. */
export class FeedCutOff extends Error {}

const TOO_LARGE = new FeedFailure('the file must be at most 50 MB')

/** Passes a body on as fast as it is read. */
function createFileReceiver(hideRestricted: boolean) {
  const file = new PassThrough({ highWaterMark: BUFFERED_BYTES })
  // It may fail before anybody reads it. Who reads it gets the error from the iteration.
  file.on('error', () => {})
  let bytes = 0
  let waiting: (() => void)[] = []
  const wake = () => {
    const woken = waiting
    waiting = []
    for (const resume of woken) resume()
  }
  file.on('drain', wake).on('close', wake)
  /** Resolves once there is room, or nobody reads any more. */
  const room = async () => {
    await new Promise<void>((resume) => void waiting.push(resume))
    return !file.destroyed
  }
  const receiver: BodyReceiver = {
    maxBytes: MAX_WIRE_BYTES,
    head: (status, _, restricted) => status === 200 && !(hideRestricted && restricted),
    piece(piece) {
      bytes += piece.length
      if (bytes > MAX_BYTES) file.destroy(TOO_LARGE)
      if (file.destroyed) return false
      return file.write(piece) || room()
    },
  }
  return { receiver, file }
}

/**
 * Fetches a file as a stream, which must be read or destroyed. It ends with an error if the file cannot be read to its end: `FeedCutOff` or
 * `FeedFailure`.
 */
export function fetchFeed(url: string, options: FetchOptions): Readable {
  const { receiver, file } = createFileReceiver(options.hideRestricted)
  const headers = ['accept', 'text/csv, text/tab-separated-values, application/xml, */*', 'accept-encoding', 'identity']
  headers.push('user-agent', 'Postern')
  const ended = options.sender.send({ method: 'GET', to: url, headers, timeoutMs: TIMEOUT_MS, receiver })
  void ended.then(
    (outcome) => {
      const failure = failureOf(outcome, options)
      if (isCutOff(outcome)) file.destroy(new FeedCutOff())
      else if (failure !== undefined) file.destroy(new FeedFailure(`the file could not be fetched: ${failure}`))
      else if (outcome.kind === 'answered' && outcome.truncated) file.destroy(TOO_LARGE)
      else file.end()
    },
    () => file.destroy(new FeedCutOff()),
  )
  return file
}
