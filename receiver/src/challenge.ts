import { ChallengeError } from './errors.ts'
import { assertSecrets, findSigningSecret, sign } from './signature.ts'

const TOKEN_FORM = /^[A-Za-z0-9+/=_-]{16,128}$/

/**
 * The response to a challenge-response check (CRC): `{response_token}`, the signature of its token (§4.2).
 *
 * Events are signed with the same key in the same way. So whoever can have any text signed as a challenge can forge an
 * event. A token that does not look like one, or that is JSON (a long number is), throws a ChallengeError.
 */
export function answerChallenge({ crcToken, secret }: { crcToken: unknown; secret: string }): { response_token: string } {
  assertSecrets([secret])
  if (typeof crcToken !== 'string' || !TOKEN_FORM.test(crcToken) || isJson(crcToken)) {
    throw new ChallengeError(400, 'crc_token is malformed: it must be 16 to 128 characters of A-Z a-z 0-9 + / = _ -, and not JSON.')
  }
  return { response_token: sign(secret, crcToken) }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * The secret to answer a challenge with, when several apps share one callback URL: the one whose signature over the
 * query the header carries (§4.2, §6). `query` is the raw query string, not decoded.
 *
 * Without a header a single secret is used; several cannot be told apart. Throws a ChallengeError if no secret matches.
 */
export function findChallengeSecret({ header, query, secrets }: { header: unknown; query: string; secrets: readonly string[] }): string {
  assertSecrets(secrets)
  if (header === undefined || header === null) return onlySecret(secrets)
  for (const message of signedQueries(query)) {
    const secret = findSigningSecret(header, message, secrets)
    if (secret !== undefined) return secret
  }
  throw new ChallengeError(401, 'The signature of the challenge matches none of the configured consumer secrets.')
}

function onlySecret(secrets: readonly string[]): string {
  if (secrets.length === 1) return secrets[0]!
  throw new ChallengeError(401, 'The challenge has no signature, so it is unknown which of the configured consumer secrets it is for.')
}

/** The whole query, and if the callback URL has parameters of its own, also the part that the sender appended. */
function signedQueries(query: string): string[] {
  const whole = query.replace(/^\?/, '')
  const appended = /&(crc_token=.*)$/s.exec(whole)?.[1]
  return appended === undefined ? [whole] : [whole, appended]
}

/**
 * The `crc_token` of a query, undefined unless there is exactly one. A `+` is not decoded as a space: tokens contain no
 * spaces, so an unescaped plus is a plus.
 */
export function readCrcToken(query: string): string | undefined {
  const tokens = query.split('&').filter((pair) => pair.startsWith('crc_token='))
  return tokens.length === 1 ? percentDecode(tokens[0]!.slice('crc_token='.length)) : undefined
}

function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
