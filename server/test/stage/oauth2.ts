import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import type { Answer } from './call.ts'
import { demoApp, otherApp, type Stage } from './postern.ts'
import { ada, grace, hidden, PASSWORD } from './sign-in.ts'

/** The client of an app, as the app knows it; a public one has no secret. */
export interface TestClient {
  id: string
  secret?: string
}

export const confidential: TestClient = { id: 'client-one-of-the-tests', secret: 'client-secret-one-of-the-tests' }
export const publicClient: TestClient = { id: 'client-two-of-the-tests' }
export const foreignClient: TestClient = { id: 'client-three-of-the-tests', secret: 'client-secret-three-of-the-tests' }

export const REDIRECT = 'https://demo.example/cb'

const callback_urls = [REDIRECT, 'https://demo.example/cb?kept=1', 'https://other.example/cb', 'demo-app://signed-in']

const clientSeed = ({ id, secret }: TestClient) => ({
  oauth2_client_id: id,
  ...(secret === undefined ? { oauth2_client_type: 'public' as const } : { oauth2_client_secret: secret }),
})

/** A confidential client, a public one and that of somebody else, and two users with the same password. */
export const oauth2Seed: SeedDocument = {
  apps: [
    { ...demoApp, ...clientSeed(confidential), callback_urls, permissions: 'read' },
    { ...otherApp, ...clientSeed(publicClient), callback_urls },
    {
      id: '3',
      name: 'Foreign',
      consumer_key: 'key-three-of-the-tests',
      consumer_secret: 'secret-three-of-the-tests',
      ...clientSeed(foreignClient),
      callback_urls: [REDIRECT],
    },
  ],
  users: [ada, grace],
}

export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

export const ALL_SCOPES = 'post.read users.read offline.access'

/** The parameters of an authorization request of the confidential client; an undefined one is left out. */
export const asking = (more: Record<string, string | undefined> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      response_type: 'code',
      client_id: confidential.id,
      redirect_uri: REDIRECT,
      scope: ALL_SCOPES,
      state: 'state of the app',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...more,
    }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Somebody at the approval page of OAuth 2.0 without a browser: keeps its cookie, and sends the form as it came. */
export function atAuthorizationPage(stage: Stage, path = '/i/oauth2/authorize') {
  let cookie = ''
  const take = (answer: Answer) => {
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return answer
  }
  const withCookie = () => ({ ...(cookie && { cookie }) })
  const open = async (request: Record<string, string> = asking()) =>
    take(await stage.api('GET', `${path}?${new URLSearchParams(request)}`, { headers: withCookie() }))
  const send = async (form: Record<string, string>) =>
    take(await stage.api('POST', path, { headers: { ...FORM, ...withCookie() }, body: new URLSearchParams(form).toString() }))
  return {
    open,
    send,
    cookie: () => cookie,
    setCookie: (value: string) => {
      cookie = value
    },
    /** Opens the page and decides. */
    async decide(
      decision: 'allow' | 'deny',
      request: Record<string, string> = asking(),
      more: Record<string, string> = { username: ada.username, password: PASSWORD },
    ) {
      const { text } = await open(request)
      return send({ ...request, proof: hidden(text, 'proof'), decision, ...more })
    },
  }
}

/** What a redirection to the app says. */
export const redirected = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(new URL(headers.get('location') ?? 'none:').searchParams)

/** A code that a user has approved. */
export async function approvedCode(stage: Stage, more: Record<string, string | undefined> = {}, username = ada.username): Promise<string> {
  const answer = await atAuthorizationPage(stage).decide('allow', asking(more), { username, password: PASSWORD })
  assert.equal(answer.status, 302, answer.text)
  const { code } = redirected(answer)
  assert.ok(code, answer.headers.get('location') ?? '')
  return code
}

export const basic = ({ id, secret = '' }: TestClient) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

/** A request to the token endpoint or that of revocation, as a client of its type sends it. */
export function asClient(stage: Stage, client: TestClient, form: Record<string, string | undefined>, path = '/2/oauth2/token') {
  const sent = { ...form, ...(client.secret === undefined && { client_id: client.id }) }
  const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return stage.api('POST', path, {
    headers: { ...FORM, ...(client.secret !== undefined && { authorization: basic(client) }) },
    body: new URLSearchParams(given).toString(),
  })
}

export const exchangeCode = (stage: Stage, code: string, more: Record<string, string | undefined> = {}, client = confidential) =>
  asClient(stage, client, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: VERIFIER, ...more })

export const refreshWith = (stage: Stage, refreshToken: string, more: Record<string, string> = {}, client = confidential) =>
  asClient(stage, client, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more })

export const revoke = (stage: Stage, token: string, client = confidential) => asClient(stage, client, { token }, '/2/oauth2/revoke')

export interface TestTokens {
  access_token: string
  refresh_token: string
  scope: string
}

/** A whole sign-in: the tokens of a user. */
export async function obtainTokens(
  stage: Stage,
  { scope = ALL_SCOPES, client = confidential, username = ada.username } = {},
): Promise<TestTokens> {
  const code = await approvedCode(stage, { scope, client_id: client.id }, username)
  const answer = await exchangeCode(stage, code, {}, client)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** The status of a call as the user: 200 while the access token is valid. */
export const statusWith = async (stage: Stage, accessToken: string) =>
  (await stage.api('GET', '/2/users/me', { token: accessToken })).status
