import { randomAlphanumeric, randomUrlText } from '../lib/crypto.ts'

/** Access token, refresh token or authorization code (public practice). */
type Kind = 'at' | 'rt' | 'ac'

const GRANT_ID_BYTES = 16
const GRANT_ID_LENGTH = 22
const SECRET_LENGTH = 21
const MAX_LENGTH = 200

/** `<43 random characters>:<milliseconds since 1970>:1:1:<kind>:1`, in base64url (public practice). */
const FORMAT = /^([\w-]{43}):\d{1,15}:1:1:(at|rt|ac):1$/

const encode = (random: string, nowMs: number, kind: Kind) => Buffer.from(`${random}:${nowMs}:1:1:${kind}:1`).toString('base64url')

const newSecret = () => randomUrlText(GRANT_ID_BYTES) + randomAlphanumeric(SECRET_LENGTH)

/** An id that cannot be guessed: the refresh tokens of a grant carry it. */
export const newGrantId = (): string => randomUrlText(GRANT_ID_BYTES)

export const newAccessToken = (nowMs: number): string => encode(newSecret(), nowMs, 'at')

export const newCode = (nowMs: number): string => encode(newSecret(), nowMs, 'ac')

/** A refresh token names its grant, so that a former one is recognized without being stored. */
export const newRefreshToken = (grantId: string, nowMs: number): string => encode(grantId + randomAlphanumeric(SECRET_LENGTH), nowMs, 'rt')

function parse(token: string): { random: string; kind: Kind } | undefined {
  if (token.length > MAX_LENGTH) return undefined
  const [, random, kind] = FORMAT.exec(Buffer.from(token, 'base64url').toString('latin1')) ?? []
  return random === undefined ? undefined : { random, kind: kind as Kind }
}

/** Whether a bearer token has the form of a user's access token; any other is an app's. */
export const isUserToken = (token: string): boolean => parse(token)?.kind === 'at'

/** The grant that a refresh token names; undefined for any other text. */
export function grantIdOf(refreshToken: string): string | undefined {
  const { random, kind } = parse(refreshToken) ?? {}
  return kind === 'rt' ? random!.slice(0, GRANT_ID_LENGTH) : undefined
}
