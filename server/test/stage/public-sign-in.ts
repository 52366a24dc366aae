import assert from 'node:assert/strict'
import { type Agent, request } from 'node:https'
import { authorization, type SigningCredentials } from './oauth-client.ts'
import { hidden } from './sign-in.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

interface Answered {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Calls through the proxy, as a client does that knows the public name alone. */
export const through = (agent: Agent, method: string, url: string, headers: Record<string, string>, body = '') =>
  new Promise<Answered>((resolve, reject) => {
    request(url, { method, agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += chunk)).on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text }))
    })
      .on('error', reject)
      .end(body)
  })

export interface PublicSignIn {
  /** The public origin of the server. */
  origin: string
  app: SigningCredentials
  callback: string
  username: string
  password: string
}

/** Signs a user in past a proxy that ends TLS: request token, approval page with the password, access token. Answers what the app then signs with. */
export async function signInThrough(
  agent: Agent,
  { origin, app, callback, username, password }: PublicSignIn,
): Promise<SigningCredentials> {
  const sign = (method: string, path: string, credentials: SigningCredentials, oauth: Record<string, string> = {}) =>
    through(agent, method, origin + path, { authorization: authorization({ ...credentials, method, url: origin + path, oauth }) })
  const asked = await sign('POST', '/oauth/request_token', app, { oauth_callback: callback })
  assert.equal(asked.status, 200, asked.text)
  const { oauth_token = '', oauth_token_secret = '' } = Object.fromEntries(new URLSearchParams(asked.text))

  const page = await through(agent, 'GET', `${origin}/oauth/authorize?oauth_token=${oauth_token}`, {})
  assert.match(page.text, /Allow .* to use your account/)
  const [cookie = ''] = page.headers['set-cookie'] ?? []
  assert.match(cookie, /^__Host-postern_session=.*; Secure$/)
  const form = { oauth_token, proof: hidden(page.text, 'proof'), decision: 'allow', username, password }
  const headers = { ...FORM, cookie: cookie.split(';')[0]! }
  const allowed = await through(agent, 'POST', `${origin}/oauth/authorize`, headers, new URLSearchParams(form).toString())
  assert.equal(allowed.status, 302, allowed.text)
  const back = new URL(String(allowed.headers.location))
  assert.equal(back.origin + back.pathname, callback)

  const requestToken = { ...app, oauth_token, oauth_token_secret }
  const exchanged = await sign('POST', '/oauth/access_token', requestToken, { oauth_verifier: back.searchParams.get('oauth_verifier')! })
  assert.equal(exchanged.status, 200, exchanged.text)
  const token = Object.fromEntries(new URLSearchParams(exchanged.text))
  assert.equal(token.screen_name, username)
  return { ...app, oauth_token: token.oauth_token, oauth_token_secret: token.oauth_token_secret }
}
