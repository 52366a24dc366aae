import { randomBytes } from 'node:crypto'
import { signature } from '../../lib/hmac.ts'
import type { Outcome, Sender } from '../send/sender.ts'
import { judgeAnswer } from './judge-answer.ts'
import type { Question } from './wrong-tokens.ts'

const TOKEN_BYTES = 32
const DEFAULT_TIMEOUT_MS = 3000

export interface ChallengerOptions {
  sender: Sender
  timeoutMs?: number
  /** `x-service-webhooks-signature`, in the dialect that is served. */
  headerName: string
  /** Says only `address not reachable` of an address that is not public: a challenge must not map a private network. */
  hideRestricted: boolean
}

/** `reason` is one sentence, without a full stop, from which an integrator can mend the endpoint. */
export type ChallengeResult = { passed: true } | { passed: false; reason: string }

export interface Challenger {
  /** Challenges a callback. An answer signed with any of the secrets passes; the first signs the challenge. Never rejects. */
  challenge(callback: { url: string; secrets: readonly [current: string, ...previous: string[]] }): Promise<ChallengeResult>
}

/**
 * The challenge-response check (CRC, §4.2): a GET with `crc_token` and `nonce` behind the callback's own query. It passes
 * with status 200 and JSON whose `response_token` is `sha256=` and the base64 of HMAC-SHA256(consumer secret, crc_token).
 */
export function createChallenger({ sender, timeoutMs = DEFAULT_TIMEOUT_MS, headerName, hideRestricted }: ChallengerOptions): Challenger {
  const judge = (outcome: Outcome, question: Question): ChallengeResult => {
    const reason = outcome.kind === 'failed' ? outcome.message : judgeAnswer(outcome, question)
    if (reason === undefined) return { passed: true }
    return { passed: false, reason: hideRestricted && outcome.restricted ? 'address not reachable' : reason }
  }

  return {
    async challenge({ url, secrets }) {
      const token = newToken()
      const nonce = newToken()
      const query = `crc_token=${token}&nonce=${nonce}`
      const asked = appendQuery(url, query)
      const headers = ['accept', 'application/json', 'user-agent', 'Postern', headerName, signature(secrets[0], query)]
      return judge(await sender.send({ method: 'GET', url: asked, headers, timeoutMs }), { token, nonce, query, url: asked, secrets })
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
