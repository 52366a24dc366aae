import { randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { signature } from '../../lib/crypto.ts'
import type { Outgoing, Sender } from '../send/sender.ts'
import { type Judgement, judgeAnswer } from './judge-answer.ts'
import type { Question } from './wrong-tokens.ts'

/**
 * How a challenge ended. `secret` is the place, among those it was made with, of the one that the answer is signed with.
 * `reason` is one sentence, without a full stop, from which an integrator can mend the endpoint. `details` is the same, but
 * hides nothing: it is for the operator alone.
 */
export type ChallengeResult = { passed: true; secret: number } | { passed: false; reason: string; details: string }

const TOKEN_BYTES = 32
const DEFAULT_TIMEOUT_MS = 3000
/** A process that runs notices a deadline sooner than so long after it. */
const LATE_MS = 1000
/** How long after the deadline a hidden failure is told, so that one that comes with the deadline is told with the others. */
const AFTER_DEADLINE_MS = 20

export interface ChallengerOptions {
  sender: Sender
  clock: Clock
  timeoutMs?: number
  /** `x-service-webhooks-signature`, in the dialect that is served. */
  headerName: string
  /**
   * Of a callback that is not known to be public, every failure is `address not reachable`, told once the deadline is over:
   * neither words nor time may map a private network.
   */
  hideRestricted: boolean
}

export type ChallengeSecrets = readonly [current: string, ...previous: string[]]

interface ChallengedCallback {
  url: string
  secrets: ChallengeSecrets
}

/** What became of one challenge. */
interface Asked {
  judgement: Judgement
  isHidden: boolean
}

export interface Challenger {
  /**
   * Challenges a callback. An answer signed with any of the secrets passes. The current one signs the challenge; where it fails, the
   * callback is challenged once more for each previous one, signed with that. A failure is that of the first. Never rejects.
   */
  challenge(callback: ChallengedCallback): Promise<ChallengeResult>
}

/**
 * The challenge-response check (CRC, §4.2): a GET with `crc_token` and `nonce` behind the callback's own query. It passes
 * with status 200 and JSON whose `response_token` is `sha256=` and the base64 of HMAC-SHA256(consumer secret, crc_token).
 */
export function createChallenger(options: ChallengerOptions): Challenger {
  const { sender, clock, timeoutMs = DEFAULT_TIMEOUT_MS, headerName, hideRestricted } = options

  /** A deadline that is noticed late passed while this process was frozen, and says nothing of the callback: it is asked again. */
  const sendAwake = async (out: Outgoing) => {
    const outcome = await sender.send(out)
    const wasFrozen = outcome.kind === 'failed' && outcome.latencyMs > out.timeoutMs + LATE_MS
    return wasFrozen ? sender.send(out) : outcome
  }

  const ask = async ({ url, secrets }: ChallengedCallback, signing: string): Promise<Asked> => {
    const token = newToken()
    const nonce = newToken()
    const query = `crc_token=${token}&nonce=${nonce}`
    const asked = appendQuery(url, query)
    const headers = ['accept', 'application/json', 'user-agent', 'Postern', headerName, signature(signing, query)]
    const outcome = await sendAwake({ method: 'GET', to: asked, headers, timeoutMs })
    const question: Question = { token, nonce, query, url: asked, secrets }
    const judgement = outcome.kind === 'failed' ? { passed: false as const, details: outcome.message } : judgeAnswer(outcome, question)
    return { judgement, isHidden: hideRestricted && outcome.restricted }
  }

  const askAll = async (callback: ChallengedCallback): Promise<Asked> => {
    const [current, ...previous] = callback.secrets
    const first = await ask(callback, current)
    for (const secret of first.judgement.passed ? [] : previous) {
      const again = await ask(callback, secret)
      if (again.judgement.passed) return again
    }
    return first
  }

  return {
    async challenge(callback) {
      const toldMs = clock.elapsed() + callback.secrets.length * timeoutMs + AFTER_DEADLINE_MS
      const { judgement, isHidden } = await askAll(callback)
      if (judgement.passed) return judgement
      const { details } = judgement
      if (!isHidden) return { passed: false, reason: details, details }
      await new Promise<void>((resolve) => void clock.after(toldMs - clock.elapsed(), resolve))
      return { passed: false, reason: 'address not reachable', details }
    },
  }
}

/** Opaque, of letters, digits, `-` and `_`; it begins with a letter, so that nothing takes it for a number or for JSON. */
function newToken(): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return /^[A-Za-z]/.test(token) ? token : newToken()
}

/** The callback's own query stays byte for byte as it is. */
function appendQuery(url: string, query: string): string {
  const [page = ''] = url.split('#', 1)
  if (!page.includes('?')) return `${page}?${query}`
  return /[?&]$/.test(page) ? page + query : `${page}&${query}`
}
