import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import https from 'node:https'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { ApiResponseError, type LoginResult, TwitterApi } from 'twitter-api-v2'
import { call } from '../stage/call.ts'
import { demoApp, type Stage } from '../stage/postern.ts'
import { ada, atApprovalPage, CALLBACK, pinOf, signInSeed } from '../stage/sign-in.ts'
import { asTheirHosts } from '../stage/their-hosts.ts'

const appKeys = { appKey: demoApp.consumer_key, appSecret: demoApp.consumer_secret }

type Settings = { httpAgent: https.Agent }

/** The client in the middle of a sign-in. */
const goingOn = ({ oauth_token, oauth_token_secret }: { oauth_token: string; oauth_token_secret: string }, settings: Settings) =>
  new TwitterApi({ ...appKeys, accessToken: oauth_token, accessSecret: oauth_token_secret }, settings)

/** Signs Ada in by PIN. */
async function signInByPin(stage: Stage, settings: Settings, options?: { authAccessType: 'read' | 'write' }): Promise<LoginResult> {
  const link = await new TwitterApi(appKeys, settings).generateAuthLink('oob', options)
  const page = await atApprovalPage(stage).decide(link.oauth_token, 'allow')
  return goingOn(link, settings).login(pinOf(page.text))
}

/** What the client threw. */
async function refusalOf(attempt: Promise<unknown>): Promise<ApiResponseError> {
  const error = await attempt.then(
    () => assert.fail('the call succeeded'),
    (thrown) => thrown,
  )
  assert.ok(error instanceof ApiResponseError, String(error))
  return error
}

suite('twitter-api-v2', () => {
  test('signs a user in by callback, and acts for the user on both generations of the API', async () => {
    await using hosts = await asTheirHosts()
    const settings = { httpAgent: hosts.agent }
    const link = await new TwitterApi(appKeys, settings).generateAuthLink(CALLBACK)
    const page = new URL(link.url)
    assert.equal(page.origin + page.pathname, 'https://api.x.com/oauth/authenticate')
    assert.equal(link.oauth_callback_confirmed, 'true')

    const back = await atApprovalPage(hosts.stage).decide(page.searchParams.get('oauth_token')!, 'allow')
    const way = new URL(back.headers.get('location')!)
    assert.equal(way.searchParams.get('oauth_token'), link.oauth_token)
    const { client, userId, screenName } = await goingOn(link, settings).login(way.searchParams.get('oauth_verifier')!)
    assert.deepEqual([userId, screenName], [ada.id, ada.username])

    assert.deepEqual(await client.v2.me(), { data: { id: ada.id, name: ada.name, username: ada.username } })
    const withMore = await client.v2.me({ 'user.fields': ['created_at'] })
    assert.match(withMore.data.created_at ?? '', /^\d{4}-\d\d-\d\dT/)
    const older = await client.v1.verifyCredentials({ include_entities: false, skip_status: true })
    assert.deepEqual([older.id_str, older.screen_name, older.name], [ada.id, ada.username, ada.name])
    assert.equal((await client.currentUser()).id_str, ada.id)
    assert.equal((await client.currentUserV2()).data.username, ada.username)
  })

  test('signs a user in by PIN, for the requested access only', async () => {
    await using hosts = await asTheirHosts()
    const { client } = await signInByPin(hosts.stage, { httpAgent: hosts.agent }, { authAccessType: 'read' })
    const { headers, data } = await client.v2.get('users/me', undefined, { fullResponse: true })
    assert.deepEqual([headers['x-access-level'], data.data.id], ['read', ada.id])
  })

  test('reads code 89 from the error for a revoked token', async () => {
    await using hosts = await asTheirHosts()
    const { client, accessToken } = await signInByPin(hosts.stage, { httpAgent: hosts.agent })
    assert.deepEqual(await client.v1.post('oauth/invalidate_token.json'), { access_token: accessToken })
    const calls = [() => client.v2.me(), () => client.v1.verifyCredentials(), () => client.v1.post('oauth/invalidate_token.json')]
    for (const attempt of calls) {
      const refusal = await refusalOf(attempt())
      assert.deepEqual([refusal.code, refusal.isAuthError, refusal.hasErrorCode(89)], [401, true, true])
    }
  })

  test('logs the app in, which can then call for itself but not as a user', async () => {
    await using hosts = await asTheirHosts()
    const app = await new TwitterApi(appKeys, { httpAgent: hosts.agent }).appLogin()
    assert.deepEqual(await app.v2.get('webhooks'), { data: [], meta: { result_count: 0 } })
    const refusal = await refusalOf(app.v2.me())
    assert.equal(refusal.code, 403)
    assert.match(refusal.data.type ?? '', /\/unsupported-authentication$/)
    assert.ok((await refusalOf(app.v1.verifyCredentials())).hasErrorCode(220))
  })

  test('gets errors with their reasons: a verifier, a secret, a callback', async () => {
    await using hosts = await asTheirHosts()
    const settings = { httpAgent: hosts.agent }
    const link = await new TwitterApi(appKeys, settings).generateAuthLink(CALLBACK)
    await atApprovalPage(hosts.stage).decide(link.oauth_token, 'allow')
    const verifier = await refusalOf(goingOn(link, settings).login('1234567'))
    assert.deepEqual(
      [verifier.code, verifier.errors?.[0]],
      [401, { code: 32, message: 'Error processing your OAuth request: Invalid oauth_verifier parameter' }],
    )
    const secret = await refusalOf(new TwitterApi({ ...appKeys, appSecret: 'wrong' }, settings).generateAuthLink(CALLBACK))
    assert.deepEqual([secret.code, secret.hasErrorCode(32), secret.isAuthError], [401, true, true])
    const callback = await refusalOf(new TwitterApi(appKeys, settings).generateAuthLink(`${CALLBACK}/`))
    assert.deepEqual([callback.code, callback.hasErrorCode(415)], [403, true])
  })
})

