import { equalInConstantTime, sha256 } from './crypto.ts'

export type ChallengeMethod = 'S256' | 'plain'

/** A verifier or a challenge (RFC 7636, sections 4.1 and 4.2). */
const PKCE_TEXT = /^[\w.~-]{43,128}$/
/** RFC 7636 allows at most 128 characters; a client of the service makes 171. */
const VERIFIER = /^[\w.~-]{43,256}$/

export const isChallenge = (text: string): boolean => PKCE_TEXT.test(text)

/** `S256` or `plain`; some clients write `s256`. */
export function challengeMethodOf(text: string): ChallengeMethod | undefined {
  if (text.toLowerCase() === 's256') return 'S256'
  return text === 'plain' ? 'plain' : undefined
}

const challengeOf = (verifier: string, method: ChallengeMethod): string =>
  method === 'plain' ? verifier : sha256(verifier).toString('base64url')

/** Whether a challenge was made of this text, whatever its form. */
export const isChallengeOf = (challenge: string, method: ChallengeMethod, text: string): boolean =>
  equalInConstantTime(challengeOf(text, method), challenge)

/** What a verifier must be. */
export const VERIFIER_RULE = 'must be 43 to 128 of the characters A-Z, a-z, 0-9, -, ., _ and ~'

export const isVerifier = (text: string): boolean => VERIFIER.test(text)

/** Whether a verifier is that of a challenge (RFC 7636, section 4.6). */
export const isVerifierOf = (challenge: string, method: ChallengeMethod, verifier: string): boolean =>
  isVerifier(verifier) && isChallengeOf(challenge, method, verifier)
