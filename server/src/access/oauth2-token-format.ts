import { type Mac, randomAlphanumeric, randomUrlText } from '../lib/crypto.ts'
import type { NamedGrant } from '../storage/oauth2-grants.ts'

/** Access token, refresh token or authorization code (public practice). */
type Kind = 'at' | 'rt' | 'ac'

const GRANT_ID_BYTES = 16
const GRANT_ID_LENGTH = 22
const SECRET_LENGTH = 21
/** Of the 21 characters after the grant id in a refresh token the last 11 are a MAC of all before: 66 bits. */
const SIGNATURE_LENGTH = 11
const MAX_LENGTH = 200

/** `<43 random characters>:<milliseconds since 1970>:1:1:<kind>:1`, in base64url (public practice). */
const FORMAT = /^([\w-]{43}):(\d{1,15}):1:1:(at|rt|ac):1$/

const encode = (random: string, nowMs: number, kind: Kind) => Buffer.from(`${random}:${nowMs}:1:1:${kind}:1`).toString('base64url')

const newSecret = () => randomUrlText(GRANT_ID_BYTES) + randomAlphanumeric(SECRET_LENGTH)

/** An id that cannot be guessed: the refresh tokens of a grant carry it. */
export const newGrantId = (): string => randomUrlText(GRANT_ID_BYTES)

export const newAccessToken = (nowMs: number): string => encode(newSecret(), nowMs, 'at')

export const newCode = (nowMs: number): string => encode(newSecret(), nowMs, 'ac')

/** Only the exact text: a lenient decoding would take a token with a line break or padding for the token. */
function parse(token: string): { random: string; nowMs: number; kind: Kind } | undefined {
  if (token.length > MAX_LENGTH) return undefined
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.toString('base64url') !== token) return undefined
  const [, random, nowMs, kind] = FORMAT.exec(bytes.toString('latin1')) ?? []
  return random === undefined ? undefined : { random, nowMs: Number(nowMs), kind: kind as Kind }
}

/** Which kind of OAuth 2.0 token a text has the form of: `at` is an access token, `rt` a refresh token, `ac` an authorization code. */
export const kindOfToken = (token: string): Kind | undefined => parse(token)?.kind

/** Whether a bearer token has the form of a user's access token; any other is an app's. */
export const isUserToken = (token: string): boolean => parse(token)?.kind === 'at'

/** The refresh tokens of grants. */
export interface RefreshTokens {
  create(grantId: string, nowMs: number): string
  /** The grant that a refresh token names; undefined for any other text. */
  read(token: string): NamedGrant | undefined
}

/**
 * A refresh token names its grant and carries a MAC of what it says, so that a former one is recognized without being stored, and a text
 * that only begins like one is not taken for one.
 */
export function createRefreshTokens(mac: Mac): RefreshTokens {
  const PURPOSE = 'oauth2 refresh token'
  const signedText = (unsigned: string, nowMs: number) => `${unsigned}:${nowMs}`
  return {
    create(grantId, nowMs) {
      const unsigned = grantId + randomAlphanumeric(SECRET_LENGTH - SIGNATURE_LENGTH)
      return encode(unsigned + mac.sign(PURPOSE, signedText(unsigned, nowMs), SIGNATURE_LENGTH), nowMs, 'rt')
    },
    read(token) {
      const { random, nowMs, kind } = parse(token) ?? {}
      if (kind !== 'rt') return undefined
      const [unsigned, signature] = [random!.slice(0, -SIGNATURE_LENGTH), random!.slice(-SIGNATURE_LENGTH)]
      return { grantId: random!.slice(0, GRANT_ID_LENGTH), wasIssued: mac.isSigned(PURPOSE, signedText(unsigned, nowMs!), signature) }
    },
  }
}
