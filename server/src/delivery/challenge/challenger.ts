import { randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { signature } from '../../lib/hmac.ts'
import type { Sender } from '../send/sender.ts'
import { judgeAnswer } from './judge-answer.ts'
import type { Question } from './wrong-tokens.ts'

const TOKEN_BYTES = 32
const DEFAULT_TIMEOUT_MS = 3000
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

/**
 * `reason` is one sentence, without a full stop, from which an integrator can mend the endpoint. `details` is the same, but
 * hides nothing: it is for the operator alone.
 */
export type ChallengeResult = { passed: true } | { passed: false; reason: string; details: string }

interface ChallengedCallback {
  url: string
  /** An answer signed with any of them passes; the first signs the challenge. */
  secrets: readonly [current: string, ...previous: string[]]
}

export interface Challenger {
  /** Challenges a callback. Never rejects. */
  challenge(callback: ChallengedCallback): Promise<ChallengeResult>
}

/**
 * The challenge-response check (CRC, §4.2): a GET with `crc_token` and `nonce` behind the callback's own query. It passes
 * with status 200 and JSON whose `response_token` is `sha256=` and the base64 of HMAC-SHA256(consumer secret, crc_token).
 */
export function createChallenger(options: ChallengerOptions): Challenger {
  const { sender, clock, timeoutMs = DEFAULT_TIMEOUT_MS, headerName, hideRestricted } = options

  /** What went wrong, if anything did. */
  const ask = async ({ url, secrets }: ChallengedCallback) => {
    const token = newToken()
    const nonce = newToken()
    const query = `crc_token=${token}&nonce=${nonce}`
    const asked = appendQuery(url, query)
    const headers = ['accept', 'application/json', 'user-agent', 'Postern', headerName, signature(secrets[0], query)]
    const outcome = await sender.send({ method: 'GET', url: asked, headers, timeoutMs })
    const question: Question = { token, nonce, query, url: asked, secrets }
    const details = outcome.kind === 'failed' ? outcome.message : judgeAnswer(outcome, question)
    return { details, isHidden: hideRestricted && outcome.restricted }
  }

  return {
    async challenge(callback) {
      const toldMs = clock.now() + timeoutMs + AFTER_DEADLINE_MS
      const { details, isHidden } = await ask(callback)
      if (details === undefined) return { passed: true }
      if (!isHidden) return { passed: false, reason: details, details }
      await new Promise<void>((resolve) => void clock.after(toldMs - clock.now(), resolve))
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
