import { Failure } from '../failure.ts'
import { dateMs, isAgo, timeMs, wrongTime } from '../read-values.ts'
import type { Server } from '../server.ts'

const NOT_FOUND = 404
const SECOND_MS = 1000

/** The end of the second in which an answer was made, so that whatever had happened before is earlier; this machine's time if it does not say. */
function answeredMs(headers: Headers | undefined): number {
  const ms = Date.parse(headers?.get('date') ?? '')
  return Number.isNaN(ms) ? Date.now() : ms + SECOND_MS - 1
}

/**
 * The time of the server's clock, which tests move. Production has no clock that moves: the `Date` of its answer is its time, which this
 * machine's need not be.
 */
export async function serverTimeMs(server: Server): Promise<number> {
  try {
    const { data } = await server.operator('POST', '/operator/clock', { json: { step: '0s' } })
    return Date.parse(data.now)
  } catch (error) {
    if (error instanceof Failure && error.answer?.status === NOT_FOUND) return answeredMs(error.answer.headers)
    throw error
  }
}

/** The ISO times of --from and --to. The server's clock is asked only where one says how long ago it is. */
export async function timesOf(server: Server, { from, to }: { from?: string | undefined; to?: string | undefined }) {
  const nowMs = isAgo(from) || isAgo(to) ? await serverTimeMs(server) : Date.now()
  const iso = (option: string, text: string | undefined) =>
    text === undefined ? undefined : new Date(timeMs(option, text, nowMs)).toISOString()
  return { from: iso('--from', from), to: iso('--to', to) }
}

/** The ISO time of an option about what has been; a duration says how long ago, by the server's clock. */
export async function timeGone(server: Server, option: string, text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined
  return new Date(timeMs(option, text, isAgo(text) ? await serverTimeMs(server) : Date.now())).toISOString()
}

/** The ISO time of an option about what is to come; a duration says how long from now, by the server's clock. */
export async function timeToCome(server: Server, option: string, text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined
  const ms = dateMs(text)
  if (ms !== undefined) return new Date(ms).toISOString()
  if (!isAgo(text)) throw wrongTime(option, text, ', or how long from now such as 10m')
  const nowMs = await serverTimeMs(server)
  return new Date(2 * nowMs - timeMs(option, text, nowMs)).toISOString()
}

interface Attempt {
  n: number
  at: string
  status: number | null
  latency_ms: number
  error: string
  response: string
  /** What may be wrong where the callback refused the signature. */
  hint?: string
}

/** What of an attempt says how it ended. */
type Result = Pick<Attempt, 'status' | 'latency_ms' | 'error' | 'response' | 'hint'>

/** A delivery, as `GET /operator/deliveries` lists it. */
export interface Delivery {
  event_uuid: string
  event_type: string
  webhook_id: string
  url: string | null
  accepted_at: string
  state: string
  next_try_at: string | null
  attempts: Attempt[]
}

const RESPONSE_CHARACTERS = 200

/** What the callback answered in its own words, after an error. */
const sayResponse = ({ response }: Result) => (response === '' ? '' : `: ${response.slice(0, RESPONSE_CHARACTERS)}`)

/** How an attempt ended. */
export const sayAttempt = (attempt: Result): string =>
  attempt.error === ''
    ? `${attempt.status} in ${attempt.latency_ms} ms`
    : `${attempt.error}${sayResponse(attempt)}${attempt.hint ? ` (${attempt.hint})` : ''}`

/** What to do about a delivery that was not sent. */
export const sayMend = (reason: string | undefined, webhookId: string): string =>
  reason?.includes('webhook invalid') ? `; validate it with PUT /2/webhooks/${webhookId}` : ''

/** One line about a delivery: where it went, and how that ended. */
export function sayDelivery({ webhook_id, url, state, attempts, next_try_at }: Delivery): string {
  const last = attempts.at(-1)
  const ended = last ? sayAttempt(last) : ''
  const to = `${url ?? 'a deleted webhook'} (webhook ${webhook_id})`
  if (state === 'delivered') return `delivered to ${to}: ${ended}`
  if (state === 'not_sent') return `not sent to ${to}: ${last?.error}${sayMend(last?.error, webhook_id)}`
  if (state === 'pending') return `not tried yet: ${to}`
  return state === 'given_up' ? `given up: ${to}: ${ended}` : `to be tried again at ${next_try_at}: ${to}: ${ended}`
}
