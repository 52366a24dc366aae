import { ChallengeError } from './errors.ts'

const TOKEN_FORM = /^[A-Za-z0-9+/=_-]{16,128}$/

/**
 * Throws a ChallengeError for a token that does not look like one, or that is JSON (a long number is). Events are signed
 * with the same key in the same way as challenges, so whoever can have any text signed as a challenge can forge an event.
 */
export function assertToken(crcToken: unknown): asserts crcToken is string {
  if (typeof crcToken === 'string' && TOKEN_FORM.test(crcToken) && !isJson(crcToken)) return
  throw new ChallengeError(400, 'crc_token is malformed: it must be 16 to 128 characters of A-Z a-z 0-9 + / = _ -, and not JSON.')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The secret of a challenge without a signature: the only one. Throws a ChallengeError when there are several. */
export function onlySecret(secrets: readonly string[]): string {
  if (secrets.length === 1) return secrets[0]!
  throw new ChallengeError(401, 'The challenge has no signature, so it is unknown which of the configured consumer secrets it is for.')
}

export const noSecretMatches = () =>
  new ChallengeError(401, 'The signature of the challenge matches none of the configured consumer secrets.')

/** What a challenge may be signed over: the whole query, and if the callback URL has parameters of its own, also the part that was appended. */
export function signedQueries(query: string): string[] {
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
