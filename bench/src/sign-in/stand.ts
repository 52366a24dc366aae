import { randomBytes } from 'node:crypto'
import { baseString, encode, normalize, signingKey } from '../../../server/src/access/oauth1/base-string.ts'
import type { SeedDocument } from '../../../server/src/endpoints/operator/seed/seed-document.ts'
import { hmacSha1 } from '../../../server/src/lib/hmac.ts'
import { CONSUMER_KEY, CONSUMER_SECRET } from '../delivery/stand.ts'

/** Nobody's in the demo seed. */
export const USER_ID = '9001'
const TOKEN = `${USER_ID}-${'b'.repeat(40)}`
const TOKEN_SECRET = 'token-secret-of-the-benchmarks'

export const USERNAME = 'bench'
export const PASSWORD = 'password of the benchmarks'

const NONCE_BYTES = 16

/** An app without webhooks, a user whose password costs what passwords cost, and a token of both. */
export const signInSeed: SeedDocument = {
  apps: [{ id: '9', name: 'Bench', consumer_key: CONSUMER_KEY, consumer_secret: CONSUMER_SECRET }],
  users: [{ id: USER_ID, username: USERNAME, password: PASSWORD }],
  tokens: [{ consumer_key: CONSUMER_KEY, user_id: USER_ID, oauth_token: TOKEN, oauth_token_secret: TOKEN_SECRET }],
}

interface Signing {
  method: 'GET' | 'POST'
  /** With the query. */
  url: string
  /** Parameters of the protocol besides the usual ones. */
  oauth?: Record<string, string>
  tokenSecret?: string
}

/** The Authorization header of a request of the app, with a nonce of its own. */
export function authorizationOf({ method, url, oauth = {}, tokenSecret = '' }: Signing): string {
  const { origin, pathname, searchParams } = new URL(url)
  const parameters: Record<string, string> = {
    ...oauth,
    oauth_consumer_key: CONSUMER_KEY,
    oauth_nonce: randomBytes(NONCE_BYTES).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
  }
  const signed = [...searchParams, ...Object.entries(parameters)].map(([name, value]) => ({ name, value }))
  const base = baseString(method, origin + pathname, normalize(signed))
  const all = { ...parameters, oauth_signature: hmacSha1(signingKey(CONSUMER_SECRET, tokenSecret), base) }
  return `OAuth ${Object.entries(all)
    .map(([name, value]) => `${name}="${encode(value)}"`)
    .join(', ')}`
}

/** The same for a call that the app makes for the user. */
export const userAuthorizationOf = (url: string): string =>
  authorizationOf({ method: 'GET', url, oauth: { oauth_token: TOKEN }, tokenSecret: TOKEN_SECRET })
