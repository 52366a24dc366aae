import { authorization, type SigningCredentials } from '../oauth-client.ts'

/** The credentials that are right, by the kind that an endpoint asks for: a whole `Authorization` header, or what signs a request. */
export interface Credentials {
  /** For which it signs. */
  origin: string
  bearerToken: string
  bearerTokenOrSignedUser: string
  appPassword: string
  operatorToken: string
  signedApp: SigningCredentials
  signedRequestToken: SigningCredentials
  signedUser: SigningCredentials
}

type AppCredentials = Pick<SigningCredentials, 'consumer_key' | 'consumer_secret'>

const USER_TOKEN = { oauth_token: '909-token-of-hostile-requests', oauth_token_secret: 'secret-of-hostile-requests' }

async function post(url: string, headers: Record<string, string>, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  return text
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }

/** Gets every kind of credentials from a server, whose operator adds a user and an access token. */
export async function credentialsAt(origin: string, app: AppCredentials, operator: string): Promise<Credentials> {
  const operatorToken = `Bearer ${operator}`
  const appPassword = `Basic ${btoa(`${app.consumer_key}:${app.consumer_secret}`)}`
  const bearer = await post(`${origin}/oauth2/token`, { ...FORM, authorization: appPassword }, 'grant_type=client_credentials')
  const seed = {
    users: [{ id: '909', username: 'hostile', name: 'Hostile' }],
    tokens: [{ consumer_key: app.consumer_key, user_id: '909', ...USER_TOKEN }],
  }
  await post(`${origin}/operator/seed`, { ...JSON_TYPE, authorization: operatorToken }, JSON.stringify(seed))
  const url = `${origin}/oauth/request_token`
  const asked = await post(url, { authorization: authorization({ ...app, method: 'POST', url, oauth: { oauth_callback: 'oob' } }) }, '')
  const { oauth_token, oauth_token_secret } = Object.fromEntries(new URLSearchParams(asked))
  const bearerToken = `Bearer ${JSON.parse(bearer).access_token}`
  return {
    origin,
    bearerToken,
    bearerTokenOrSignedUser: bearerToken,
    appPassword,
    operatorToken,
    signedApp: app,
    signedRequestToken: { ...app, oauth_token, oauth_token_secret },
    signedUser: { ...app, ...USER_TOKEN },
  }
}
