import { randomBytes } from 'node:crypto'
import { signature } from '../../lib/hmac.ts'
import type { Outcome, Sender } from '../send/sender.ts'
import type { ChallengeResult } from './challenge-result.ts'
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

export type ChallengeSecrets = readonly [current: string, ...previous: string[]]

export interface Challenger {
  /**
   * Challenges a callback. An answer signed with any of the secrets passes. The current one signs the challenge; where it fails, the
   * callback is challenged once more for each previous one, signed with that. A failure is that of the first. Never rejects.
   */
  challenge(callback: { url: string; secrets: ChallengeSecrets }): Promise<ChallengeResult>
}

/**
 * The challenge-response check (CRC, §4.2): a GET with `crc_token` and `nonce` behind the callback's own query. It passes
 * with status 200 and JSON whose `response_token` is `sha256=` and the base64 of HMAC-SHA256(consumer secret, crc_token).
 */
export function createChallenger({ sender, timeoutMs = DEFAULT_TIMEOUT_MS, headerName, hideRestricted }: ChallengerOptions): Challenger {
  const judge = (outcome: Outcome, question: Question): ChallengeResult => {
    const result = outcome.kind === 'failed' ? { passed: false as const, reason: outcome.message } : judgeAnswer(outcome, question)
    return !result.passed && hideRestricted && outcome.restricted ? { passed: false, reason: 'address not reachable' } : result
  }

  const ask = async (url: string, secrets: readonly string[], signing: string) => {
    const token = newToken()
    const nonce = newToken()
    const query = `crc_token=${token}&nonce=${nonce}`
    const asked = appendQuery(url, query)
    const headers = ['accept', 'application/json', 'user-agent', 'Postern', headerName, signature(signing, query)]
    return judge(await sender.send({ method: 'GET', url: asked, headers, timeoutMs }), { token, nonce, query, url: asked, secrets })
  }

  return {
    async challenge({ url, secrets }) {
      const [current, ...previous] = secrets
      const result = await ask(url, secrets, current)
      for (const secret of result.passed ? [] : previous) {
        const again = await ask(url, secrets, secret)
        if (again.passed) return again
      }
      return result
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
