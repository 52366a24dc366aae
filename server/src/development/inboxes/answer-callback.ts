import { pathOf } from '../../api/declare/raw-request.ts'
import { challengeSecrets } from '../../delivery/signing-secrets.ts'
import { equalInConstantTime, signature } from '../../lib/crypto.ts'
import { readExactJson } from '../../lib/numbers.ts'
import type { App } from '../../storage/apps.ts'
import type { ReceivedEvent } from './kept-events.ts'

/** What a callback is asked. */
export interface CallbackRequest {
  method: string
  target: string
  /** The signature header, if there is one. */
  signature: string | undefined
  body: Buffer
}

export interface CallbackAnswer {
  status: number
  body: object
}

const isSignedBy = (sent: string | undefined, message: string | Buffer, secrets: readonly string[]) =>
  sent !== undefined && secrets.map((secret) => equalInConstantTime(sent, signature(secret, message))).includes(true)

const answer = (status: number, message: string): CallbackAnswer => ({ status, body: { message } })

/** Answers a challenge (CRC, §4.2) that is signed with a consumer secret of the app, by signing its token with the same. */
export function answerChallenge({ target, signature: sent }: CallbackRequest, app: App, nowMs: number): CallbackAnswer {
  const query = target.slice(pathOf(target).length + 1)
  const token = new URLSearchParams(query).get('crc_token')
  if (token === null) return answer(400, 'A GET must be a challenge with a crc_token.')
  const secret = challengeSecrets(app, nowMs).find((one) => isSignedBy(sent, query, [one]))
  if (secret === undefined) return answer(401, 'The signature of the challenge matches no consumer secret of the app.')
  return { status: 200, body: { response_token: signature(secret, token) } }
}

type Members = Record<string, unknown>

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)

/** The value of a body in JSON; undefined for anything else. */
export function readBody(body: Buffer): unknown {
  try {
    return readExactJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/** What an event says of itself. One without `data`, such as `replay_job_status`, is of the type that its only member names. */
function readEvent(body: Buffer): Pick<ReceivedEvent, 'eventUuid' | 'eventType' | 'userId'> {
  const event = membersOf(readBody(body))
  const data = membersOf(event.data)
  return {
    eventUuid: textOrNull(data.event_uuid),
    eventType: textOrNull(data.event_type) ?? Object.keys(event).find((name) => name !== 'data') ?? null,
    userId: textOrNull(membersOf(data.filter).user_id),
  }
}

const UNKNOWN = { eventUuid: null, eventType: null, userId: null }

/** Verifies an event, and answers as a receiver should: 200 for what it keeps, 401 for a wrong signature, 400 for what is no JSON. */
export function receiveEvent(
  { signature: sent, body }: CallbackRequest,
  app: App,
  nowMs: number,
): { event: ReceivedEvent; answer: CallbackAnswer } {
  const verified = isSignedBy(sent, body, challengeSecrets(app, nowMs))
  const event = { atMs: nowMs, body, signature: sent ?? null, verified, ...(verified ? readEvent(body) : UNKNOWN) }
  if (!verified) return { event, answer: answer(401, 'The signature does not match the body with a consumer secret of the app.') }
  if (readBody(body) === undefined) return { event, answer: answer(400, 'The signature is valid, but the body is not JSON.') }
  return { event, answer: answer(200, 'Received.') }
}
