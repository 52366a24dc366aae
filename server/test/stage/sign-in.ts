import assert from 'node:assert/strict'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { type Answer, call } from './call.ts'
import { authorization, type SigningCredentials } from './oauth-client.ts'
import { demoApp, otherApp, type Stage } from './postern.ts'

/** Cheap to verify: what a hash costs is a test of its own. */
const PASSWORD_HASH = '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0$4Smw+8uJE9vkMuQHTI8JCch07funn1w88/v1CwyXAOw'
export const PASSWORD = 'correct horse'

export const ada = { id: '101', username: 'ada', name: 'Ada', password: PASSWORD_HASH }
export const grace = { id: '102', username: 'grace', name: 'Grace', password: PASSWORD_HASH }

export const APPROVAL_PAGE = '/oauth/authorize'

export const CALLBACK = 'http://127.0.0.1:3009/cb'

/** Two apps that may ask for sign-ins, and two users with the same password. */
export const signInSeed: SeedDocument = {
  apps: [
    {
      ...demoApp,
      callback_urls: [CALLBACK, 'https://demo.example/cb?a=1', 'demo-app://signed-in'],
      permissions: 'read_write_dm',
      sign_in_with_service: true,
    },
    { ...otherApp, callback_urls: [CALLBACK], permissions: 'read_write' },
  ],
  users: [ada, grace],
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A call that an app signs. */
export function signed(
  stage: Stage,
  method: string,
  path: string,
  credentials: SigningCredentials,
  { form, oauth, headers }: { form?: Record<string, string>; oauth?: Record<string, string>; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const url = stage.publicOrigins.base_url + path
  const header = authorization({ ...credentials, method, url, form, oauth, nowMs: stage.clock.now() })
  return call(stage.origins.base_url + path, method, {
    headers: { authorization: header, ...(form && FORM), ...headers },
    body: form && new URLSearchParams(form).toString(),
  })
}

/** The first step: a request token. */
export async function askForSignIn(stage: Stage, app: SigningCredentials = demoApp, callback = CALLBACK) {
  const answer = await signed(stage, 'POST', '/oauth/request_token', app, { oauth: { oauth_callback: callback } })
  assert.equal(answer.status, 200, answer.text)
  const { oauth_token = '', oauth_token_secret = '' } = Object.fromEntries(new URLSearchParams(answer.text))
  return { oauth_token, oauth_token_secret }
}

/** The value of a hidden field. */
export const hidden = (page: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''

/** Somebody at the approval page without a browser: keeps its cookie, and sends the form as it came. `headers` go with everything. */
export function atApprovalPage(stage: Stage, headers: Record<string, string> = {}) {
  let cookie = ''
  const take = (answer: Answer) => {
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return answer
  }
  const open = async (oauthToken: string, more = '', path = '/oauth/authorize') =>
    take(
      await call(`${stage.origins.base_url}${path}?oauth_token=${oauthToken}${more}`, 'GET', {
        headers: { ...headers, ...(cookie && { cookie }) },
      }),
    )
  const send = async (form: Record<string, string>, more: Record<string, string> = {}) =>
    take(
      await call(`${stage.origins.base_url}/oauth/authorize`, 'POST', {
        headers: { ...FORM, ...headers, ...(cookie && { cookie }), ...more },
        body: new URLSearchParams(form).toString(),
      }),
    )
  return {
    open,
    send,
    cookie: () => cookie,
    setCookie: (value: string) => {
      cookie = value
    },
    /** Opens the page and decides. */
    async decide(
      oauthToken: string,
      decision: 'allow' | 'deny',
      more: Record<string, string> = { username: ada.username, password: PASSWORD },
    ) {
      const { text } = await open(oauthToken)
      return send({ oauth_token: oauthToken, proof: hidden(text, 'proof'), decision, ...more })
    },
  }
}

export const pinOf = (page: string): string => /class="pin">(\d+)</.exec(page)?.[1] ?? ''

/** The last step: the access token. */
export const exchange = (
  stage: Stage,
  app: SigningCredentials,
  requestToken: { oauth_token: string; oauth_token_secret: string },
  verifier: string,
) => signed(stage, 'POST', '/oauth/access_token', { ...app, ...requestToken }, { oauth: { oauth_verifier: verifier } })

/** A whole sign-in by PIN: what the app then signs with. */
export async function signIn(
  stage: Stage,
  app: SigningCredentials = demoApp,
  username = ada.username,
): Promise<Required<SigningCredentials>> {
  const requestToken = await askForSignIn(stage, app, 'oob')
  const page = await atApprovalPage(stage).decide(requestToken.oauth_token, 'allow', { username, password: PASSWORD })
  assert.equal(page.status, 200, page.text)
  const answer = await exchange(stage, app, requestToken, pinOf(page.text))
  assert.equal(answer.status, 200, answer.text)
  const { oauth_token = '', oauth_token_secret = '' } = Object.fromEntries(new URLSearchParams(answer.text))
  return { consumer_key: app.consumer_key, consumer_secret: app.consumer_secret, oauth_token, oauth_token_secret }
}
