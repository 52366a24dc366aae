import { type Signing, signRequest } from '../../../postern/src/cli/credentials/sign-request.ts'
import type { SeedDocument } from '../../../server/src/endpoints/operator/seed/seed-document.ts'
import { CONSUMER_KEY, CONSUMER_SECRET } from '../delivery/fixtures.ts'

/** Not in the demo seed. */
export const USER_ID = '9001'
const TOKEN = `${USER_ID}-${'b'.repeat(40)}`
const TOKEN_SECRET = 'token-secret-of-the-benchmarks'

export const USERNAME = 'bench'
export const PASSWORD = 'password of the benchmarks'

/** A seed with an app without webhooks, a user with a password of the usual hash cost, and an access token. */
export const signInSeed: SeedDocument = {
  apps: [{ id: '9', name: 'Bench', consumer_key: CONSUMER_KEY, consumer_secret: CONSUMER_SECRET }],
  users: [{ id: USER_ID, username: USERNAME, password: PASSWORD }],
  tokens: [{ consumer_key: CONSUMER_KEY, user_id: USER_ID, oauth_token: TOKEN, oauth_token_secret: TOKEN_SECRET }],
}

/** The OAuth Authorization header of a request by the app, with a fresh nonce. */
export const authorizationOf = (signing: Omit<Signing, 'consumerKey' | 'consumerSecret'>): string =>
  signRequest({ ...signing, consumerKey: CONSUMER_KEY, consumerSecret: CONSUMER_SECRET })

/** The same for a request on behalf of the user. */
export const userAuthorizationOf = (url: string, method = 'GET'): string =>
  authorizationOf({ method, url, token: TOKEN, tokenSecret: TOKEN_SECRET })
