import type { Outcome, Stage } from '../send/outcome.ts'
import { readTarget } from '../send/target.ts'
import type { CrcCheck } from './check-crc-response.ts'

/** The steps of a challenge, in order. Without TLS there is no `tls`. */
export const challengeStepNames = ['resolve', 'address', 'connect', 'tls', 'request', 'status', 'body', 'signature'] as const

type StepName = (typeof challengeStepNames)[number]

/** How a step ended: `mend` must be mended. */
export interface ChallengeStep {
  step: StepName
  outcome: 'ok' | 'mend'
  /** Whole milliseconds. */
  ms: number
  /** What was found. */
  says: string
  /** What to do about it. */
  mend?: string
}

/** A challenge that has ended. */
export interface EndedChallenge {
  /** The requested URL with the whole query. */
  url: string
  token: string
  /** The header with the signature of the request. */
  headerName: string
  /** How many secrets of the app count: the current one, and former ones. */
  secrets: number
  outcome: Outcome
  check: CrcCheck
}

const FAILED_AT: Partial<Record<Stage, StepName>> = {
  name_not_resolved: 'resolve',
  address_not_allowed: 'address',
  connection_refused: 'connect',
  connection_failed: 'connect',
  tls: 'tls',
}

/** When the steps began, in milliseconds; undefined for one that was not come to. See `Steps`. */
const begunAt = ({ timing }: Pick<Outcome, 'timing'>) => timing.split(',').map((text) => (text === '' ? undefined : Number(text)))

/** Where a request failed: its stage says so, or the last step that had begun. */
function failedAt(outcome: Outcome & { kind: 'failed' }, isSecure: boolean): StepName {
  const stage = FAILED_AT[outcome.stage]
  if (stage !== undefined) return stage
  const [connecting, handshaking, waiting, reading] = begunAt(outcome)
  if (reading !== undefined) return 'body'
  if (waiting !== undefined || outcome.timing === '') return 'status'
  if (handshaking !== undefined && isSecure) return 'tls'
  return connecting === undefined ? 'resolve' : 'connect'
}

const failedStep = ({ outcome, check }: EndedChallenge, isSecure: boolean): StepName | undefined => {
  if (outcome.kind === 'failed') return failedAt(outcome, isSecure)
  return check.passed ? undefined : check.step
}

const allowed = ({ restricted }: Outcome) =>
  restricted ? 'it is not public, and POSTERN_CALLBACK_ALLOW allows it' : 'callbacks may reach it'

/** What a callback answers as `response_token` (§4.2). */
export const TOKEN_FORM =
  'sha256= and the base64 of HMAC-SHA256, with the consumer secret of the app as the key, over the value of crc_token'

/** Which secret the answer is signed with, where there are several. */
const signedWith = (check: CrcCheck, secrets: number) => {
  if (secrets === 1 || !check.passed) return ''
  return check.secret === 0 ? ', signed with the current secret' : ', signed with a former secret that is still valid'
}

/** What is found at each step that went well. */
const found = ({ url, headerName, secrets, outcome, check }: EndedChallenge, host: string): Record<StepName, string> => ({
  resolve: `the name ${host} has an address`,
  address: allowed(outcome),
  connect: outcome.peer,
  tls: `the certificate for ${host} is accepted`,
  request: `GET ${url}, signed in ${headerName}`,
  status: outcome.kind === 'answered' ? String(outcome.status) : '',
  body: 'a JSON object with response_token',
  signature: `response_token is right: ${TOKEN_FORM}${signedWith(check, secrets)}`,
})

/** When the steps ended, in milliseconds since the beginning; those that are none of the connection take no time. */
function ends({ timing, latencyMs }: Outcome, isSecure: boolean): Partial<Record<StepName, number>> {
  const [connecting, handshaking, waiting, reading] = begunAt({ timing })
  return { resolve: connecting, connect: isSecure ? handshaking : waiting, tls: waiting, status: reading, body: latencyMs }
}

/** A fault of development answers without the callback. */
const OF_THE_ANSWER: readonly StepName[] = ['status', 'body', 'signature']

const isTaken = (name: StepName, { peer }: Outcome, isSecure: boolean) =>
  (name !== 'tls' || isSecure) && (peer !== '' || OF_THE_ANSWER.includes(name))

/** Tells a challenge step by step up to the one that failed: what was found, and what was expected. Neither secret nor the right token is in it. */
export function challengeSteps(ended: EndedChallenge): ChallengeStep[] {
  const { url, token, outcome, check } = ended
  const target = readTarget(url)
  if (target instanceof Error) return [{ step: 'resolve', outcome: 'mend', ms: 0, says: target.message }]
  const { host, secure, isAddress } = target
  const names = challengeStepNames.filter((name) => isTaken(name, outcome, secure))
  const failed = failedStep(ended, secure)
  const says = { ...found(ended, host), ...(isAddress && { resolve: `${host} is an address already` }) }
  const endedAt = ends(outcome, secure)
  let sinceMs = 0
  return names.slice(0, failed === undefined ? undefined : names.indexOf(failed) + 1).map((step): ChallengeStep => {
    const endMs = Math.max(sinceMs, step === failed && outcome.kind === 'failed' ? outcome.latencyMs : (endedAt[step] ?? 0))
    const ms = endMs - sinceMs
    sinceMs = endMs
    if (step !== failed || check.passed) return { step, outcome: 'ok', ms, says: says[step] }
    const mend = step === 'signature' ? { mend: `Expected is ${TOKEN_FORM}, here ${token}.` } : {}
    return { step, outcome: 'mend', ms, says: check.details, ...mend }
  })
}