/** They bring no types. */
const require = createRequire(import.meta.url)
const [express, session, { Passport }, { Strategy }] = ['express', 'express-session', 'passport', 'passport-twitter'].map(require)

interface Responding {
  status(code: number): Responding
  json(value: unknown): void
}

interface Profile {
  id: string
  username: string
  displayName: string
  provider: string
  _accessLevel: string
}

/** A site that signs its visitors in with `passport-twitter`, as the package's own page shows it. */
async function startSite() {
  const app = express()
  const server: Server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const passport = new Passport()
  const keys = { consumerKey: demoApp.consumer_key, consumerSecret: demoApp.consumer_secret, callbackURL: `${url}/callback` }
  const take = (token: string, _secret: string, profile: Profile, done: (error: unknown, user: unknown) => void) =>
    done(null, { token, ...profile })
  passport.use(new Strategy(keys, take))
  app.use(session({ secret: 'a secret of the site', resave: false, saveUninitialized: false }))
  app.get('/enter', passport.authenticate('twitter'))
  const signedIn = (request: { user: unknown }, response: Responding) => response.json(request.user)
  app.get('/callback', passport.authenticate('twitter', { session: false, failureRedirect: '/refused' }), signedIn)
  app.use((error: Error & { oauthError?: unknown }, _request: unknown, response: Responding, _next: unknown) =>
    response.status(500).json({ errors: [{ code: 500, message: `${error.message}: ${error.oauthError}` }] }),
  )
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The library calls through the agent that everybody shares, and leaves no other to be set. */
function asEverybodysAgent(agent: https.Agent): Disposable {
  const before = https.globalAgent
  const set = (shared: https.Agent) => {
    https.globalAgent = shared
  }
  set(agent)
  return { [Symbol.dispose]: () => set(before) }
}

suite('passport-twitter', () => {
  /** A visitor who enters the site, and decides at the approval page; what the site answers in the end. */
  async function visit(decision: 'allow' | 'deny') {
    await using site = await startSite()
    await using hosts = await asTheirHosts({ ...signInSeed, apps: [{ ...demoApp, callback_urls: [`${site.url}/callback`] }] })
    using _ = asEverybodysAgent(hosts.agent)
    const entered = await call(`${site.url}/enter`, 'GET')
    assert.equal(entered.status, 302, entered.text)
    const page = new URL(entered.headers.get('location')!)
    assert.equal(page.origin + page.pathname, 'https://api.twitter.com/oauth/authenticate')
    const back = await atApprovalPage(hosts.stage).decide(page.searchParams.get('oauth_token')!, decision)
    assert.equal(back.status, 302, back.text)
    const cookie = entered.headers.get('set-cookie')!.split(';')[0]!
    return await call(back.headers.get('location')!, 'GET', { headers: { cookie } })
  }

  test('signs a visitor of a site in, with profile and granted access', async () => {
    const { status, text, body } = await visit('allow')
    assert.equal(status, 200, text)
    const { id, username, displayName, provider, token, _accessLevel } = body
    assert.deepEqual([id, username, displayName, provider, _accessLevel], [ada.id, ada.username, ada.name, 'twitter', 'read'])
    assert.match(token, /^101-[A-Za-z0-9]{40}$/)
  })

  test('treats a visitor who denies as not signed in', async () => {
    const { status, headers } = await visit('deny')
    assert.deepEqual([status, headers.get('location')], [302, '/refused'])
  })
})
