import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import {
  ALL_SCOPES,
  approvedCode,
  asClient,
  asking,
  atAuthorizationPage,
  basic,
  CHALLENGE,
  confidential,
  exchangeCode,
  foreignClient,
  oauth2Seed,
  obtainTokens,
  publicClient,
  REDIRECT,
  redirected,
  refreshWith,
  revoke,
  statusWith,
  VERIFIER,
} from '../stage/oauth2.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { grace, hidden, signed, signIn } from '../stage/sign-in.ts'

const flavours = databasesOf(import.meta)

const INVALID_CODE = { error: 'invalid_request', error_description: 'Value passed for the authorization code was invalid.' }
const INVALID_TOKEN = { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' }

const staged = (options: Parameters<typeof setStage>[0] = {}) => setStage({ seed: oauth2Seed, ...options })

for (const flavour of flavours)
  test(`a whole sign-in: approve, exchange, call as the user, refresh, revoke, on ${flavour}`, async () => {
    await using stage = await staged({ flavour })
    const page = atAuthorizationPage(stage, '/2/oauth2/authorize')
    const shown = await page.open()
    assert.equal(shown.status, 200)
    for (const words of [
      'See posts, also those of protected accounts that you can see',
      'Stay connected to your account',
      'See your password',
    ])
      assert.ok(shown.text.includes(words), words)
    const allowed = await page.decide('allow')
    assert.deepEqual(Object.keys(redirected(allowed)), ['state', 'code', 'iss'])
    assert.equal(redirected(allowed).state, 'state of the app')
    assert.equal(redirected(allowed).iss, stage.publicOrigins.base_url)

    const given = await exchangeCode(stage, redirected(allowed).code!)
    assert.equal(given.status, 200, given.text)
    assert.deepEqual(Object.keys(given.body), ['token_type', 'expires_in', 'access_token', 'scope', 'refresh_token'])
    assert.deepEqual([given.body.token_type, given.body.expires_in, given.body.scope], ['bearer', 7200, ALL_SCOPES])
    assert.match(given.headers.get('cache-control') ?? '', /no-store/)
    assert.equal(given.headers.get('pragma'), 'no-cache')

    const me = await stage.api('GET', '/2/users/me', { token: given.body.access_token })
    assert.deepEqual([me.status, me.body.data.username], [200, 'ada'])

    const refreshed = await refreshWith(stage, given.body.refresh_token)
    assert.equal(refreshed.status, 200, refreshed.text)
    assert.notEqual(refreshed.body.refresh_token, given.body.refresh_token)
    for (const token of [given, refreshed]) assert.equal(await statusWith(stage, token.body.access_token), 200)

    const revoked = await revoke(stage, refreshed.body.access_token)
    assert.deepEqual([revoked.status, revoked.body], [200, { revoked: true }])
    for (const { body } of [given, refreshed])
      for (const path of ['/2/users/me', '/2/posts?ids=1', '/2/webhooks', '/2/activity/subscriptions']) {
        const answer = await stage.api('GET', path, { token: body.access_token })
        assert.deepEqual(
          [answer.status, answer.body.title, answer.body.errors],
          [401, 'Unauthorized', [{ code: 89, message: 'Invalid or expired token.' }]],
          path,
        )
      }
    assert.deepEqual((await refreshWith(stage, refreshed.body.refresh_token)).body, INVALID_TOKEN)
  })

test('a public client signs a user in with its id alone', async () => {
  await using stage = await staged()
  const tokens = await obtainTokens(stage, { client: publicClient })
  assert.equal(await statusWith(stage, tokens.access_token), 200)
  const refreshed = await refreshWith(stage, tokens.refresh_token, {}, publicClient)
  assert.equal(refreshed.status, 200)
  assert.equal((await revoke(stage, refreshed.body.refresh_token, publicClient)).status, 200)
  assert.equal(await statusWith(stage, refreshed.body.access_token), 401)
})

suite('the approval page', () => {
  test('after Deny the app gets access_denied and its state', async () => {
    await using stage = await staged()
    const denied = await atAuthorizationPage(stage).decide('deny', asking(), {})
    const iss = stage.publicOrigins.base_url
    assert.deepEqual([denied.status, redirected(denied)], [302, { state: 'state of the app', error: 'access_denied', iss }])
  })

  test('it is shown again to a user who is signed in and has allowed the app before', async () => {
    await using stage = await staged()
    const at = atAuthorizationPage(stage)
    await at.decide('allow')
    const again = await at.open()
    assert.equal(again.status, 200)
    assert.match(again.text, /Signed in as <bdi>Ada<\/bdi> @ada/)
    const allowed = await at.decide('allow', asking(), {})
    assert.equal((await exchangeCode(stage, redirected(allowed).code!)).status, 200)
    const forced = await at.open({ ...asking(), force_login: 'true' })
    assert.match(forced.text, /type="password"/)
    const withoutPassword = await at.decide('allow', { ...asking(), force_login: 'true' }, {})
    assert.deepEqual([withoutPassword.status, withoutPassword.headers.get('location')], [200, null])
    assert.match(withoutPassword.text, /type="password"/)
  })

  test('it names what each scope allows, and what is not asked for', async () => {
    await using stage = await staged()
    const { text } = await atAuthorizationPage(stage).open(asking({ scope: 'tweet.write dm.read follow.read' }))
    const lines = (kind: string) =>
      [
        ...text
          .split(`<ul class="${kind}">`)[1]!
          .split('</ul>')[0]!
          .matchAll(/<li>(.*)<\/li>/g),
      ].map(([, says]) => says)
    assert.deepEqual(lines('may'), [
      'Post, repost and delete posts, and start and end Spaces for you',
      'See whom you follow and who follows you',
      'See your direct messages',
    ])
    assert.deepEqual(lines('not'), [
      'Follow or unfollow accounts for you',
      'Send direct messages for you',
      'See your email address',
      'See your password',
    ])
  })

  const pages: [name: string, more: Record<string, string | undefined>][] = [
    ['no client_id', { client_id: undefined }],
    ['an unknown client_id', { client_id: 'nobody' }],
    ['no redirect_uri', { redirect_uri: undefined }],
  ]
  for (const [name, more] of pages)
    test(`${name} is answered with a page, and leads nowhere`, async () => {
      await using stage = await staged()
      const answer = await atAuthorizationPage(stage).open(asking(more))
      assert.deepEqual([answer.status, answer.headers.get('location')], [400, null])
      assert.match(answer.text, /This app cannot ask for access/)
    })

  const errors: [name: string, more: Record<string, string | undefined>, error: string][] = [
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no state', { state: undefined }, 'invalid_request'],
    ['an empty state', { state: '' }, 'invalid_request'],
    ['a state of 501 characters', { state: 's'.repeat(501) }, 'invalid_request'],
    ['no code_challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a code_challenge of 42 characters', { code_challenge: 'c'.repeat(42) }, 'invalid_request'],
    ['a code_challenge of 129 characters', { code_challenge: 'c'.repeat(129) }, 'invalid_request'],
    ['a code_challenge with another character', { code_challenge: `${CHALLENGE}=` }, 'invalid_request'],
    ['an unknown code_challenge_method', { code_challenge_method: 'S512' }, 'invalid_request'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['an unknown scope', { scope: 'post.read everything' }, 'invalid_scope'],
  ]
  for (const [name, more, error] of errors)
    test(`${name} leads back to the app with ${error}`, async () => {
      await using stage = await staged()
      const request = asking(more)
      const answer = await atAuthorizationPage(stage).open(request)
      assert.equal(answer.status, 302, answer.text)
      assert.ok(answer.headers.get('location')!.startsWith(`${REDIRECT}?`))
      const said = redirected(answer)
      assert.deepEqual([said.error, said.state], [error, request.state || undefined])
      assert.match(said.error_description ?? '', /^[ -!#-[\]-~]+$/)
      if (request.scope === 'post.read everything') assert.equal(said.error_description, 'scope names everything, which is not a scope')
    })

  test('limits are inclusive: a state of 500 characters, a challenge of 43 and of 128', async () => {
    await using stage = await staged()
    for (const more of [{ state: 's'.repeat(500) }, { code_challenge: 'c'.repeat(43) }, { code_challenge: 'c'.repeat(128) }])
      assert.equal((await atAuthorizationPage(stage).open(asking(more))).status, 200)
  })

  test('a callback keeps its own query, and one of a custom scheme is led to', async () => {
    await using stage = await staged()
    for (const [redirect_uri, start] of [
      ['https://demo.example/cb?kept=1', 'https://demo.example/cb?kept=1&state='],
      ['demo-app://signed-in', 'demo-app://signed-in?state='],
    ] as const) {
      const answer = await atAuthorizationPage(stage).decide('allow', asking({ redirect_uri }))
      assert.ok(answer.headers.get('location')?.startsWith(start), answer.headers.get('location') ?? '')
    }
  })

  test('in the dialect x no iss is sent, and scopes are spelled tweet', async () => {
    await using stage = await staged({ environment: { POSTERN_DIALECT: 'x' } })
    const allowed = await atAuthorizationPage(stage).decide('allow', asking({ scope: 'tweet.read users.read' }))
    assert.deepEqual(Object.keys(redirected(allowed)), ['state', 'code'])
    assert.equal((await exchangeCode(stage, redirected(allowed).code!)).body.scope, 'tweet.read users.read')
  })
})

suite('the token endpoint', () => {
  test('a code is valid for 30 seconds', async () => {
    await using stage = await staged()
    for (const [ms, status] of [
      [20_000, 200],
      [30_000, 400],
    ] as const) {
      const code = await approvedCode(stage)
      stage.clock.setOffset(stage.clock.offset() + ms)
      assert.equal((await exchangeCode(stage, code)).status, status, String(ms))
    }
  })

  test('without offline.access there is no refresh token', async () => {
    await using stage = await staged()
    const tokens = await obtainTokens(stage, { scope: 'post.read users.read' })
    assert.deepEqual(Object.keys(tokens), ['token_type', 'expires_in', 'access_token', 'scope'])
  })

  test('JSON is taken as a form is, and the client id may come twice if both are the same', async () => {
    await using stage = await staged()
    const json = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code_verifier: VERIFIER, client_id: confidential.id }
    const authorization = basic(confidential)
    const given = await stage.api('POST', '/2/oauth2/token', {
      headers: { authorization },
      json: { ...json, code: await approvedCode(stage) },
    })
    assert.equal(given.status, 200, given.text)
    const code = await approvedCode(stage)
    const other = await stage.api('POST', '/2/oauth2/token', {
      headers: { authorization },
      json: { ...json, code, client_id: publicClient.id },
    })
    assert.deepEqual([other.status, other.body.error], [400, 'invalid_request'])
    const alone = await stage.api('POST', '/2/oauth2/token', {
      json: { ...json, code: await approvedCode(stage, { client_id: publicClient.id }), client_id: publicClient.id },
    })
    assert.equal(alone.status, 200, alone.text)
  })

  test('parameters in the query are not read, and a repeated one is refused (RFC 6749, sections 2.3.1 and 3.2)', async () => {
    await using stage = await staged()
    const code = await approvedCode(stage)
    const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code_verifier: VERIFIER, code }
    const inQuery = await asClient(stage, confidential, {}, `/2/oauth2/token?${new URLSearchParams(form)}`)
    assert.deepEqual([inQuery.status, inQuery.body.error_description], [400, 'Missing required parameter [grant_type].'])
    const twice = await stage.api('POST', '/2/oauth2/token', {
      headers: { authorization: basic(confidential), 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams(form)}&code=another`,
    })
    assert.deepEqual([twice.status, twice.body.error], [400, 'invalid_request'])
    assert.doesNotMatch(twice.text, new RegExp(code))
    assert.equal((await exchangeCode(stage, code)).status, 200)
  })

  const wrong: [name: string, more: Record<string, string | undefined>, error: Record<string, string>][] = [
    ['an unknown code', { code: 'unknown' }, INVALID_CODE],
    ['no code', { code: undefined }, { error: 'invalid_request', error_description: 'Missing required parameter [code].' }],
    [
      'no verifier',
      { code_verifier: undefined },
      { error: 'invalid_request', error_description: 'Missing required parameter [code_verifier].' },
    ],
    [
      'no redirect_uri',
      { redirect_uri: '' },
      { error: 'invalid_request', error_description: 'Missing required parameter [redirect_uri].' },
    ],
    [
      'another redirect_uri',
      { redirect_uri: 'https://other.example/cb' },
      { error: 'invalid_request', error_description: 'Value passed for the redirect uri did not match the uri of the authorization code.' },
    ],
    [
      'another verifier',
      { code_verifier: 'v'.repeat(43) },
      { error: 'invalid_request', error_description: 'Value passed for the code verifier did not match the code challenge.' },
    ],
  ]
  for (const [name, more, error] of wrong)
    test(`${name} is refused, and the code stays`, async () => {
      await using stage = await staged()
      const code = await approvedCode(stage)
      const answer = await exchangeCode(stage, code, more)
      assert.deepEqual([answer.status, answer.body], [400, error])
      assert.equal((await exchangeCode(stage, code)).status, 200)
    })

  test('client_credentials and unknown grant types are unsupported_grant_type', async () => {
    await using stage = await staged()
    for (const grant_type of ['client_credentials', 'password'])
      assert.equal((await asClient(stage, confidential, { grant_type })).body.error, 'unsupported_grant_type')
  })

  test('a refresh may ask for fewer scopes, and never for more', async () => {
    await using stage = await staged()
    const { refresh_token } = await obtainTokens(stage, { scope: 'tweet.read users.read like.read offline.access' })
    const wider = await refreshWith(stage, refresh_token, { scope: 'post.read like.write' })
    assert.deepEqual([wider.status, wider.body.error], [400, 'invalid_scope'])
    const unknown = await refreshWith(stage, refresh_token, { scope: 'everything' })
    assert.deepEqual([unknown.status, unknown.body.error], [400, 'invalid_scope'])
    const narrow = await refreshWith(stage, refresh_token, { scope: 'tweet.read users.read' })
    assert.equal(narrow.body.scope, 'post.read users.read')
    const liked = `/2/users/101/liked_posts`
    assert.equal((await stage.api('GET', liked, { token: narrow.body.access_token })).status, 403)
    const whole = await refreshWith(stage, narrow.body.refresh_token)
    assert.equal(whole.body.scope, 'post.read users.read like.read offline.access')
    assert.equal((await stage.api('GET', liked, { token: whole.body.access_token })).status, 200)
  })

  test('an access token is valid for two hours, a refresh token for 180 days from its last use', async () => {
    await using stage = await staged()
    const tokens = await obtainTokens(stage)
    const move = (ms: number) => stage.clock.setOffset(stage.clock.offset() + ms)
    move(7_140_000)
    assert.equal(await statusWith(stage, tokens.access_token), 200)
    move(60_000)
    const expired = await stage.api('GET', '/2/users/me', { token: tokens.access_token })
    assert.deepEqual([expired.status, expired.body.title], [401, 'Unauthorized'])
    move(180 * 86_400_000 - 7_260_000)
    const refreshed = await refreshWith(stage, tokens.refresh_token)
    assert.equal(refreshed.status, 200)
    move(180 * 86_400_000)
    assert.deepEqual((await refreshWith(stage, refreshed.body.refresh_token)).body, INVALID_TOKEN)
  })
})

suite('a revocation', () => {
  test('of either token ends the grant; an unknown token and one of another client change nothing, and answer the same', async () => {
    await using stage = await staged()
    for (const which of ['access_token', 'refresh_token'] as const) {
      const tokens = await obtainTokens(stage)
      for (const [token, client] of [
        ['unknown', confidential],
        [tokens.access_token, foreignClient],
        [tokens.refresh_token, foreignClient],
        [tokens.refresh_token, publicClient],
      ] as const)
        assert.deepEqual((await revoke(stage, token, client)).body, { revoked: true })
      assert.equal(await statusWith(stage, tokens.access_token), 200)
      await revoke(stage, tokens[which])
      assert.equal(await statusWith(stage, tokens.access_token), 401)
      assert.equal((await refreshWith(stage, tokens.refresh_token)).status, 400)
    }
  })

  test('needs a token and a client', async () => {
    await using stage = await staged()
    const noToken = await asClient(stage, confidential, {}, '/2/oauth2/revoke')
    assert.deepEqual([noToken.status, noToken.body.error_description], [400, 'Missing required parameter [token].'])
    assert.equal((await revoke(stage, 'token', { id: confidential.id })).status, 401)
  })
})

suite('a grant ends at once, in every process', () => {
  const endings: [name: string, end: (stage: Stage, tokens: { access_token: string; refresh_token: string }) => Promise<unknown>][] = [
    [
      'by POST /operator/tokens/revoke with the access token',
      (it, tokens) => it.operator('POST', '/operator/tokens/revoke', { token: tokens.access_token }),
    ],
    ['by POST /operator/tokens/revoke with the user', (it) => it.operator('POST', '/operator/tokens/revoke', { user_id: '101' })],
    ['by POST /operator/tokens/revoke with the app', (it) => it.operator('POST', '/operator/tokens/revoke', { app_id: '1' })],
    ['when the user is disabled', (it) => it.operator('PATCH', '/operator/users/101', { disabled: true })],
    ['when the user is deleted', (it) => it.operator('DELETE', '/operator/users/101')],
    ['when the app is suspended', (it) => it.operator('PATCH', '/operator/apps/1', { suspended: true })],
    ['when the app is deleted', (it) => it.operator('DELETE', '/operator/apps/1')],
  ]
  for (const flavour of flavours)
    test(`${endings.map(([name]) => name).join(', ')}, on ${flavour}`, async () => {
      for (const [name, end] of flavour === 'sqlite' ? endings : endings.slice(1, 6)) {
        await using stage = await staged({ flavour })
        await using other = flavour === 'postgres' ? await stage.beside() : undefined
        const tokens = await obtainTokens(stage)
        for (const each of [stage, other ?? stage]) assert.equal(await statusWith(each, tokens.access_token), 200)
        await end(stage, tokens)
        for (const each of [stage, other ?? stage]) {
          assert.equal(await statusWith(each, tokens.access_token), 401, name)
          assert.ok([400, 401].includes((await refreshWith(each, tokens.refresh_token)).status), name)
        }
      }
    })
})

suite('calls with an access token of OAuth 2.0', () => {
  test('act as the user with the scopes that are granted, whatever the permission of the app, and else are 403 Forbidden', async () => {
    await using stage = await staged()
    const { access_token: token } = await obtainTokens(stage, { scope: 'post.read post.write users.read' })
    const posted = await stage.api('POST', '/2/posts', { token, json: { text: 'Hello' } })
    assert.equal(posted.status, 201, posted.text)
    const refused = await stage.api('POST', '/2/users/101/likes', { token, json: { post_id: posted.body.data.id } })
    assert.deepEqual([refused.status, refused.body], [403, { type: 'about:blank', title: 'Forbidden', detail: 'Forbidden', status: 403 }])
    assert.equal(
      refused.headers.get('www-authenticate'),
      'Bearer realm="postern", error="insufficient_scope", scope="like.write post.read users.read"',
    )
    assert.ok(refused.headers.get('x-rate-limit-remaining'), 'the refused call is counted')
  })

  test('upload media with media.write, and not without it', async () => {
    await using stage = await staged()
    const json = { media_type: 'image/png', total_bytes: 100, media_category: 'tweet_image' }
    const { access_token: token } = await obtainTokens(stage, { scope: 'media.write' })
    const begun = await stage.api('POST', '/2/media/upload/initialize', { token, json })
    assert.equal(begun.status, 200, begun.text)
    const other = await obtainTokens(stage)
    assert.equal((await stage.api('POST', '/2/media/upload/initialize', { token: other.access_token, json })).status, 403)
    const v1 = await stage.api('GET', `/1.1/media/upload.json?command=STATUS&media_id=${begun.body.data.id}`, { token })
    assert.deepEqual([v1.status, v1.body.errors[0].code], [403, 220])
  })

  test('read messages with dm.read and without a permission for OAuth 1.0a', async () => {
    await using stage = await staged()
    const { access_token: token } = await obtainTokens(stage, { scope: 'dm.read post.read users.read' })
    assert.equal((await stage.api('GET', '/2/dm_events', { token })).status, 200)
    const answer = await stage.api('POST', '/2/dm_conversations/with/102/messages', { token, json: { text: 'Hello' } })
    assert.deepEqual([answer.status, answer.body.title], [403, 'Forbidden'])
  })

  test('only an app may call: unsupported-authentication, and the reverse', async () => {
    await using stage = await staged()
    const { access_token } = await obtainTokens(stage)
    const webhooks = await stage.api('GET', '/2/webhooks', { token: access_token })
    assert.deepEqual(
      [webhooks.status, webhooks.body.type.split('/').at(-1), webhooks.body.detail],
      [
        403,
        'unsupported-authentication',
        'Authenticating with OAuth 2.0 User Context is forbidden for this endpoint.  Supported authentication types are [OAuth 2.0 Application-Only].',
      ],
    )
    const me = await stage.api('GET', '/2/users/me', { token: await stage.token() })
    assert.deepEqual(
      [me.status, me.body.detail],
      [
        403,
        'Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.  Supported authentication types are [OAuth 1.0a User Context, OAuth 2.0 User Context].',
      ],
    )
  })

  test('are refused under /1.1/ and on the advertising hosts', async () => {
    await using stage = await staged()
    const { access_token: token } = await obtainTokens(stage)
    const v1 = await stage.api('GET', '/1.1/account/verify_credentials', { token })
    assert.deepEqual([v1.status, v1.body.errors[0].code], [403, 220])
    const ads = await fetch(`${stage.origins.ads_base_url}/12/accounts`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(ads.status, 401)
  })

  test('a token that never was is 401, in the form of a user token and in any other', async () => {
    await using stage = await staged()
    const form = Buffer.from(`${'r'.repeat(43)}:1700000000000:1:1:at:1`).toString('base64url')
    for (const token of [form, 'nonsense'])
      for (const path of ['/2/users/me', '/2/users/101', '/2/webhooks']) {
        const answer = await stage.api('GET', path, { token })
        assert.deepEqual([answer.status, answer.body.title], [401, 'Unauthorized'], `${token} ${path}`)
      }
  })

  test('a refresh token and a code are no access tokens', async () => {
    await using stage = await staged()
    const { refresh_token } = await obtainTokens(stage)
    for (const token of [refresh_token, await approvedCode(stage)]) assert.equal(await statusWith(stage, token), 401)
  })

  test('§5.6: the permission of OAuth 1.0a decides for a signed call, whatever scopes the user has granted', async () => {
    await using stage = await staged()
    await obtainTokens(stage, { scope: 'post.read post.write users.read' })
    const asked = await signIn(stage, demoApp)
    const answer = await signed(stage, 'POST', '/2/posts', asked, { headers: { 'content-type': 'application/json' } })
    assert.deepEqual([answer.status, answer.body.type.split('/').at(-1)], [403, 'oauth1-permissions'])
  })

  test('the audience of a protected account reads with its own token only', async () => {
    await using stage = await staged()
    const adas = await obtainTokens(stage)
    const graces = await obtainTokens(stage, { username: grace.username })
    for (const [tokens, username] of [
      [adas, 'ada'],
      [graces, 'grace'],
    ] as const)
      assert.equal((await stage.api('GET', '/2/users/me', { token: tokens.access_token })).body.data.username, username)
  })
})

test('the metadata names the endpoints (RFC 8414)', async () => {
  await using stage = await staged()
  const { status, body } = await stage.api('GET', '/.well-known/oauth-authorization-server')
  const origin = stage.publicOrigins.base_url
  assert.equal(status, 200)
  assert.deepEqual(
    [body.issuer, body.authorization_endpoint, body.token_endpoint, body.revocation_endpoint],
    [origin, `${origin}/i/oauth2/authorize`, `${origin}/2/oauth2/token`, `${origin}/2/oauth2/revoke`],
  )
  assert.deepEqual(body.code_challenge_methods_supported, ['S256', 'plain'])
})

test('the page of the other path has a form that leads to that path', async () => {
  await using stage = await staged()
  for (const path of ['/2/oauth2/authorize', '/i/oauth2/authorize']) {
    const { text } = await atAuthorizationPage(stage, path).open()
    assert.ok(text.includes(`<form method="post" action="${path}">`))
    assert.equal(hidden(text, 'client_id'), confidential.id)
  }
})
