import { randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { signature } from '../../lib/crypto.ts'
import { type Failed, NOT_REACHABLE } from '../send/outcome.ts'
import type { Outcome, Outgoing } from '../send/sender.ts'
import { type ChallengeStep, challengeSteps } from './challenge-steps.ts'
import { type CrcCheck, checkCrcResponse } from './check-crc-response.ts'
import type { Question } from './wrong-tokens.ts'

/**
 * How a challenge ended. `secret` is the index of the secret with which the response is signed. `reason` is one sentence, without a full
 * stop, that tells an integrator what to fix. `details` is the same without hiding anything, for the operator only.
 */
export type ChallengeResult = ({ passed: true; secret: number } | { passed: false; reason: string; details: string }) & {
  /** Told to those who ask for them; for the operator only. */
  steps?: readonly ChallengeStep[]
}

const TOKEN_BYTES = 32
const DEFAULT_TIMEOUT_MS = 3000
/** A running process notices a deadline within this time; a later one means that the process was frozen. */
const LATE_MS = 1000
/** A hidden failure is returned this long after the deadline, so that a failure at the deadline takes no longer than the others. */
const AFTER_DEADLINE_MS = 20

/** Sends a challenge; whose it is, as far as that is known. */
export type SendChallenge = (out: Outgoing, about: Pick<ChallengedCallback, 'appId' | 'webhookId'>) => Promise<Outcome>

export interface ChallengerOptions {
  sender: { send: SendChallenge }
  clock: Clock
  timeoutMs?: number
  /** `x-service-webhooks-signature`, in the served dialect. */
  headerName: string
  /**
   * Whether every failure of a callback that is not known to be public becomes `address not reachable`, after the deadline: neither the
   * text nor the duration may reveal a private network.
   */
  hideRestricted: boolean
}

export type ChallengeSecrets = readonly [current: string, ...previous: string[]]

interface ChallengedCallback {
  url: string
  secrets: ChallengeSecrets
  appId?: string
  /** Undefined before it is registered. */
  webhookId?: string
  /** Every step is made anew, over a connection of its own, and told. */
  inSteps?: boolean
}

/** The result of one challenge request. */
interface RequestResult {
  check: CrcCheck
  isHidden: boolean
  /** Undefined unless they are asked for. */
  steps: readonly ChallengeStep[] | undefined
}

export interface Challenger {
  /**
   * Challenges a callback. A response signed with any of the secrets passes. The challenge is signed with the current secret; if it fails,
   * the callback is challenged again with each previous one. The returned failure is that of the first. Rejects only with `Unavailable`, when nothing may be
   * sent.
   */
  challenge(callback: ChallengedCallback): Promise<ChallengeResult>
}

/**
 * The challenge-response check (CRC, §4.2): a GET with `crc_token` and `nonce` appended to the callback's own query. It passes
 * with status 200 and JSON whose `response_token` is `sha256=` and the base64 of HMAC-SHA256(consumer secret, crc_token).
 */
export function createChallenger(options: ChallengerOptions): Challenger {
  const { sender, clock, timeoutMs = DEFAULT_TIMEOUT_MS, headerName, hideRestricted } = options

  /** If this process was frozen when the deadline passed, that says nothing about the callback: sends the request again. */
  const sendUnlessFrozen = async (out: Outgoing, callback: ChallengedCallback) => {
    const outcome = await sender.send(out, callback)
    const wasFrozen = outcome.kind === 'failed' && outcome.latencyMs > out.timeoutMs + LATE_MS
    return wasFrozen ? sender.send(out, callback) : outcome
  }

  const request = async (callback: ChallengedCallback, signingSecret: string): Promise<RequestResult> => {
    const { url, secrets, inSteps = false } = callback
    const token = newToken()
    const nonce = newToken()
    const query = `crc_token=${token}&nonce=${nonce}`
    const requestUrl = appendQuery(url, query)
    const headers = ['accept', 'application/json', 'user-agent', 'Postern', headerName, signature(signingSecret, query)]
    const outcome = await sendUnlessFrozen({ method: 'GET', to: requestUrl, headers, timeoutMs, isAlone: inSteps }, callback)
    const question: Question = { token, nonce, query, url: requestUrl, secrets }
    const check = outcome.kind === 'failed' ? unanswered(outcome) : checkCrcResponse(outcome, question)
    const ended = { url: requestUrl, token, headerName, secrets: secrets.length, outcome, check }
    return { check, isHidden: hideRestricted && outcome.restricted, steps: inSteps ? challengeSteps(ended) : undefined }
  }

  const requestWithEachSecret = async (callback: ChallengedCallback): Promise<RequestResult> => {
    const [current, ...previous] = callback.secrets
    const first = await request(callback, current)
    for (const secret of first.check.passed ? [] : previous) {
      const again = await request(callback, secret)
      if (again.check.passed) return again
    }
    return first
  }

  return {
    async challenge(callback) {
      const returnAtMs = clock.elapsed() + callback.secrets.length * timeoutMs + AFTER_DEADLINE_MS
      const { check, isHidden, steps } = await requestWithEachSecret(callback)
      const told = steps && { steps }
      if (check.passed) return { ...check, ...told }
      const { details } = check
      if (!isHidden) return { passed: false, reason: details, details, ...told }
      await new Promise<void>((resolve) => void clock.after(returnAtMs - clock.elapsed(), resolve))
      return { passed: false, reason: NOT_REACHABLE, details, ...told }
    },
  }
}

/** `step` says that nothing was answered; the request may have come no further than its name. */
const unanswered = ({ message }: Failed): CrcCheck => ({ passed: false, step: 'status', details: message })

/** A random token of letters, digits, `-` and `_`. It begins with a letter, so that no client parses it as a number or JSON. */
function newToken(): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return /^[A-Za-z]/.test(token) ? token : newToken()
}

/** Appends to the URL's own query, which stays unchanged byte by byte. */
function appendQuery(url: string, query: string): string {
  const [page = ''] = url.split('#', 1)
  if (!page.includes('?')) return `${page}?${query}`
  return /[?&]$/.test(page) ? page + query : `${page}&${query}`
}
