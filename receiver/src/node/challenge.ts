import { assertToken, noSecretMatches, onlySecret, signedQueries } from '../challenge-token.ts'
import type { Challenge, SignedQuery } from '../signatures.ts'
import { assertSecrets } from '../signatures.ts'
import { findSigningSecret, sign } from './signature.ts'

/**
 * The response to a challenge-response check (CRC): `{response_token}`, the signature of its token (§4.2).
 * Throws a ChallengeError for a token that must not be signed.
 */
export function answerChallenge({ crcToken, secret }: Challenge): { response_token: string } {
  assertSecrets([secret])
  assertToken(crcToken)
  return { response_token: sign(secret, crcToken) }
}

/**
 * The secret to answer a challenge with, when several apps share one callback URL: the one whose signature over the
 * query the header carries (§4.2, §6). `query` is the raw query string, not decoded.
 *
 * Without a header a single secret is used; several cannot be told apart. Throws a ChallengeError if no secret matches.
 */
export function findChallengeSecret({ header, query, secrets }: SignedQuery): string {
  assertSecrets(secrets)
  if (header === undefined || header === null) return onlySecret(secrets)
  for (const message of signedQueries(query)) {
    const secret = findSigningSecret(header, message, secrets)
    if (secret !== undefined) return secret
  }
  throw noSecretMatches()
}
