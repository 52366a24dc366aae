import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Client, generateCodeVerifier, OAuth2 } from '@xdevplatform/xdk'
import { ApiResponseError, TwitterApi } from 'twitter-api-v2'
import {
  asking,
  atAuthorizationPage,
  basic,
  confidential,
  oauth2Seed,
  publicClient,
  REDIRECT,
  redirected,
  type TestClient,
  VERIFIER,
} from '../stage/oauth2.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { asTheirHosts } from '../stage/their-hosts.ts'

/** What the browser brings back from the page that a client names. */
async function approve(stage: Stage, url: string): Promise<Record<string, string>> {
  const { pathname, searchParams } = new URL(url)
  const answer = await atAuthorizationPage(stage, pathname).decide('allow', Object.fromEntries(searchParams))
  assert.equal(answer.status, 302, answer.text)
  return redirected(answer)
}

suite('twitter-api-v2', () => {
  for (const [kind, { id, secret }] of [
    ['a confidential client', confidential],
    ['a public client', publicClient],
  ] as const)
    test(`signs a user in, refreshes, posts and revokes as ${kind}`, async () => {
      await using hosts = await asTheirHosts(oauth2Seed)
      const settings = { httpAgent: hosts.agent }
      const keys = { clientId: id, ...(secret !== undefined && { clientSecret: secret }) }
      const asked = new TwitterApi(keys, settings).generateOAuth2AuthLink(REDIRECT, {
        scope: ['tweet.read', 'tweet.write', 'users.read', 'offline.access'],
      })
      const page = new URL(asked.url)
      assert.equal(page.origin + page.pathname, 'https://x.com/i/oauth2/authorize')
      assert.equal(page.searchParams.get('code_challenge_method'), 's256')
      const back = await approve(hosts.stage, asked.url)
      assert.equal(back.state, asked.state)

      const login = { code: back.code!, codeVerifier: asked.codeVerifier, redirectUri: REDIRECT }
      const first = await new TwitterApi(keys, settings).loginWithOAuth2(login)
      assert.deepEqual(first.scope, ['tweet.read', 'tweet.write', 'users.read', 'offline.access'])
      assert.equal(first.expiresIn, 7200)
      assert.equal((await first.client.v2.me()).data.username, 'ada')
      assert.equal((await first.client.v2.tweet('From the client')).data.text, 'From the client')

      const second = await new TwitterApi(keys, settings).refreshOAuth2Token(first.refreshToken!)
      assert.equal((await second.client.v2.me()).data.username, 'ada')
      await new TwitterApi(keys, settings).revokeOAuth2Token(second.refreshToken!, 'refresh_token')
      const refusal = await second.client.v2.me().catch((error) => error)
      assert.ok(refusal instanceof ApiResponseError, String(refusal))
      assert.deepEqual([refusal.code, refusal.isAuthError], [401, true])
    })
})

/** The client calls these hosts, which it cannot be told otherwise. */
async function withTheirFetch<T>(stage: Stage, run: () => Promise<T>): Promise<T> {
  const own = globalThis.fetch
  globalThis.fetch = (input, init) => own(String(input).replace('https://api.x.com', stage.origins.base_url), init)
  try {
    return await run()
  } finally {
    globalThis.fetch = own
  }
}

suite('@xdevplatform/xdk', () => {
  for (const [kind, { id, secret }] of [
    ['a confidential client', confidential],
    ['a public client', publicClient],
  ] as const)
    test(`signs a user in, reads and refreshes as ${kind}`, async () => {
      await using stage = await setStage({ seed: oauth2Seed, environment: { POSTERN_DIALECT: 'x' } })
      const oauth2 = new OAuth2({
        clientId: id,
        ...(secret !== undefined && { clientSecret: secret }),
        redirectUri: REDIRECT,
        scope: ['tweet.read', 'users.read', 'offline.access'],
      })
      // Its own verifiers have 171 characters, more than RFC 7636 allows.
      const verifier = generateCodeVerifier()
      await oauth2.setPkceParameters(verifier)
      const back = await approve(stage, await oauth2.getAuthorizationUrl('state of the app'))
      assert.equal(back.state, 'state of the app')
      const token = await withTheirFetch(stage, () => oauth2.exchangeCode(back.code!, verifier))
      assert.equal(token.scope, 'tweet.read users.read offline.access')
      const me = async (accessToken: string) => {
        const { data } = await new Client({ baseUrl: stage.origins.base_url, accessToken }).users.getMe()
        return data?.username
      }
      assert.equal(await me(token.access_token), 'ada')
      const refreshed = await withTheirFetch(stage, () => oauth2.refreshToken())
      assert.notEqual(refreshed.refresh_token, token.refresh_token)
      assert.equal(await me(refreshed.access_token), 'ada')
    })
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }

/** What clients in other languages send to the token endpoint, byte by byte. */
const requests: [client: string, of: TestClient, headers: Record<string, string>, body: (code: string) => string][] = [
  [
    'tweepy (requests-oauthlib) with a secret',
    confidential,
    { authorization: basic(confidential), accept: 'application/json' },
    (code) =>
      `grant_type=authorization_code&code=${code}&code_verifier=${VERIFIER}&client_id=${confidential.id}&redirect_uri=https%3A%2F%2Fdemo.example%2Fcb`,
  ],
  [
    'tweepy (requests-oauthlib) without a secret',
    publicClient,
    { accept: 'application/json' },
    (code) =>
      `grant_type=authorization_code&client_id=${publicClient.id}&code=${code}&code_verifier=${VERIFIER}&redirect_uri=https%3A%2F%2Fdemo.example%2Fcb`,
  ],
  [
    'passport-oauth2 with a Basic header',
    confidential,
    { authorization: basic(confidential) },
    (code) =>
      new URLSearchParams({
        code_verifier: VERIFIER,
        grant_type: 'authorization_code',
        redirect_uri: REDIRECT,
        client_id: confidential.id,
        client_secret: confidential.secret!,
        code,
      }).toString(),
  ],
]

suite('clients in other languages', () => {
  for (const [client, { id }, headers, body] of requests)
    test(client, async () => {
      await using stage = await setStage({ seed: oauth2Seed })
      const page = `https://x.com/i/oauth2/authorize?${new URLSearchParams(asking({ client_id: id }))}`
      const { code } = await approve(stage, page)
      const answer = await stage.api('POST', '/2/oauth2/token', { headers: { ...FORM, ...headers }, body: body(code!) })
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.body.token_type, 'bearer')
    })
})
