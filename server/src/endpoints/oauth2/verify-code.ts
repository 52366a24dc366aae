import { hash } from 'node:crypto'
import { equalInConstantTime } from '../../lib/crypto.ts'
import type { AuthorizationCode, ChallengeMethod } from '../../storage/oauth2-grants.ts'

/** A verifier or a challenge (RFC 7636, sections 4.1 and 4.2). */
const PKCE_TEXT = /^[\w.~-]{43,128}$/

export const isChallenge = (text: string): boolean => PKCE_TEXT.test(text)

/** `S256` or `plain`; some clients write `s256`. */
export function challengeMethodOf(text: string): ChallengeMethod | undefined {
  if (text.toLowerCase() === 's256') return 'S256'
  return text === 'plain' ? 'plain' : undefined
}

const challengeFor = (verifier: string, method: ChallengeMethod): string =>
  method === 'plain' ? verifier : hash('sha256', verifier, 'base64url')

/** Why a request may not exchange a code, in the words of public practice; undefined when it may (RFC 6749, section 4.1.3; RFC 7636, section 4.6). */
export const refuseExchange =
  (redirectUri: string, verifier: string) =>
  (code: AuthorizationCode): string | undefined => {
    if (redirectUri !== code.redirectUri) return 'Value passed for the redirect uri did not match the uri of the authorization code.'
    const isRight = PKCE_TEXT.test(verifier) && equalInConstantTime(challengeFor(verifier, code.challengeMethod), code.challenge)
    return isRight ? undefined : 'Value passed for the code verifier did not match the code challenge.'
  }
