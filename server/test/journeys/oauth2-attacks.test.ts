import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { limitFile } from '../stage/limit-file.ts'
import {
  approvedCode,
  asClient,
  asking,
  atAuthorizationPage,
  basic,
  challengeOf,
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
  type TestClient,
  VERIFIER,
} from '../stage/oauth2.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { ada, askForSignIn, atApprovalPage, hidden, PASSWORD } from '../stage/sign-in.ts'

const flavours = databasesOf(import.meta)

const staged = (options: Parameters<typeof setStage>[0] = {}) => setStage({ seed: oauth2Seed, ...options })

const LOGIN = { username: ada.username, password: PASSWORD }

/** The attacker has a verifier and a challenge of their own. */
const ATTACKERS_VERIFIER = 'attackers-verifier-of-at-least-43-characters-long'

const isRefused = ({ status, body }: Answer) => [400, 401].includes(status) && typeof body.error === 'string'

const atOnce = <T>(run: (n: number) => Promise<T>) => Promise.all(Array.from({ length: 20 }, (_, n) => run(n)))

suite('a code that leaked gives nothing (RFC 9700, section 2.1; RFC 7636)', () => {
  const rows: [name: string, asked: Record<string, string>, sent: Record<string, string | undefined>, client?: TestClient][] = [
    ['without the verifier', {}, { code_verifier: undefined }],
    ['with a verifier of the attacker', {}, { code_verifier: ATTACKERS_VERIFIER }],
    ['with the challenge as the verifier: plain cannot stand in for S256', {}, { code_verifier: challengeOf(VERIFIER) }],
    [
      'with the hash of a plain verifier: S256 cannot stand in for plain',
      { code_challenge: VERIFIER, code_challenge_method: 'plain' },
      { code_verifier: challengeOf(VERIFIER) },
    ],
    ['with a code_challenge_method at the exchange', {}, { code_verifier: challengeOf(VERIFIER), code_challenge_method: 'plain' }],
    ['with a verifier that is too short (RFC 7636, section 4.1)', { code_challenge: challengeOf('short') }, { code_verifier: 'short' }],
    ['with an empty redirect_uri', {}, { redirect_uri: '' }],
    ['with another callback of the app (RFC 6749, section 4.1.3)', {}, { redirect_uri: 'https://other.example/cb' }],
    ['by another confidential client (RFC 6749, section 4.1.3)', {}, {}, foreignClient],
    ['by a public client', {}, {}, publicClient],
    ['by the client without its secret (RFC 6749, section 3.2.1)', {}, {}, { id: confidential.id }],
    ['by the client with a wrong secret', {}, {}, { id: confidential.id, secret: 'wrong' }],
  ]
  for (const [name, asked, sent, client] of rows)
    test(name, async () => {
      await using stage = await staged()
      const code = await approvedCode(stage, asked)
      const answer = await exchangeCode(stage, code, sent, client)
      assert.ok(isRefused(answer), answer.text)
      assert.equal(answer.headers.get('access-control-allow-origin'), null)
    })

  test('injected into the session of another client, with the verifier of that session', async () => {
    await using stage = await staged()
    const stolen = await approvedCode(stage)
    const own = { code_verifier: ATTACKERS_VERIFIER }
    await approvedCode(stage, { code_challenge: challengeOf(ATTACKERS_VERIFIER) })
    assert.ok(isRefused(await exchangeCode(stage, stolen, own)))
  })

  test('after 30 seconds', async () => {
    await using stage = await staged()
    const code = await approvedCode(stage)
    stage.clock.setOffset(stage.clock.offset() + 30_000)
    assert.ok(isRefused(await exchangeCode(stage, code)))
  })
})

for (const flavour of flavours)
  suite(`a code is exchanged once (RFC 6749, sections 4.1.2 and 10.5), on ${flavour}`, () => {
    test('the second exchange is refused, and ends what the first one gave', async () => {
      await using stage = await staged({ flavour })
      const code = await approvedCode(stage)
      const first = await exchangeCode(stage, code)
      assert.equal(await statusWith(stage, first.body.access_token), 200)
      assert.ok(isRefused(await exchangeCode(stage, code)))
      assert.equal(await statusWith(stage, first.body.access_token), 401)
      assert.ok(isRefused(await refreshWith(stage, first.body.refresh_token)))
    })

    test('also hours later', async () => {
      await using stage = await staged({ flavour })
      const code = await approvedCode(stage)
      const first = await exchangeCode(stage, code)
      stage.clock.setOffset(stage.clock.offset() + 3_600_000)
      assert.ok(isRefused(await exchangeCode(stage, code)))
      assert.equal(await statusWith(stage, first.body.access_token), 401)
    })

    test('another client that has the code ends nothing', async () => {
      await using stage = await staged({ flavour })
      const code = await approvedCode(stage)
      const first = await exchangeCode(stage, code)
      for (const client of [foreignClient, publicClient]) assert.ok(isRefused(await exchangeCode(stage, code, {}, client)))
      assert.equal(await statusWith(stage, first.body.access_token), 200)
    })

    test('of twenty at once one gets tokens, and the others end them', async () => {
      await using stage = await staged({ flavour })
      await using other = flavour === 'postgres' ? await stage.beside() : undefined
      const code = await approvedCode(stage)
      const answers = await atOnce((n) => exchangeCode((n % 2 && other) || stage, code))
      const won = answers.filter(({ status }) => status === 200)
      assert.equal(won.length, 1)
      assert.ok(answers.filter((answer) => answer !== won[0]).every(isRefused))
      assert.equal(await statusWith(stage, won[0]!.body.access_token), 401)
    })
  })

for (const flavour of flavours)
  suite(`a refresh token is used once (RFC 9700, section 4.14.2), on ${flavour}`, () => {
    test('of twenty refreshes at once one succeeds, and its tokens are valid', async () => {
      await using stage = await staged({ flavour })
      await using other = flavour === 'postgres' ? await stage.beside() : undefined
      const { refresh_token } = await obtainTokens(stage)
      const answers = await atOnce((n) => refreshWith((n % 2 && other) || stage, refresh_token))
      const won = answers.filter(({ status }) => status === 200)
      assert.equal(won.length, 1)
      assert.equal(await statusWith(stage, won[0]!.body.access_token), 200)
      assert.equal((await refreshWith(stage, won[0]!.body.refresh_token)).status, 200)
    })

    test('a former one ends the grant ten seconds after it was replaced, also for whoever has the newest', async () => {
      await using stage = await staged({ flavour })
      const first = await obtainTokens(stage)
      const second = (await refreshWith(stage, first.refresh_token)).body
      assert.ok(isRefused(await refreshWith(stage, first.refresh_token)))
      assert.equal(await statusWith(stage, second.access_token), 200, 'a retry of just now ends nothing')
      stage.clock.setOffset(stage.clock.offset() + 10_000)
      assert.ok(isRefused(await refreshWith(stage, first.refresh_token)))
      for (const token of [first.access_token, second.access_token]) assert.equal(await statusWith(stage, token), 401)
      assert.ok(isRefused(await refreshWith(stage, second.refresh_token)))
    })
  })

test('refreshing every nine seconds keeps no stolen refresh token forgiven', async () => {
  await using stage = await staged()
  const first = await obtainTokens(stage)
  let newest = first
  for (let time = 0; time < 3; time += 1) {
    newest = (await refreshWith(stage, newest.refresh_token)).body
    stage.clock.setOffset(stage.clock.offset() + 9000)
  }
  newest = (await refreshWith(stage, newest.refresh_token)).body
  assert.ok(isRefused(await refreshWith(stage, first.refresh_token)))
  assert.equal(await statusWith(stage, newest.access_token), 401)
})

suite('a token belongs to its client (RFC 6749, section 10.4)', () => {
  test('another client can neither refresh nor revoke it, and ends nothing by trying', async () => {
    await using stage = await staged()
    const first = await obtainTokens(stage)
    const second = (await refreshWith(stage, first.refresh_token)).body
    stage.clock.setOffset(stage.clock.offset() + 60_000)
    for (const client of [foreignClient, publicClient, { id: confidential.id }, { id: confidential.id, secret: 'wrong' }]) {
      for (const token of [first.refresh_token, second.refresh_token]) assert.ok(isRefused(await refreshWith(stage, token, {}, client)))
      await revoke(stage, second.refresh_token, client)
      await revoke(stage, second.access_token, client)
    }
    assert.equal(await statusWith(stage, second.access_token), 200)
  })

  test('tokens of every kind are refused in the place of another', async () => {
    await using stage = await staged()
    const tokens = await obtainTokens(stage)
    const code = await approvedCode(stage)
    const bearer = await stage.token()
    for (const token of [tokens.access_token, code, bearer, 'nonsense', 'x'.repeat(5000)])
      assert.ok(isRefused(await refreshWith(stage, token)), token)
    for (const text of [tokens.access_token, tokens.refresh_token, bearer]) assert.ok(isRefused(await exchangeCode(stage, text)))
    assert.equal((await exchangeCode(stage, code)).status, 200)
  })
})

suite('a text that names a grant is no token of it', () => {
  const written = (token: string) => Buffer.from(token, 'base64url').toString()
  const spoiled: [name: string, spoil: (token: string) => string][] = [
    ['with another rest', (token) => Buffer.from(`${written(token).slice(0, 22)}${'A'.repeat(21)}:1:1:1:rt:1`).toString('base64url')],
    [
      'with one wrong character',
      (token) => Buffer.from(written(token).replace(/.(?=:)/, (one) => (one === '_' ? '-' : '_'))).toString('base64url'),
    ],
    ['with a line break', (token) => `${token}\n`],
    ['with padding', (token) => `${token}=`],
    ['in quotes', (token) => `"${token}"`],
  ]
  for (const [name, spoil] of spoiled)
    test(`${name} it is refused, and neither a refresh nor a revocation ends the grant, of a public client too`, async () => {
      await using stage = await staged()
      for (const client of [confidential, publicClient]) {
        let { access_token, refresh_token } = await obtainTokens(stage, { client })
        for (const again of [true, false]) {
          stage.clock.setOffset(stage.clock.offset() + 60_000)
          assert.ok(isRefused(await refreshWith(stage, spoil(refresh_token), {}, client)))
          await revoke(stage, spoil(refresh_token), client)
          assert.equal(await statusWith(stage, access_token), 200)
          if (again) ({ access_token, refresh_token } = (await refreshWith(stage, refresh_token, {}, client)).body)
        }
      }
    })
})

suite('the browser is led nowhere but to a callback of the app (RFC 6749, section 3.1.2; RFC 9700, section 4.1)', () => {
  const tricks = [
    `${REDIRECT}/`,
    `${REDIRECT}/more`,
    `${REDIRECT}?more=1`,
    `${REDIRECT}?`,
    `${REDIRECT}#fragment`,
    `${REDIRECT}%2f..`,
    'https://demo.example/',
    'https://demo.example/CB',
    'https://demo.example/c%62',
    'https://demo.example/x/../cb',
    'https://demo.example:443/cb',
    'https://demo.example:444/cb',
    'https://DEMO.example/cb',
    'HTTPS://demo.example/cb',
    'http://demo.example/cb',
    'https://demo.example./cb',
    'https://demo.example.evil.example/cb',
    'https://evil.example/demo.example/cb',
    'https://user@demo.example/cb',
    'https://demo.example@evil.example/cb',
    'https://evil.example\\@demo.example/cb',
    '//demo.example/cb',
    '/cb',
    ' https://demo.example/cb',
    'https://demo.example/cb\r\nlocation: https://evil.example',
    'javascript:alert(1)',
    'oob',
    'null',
    'https://demo.example/*',
  ]
  test('every other spelling is answered with a page without a link or form', async () => {
    await using stage = await staged()
    const at = atAuthorizationPage(stage)
    for (const redirect_uri of tricks)
      for (const more of [{}, { response_type: 'token' }]) {
        const answer = await at.open(asking({ redirect_uri, ...more }))
        assert.deepEqual([answer.status, answer.headers.get('location')], [400, null], redirect_uri)
        assert.doesNotMatch(answer.text, /(href|src|action)="(?!data:)|http-equiv|<script|<form/)
      }
  })

  test('a callback of another app is refused', async () => {
    await using stage = await staged()
    const answer = await atAuthorizationPage(stage).open(
      asking({ client_id: foreignClient.id, redirect_uri: 'https://demo.example/cb?kept=1' }),
    )
    assert.equal(answer.status, 400)
  })

  test('a callback that the app no longer has is refused when the form is sent', async () => {
    await using stage = await staged()
    const at = atAuthorizationPage(stage)
    const proof = hidden((await at.open()).text, 'proof')
    await stage.operator('PATCH', '/operator/apps/1', { callback_urls: ['https://new.example/cb'] })
    const answer = await at.send({ ...asking(), proof, decision: 'allow', ...LOGIN })
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null])
  })

  test('two values of one parameter are answered with a page (RFC 6749, section 3.1)', async () => {
    await using stage = await staged()
    const query = `${new URLSearchParams(asking())}&redirect_uri=https%3A%2F%2Fother.example%2Fcb`
    const answer = await stage.api('GET', `/i/oauth2/authorize?${query}`)
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null])
  })

  test('the state goes back as it was sent, encoded, and adds no header or parameter', async () => {
    await using stage = await staged()
    const state = 'a&code=forged\r\nset-cookie: x=1#é"<'
    const answer = await atAuthorizationPage(stage).decide('allow', asking({ state }))
    assert.equal(redirected(answer).state, state)
    assert.notEqual(redirected(answer).code, 'forged')
    assert.doesNotMatch(answer.headers.get('set-cookie') ?? '', /x=1/)
  })

  test('the answer names its issuer, also when it is an error (RFC 9207, section 2): no mix-up', async () => {
    await using stage = await staged()
    const iss = stage.publicOrigins.base_url
    for (const answer of [
      await atAuthorizationPage(stage).decide('allow'),
      await atAuthorizationPage(stage).decide('deny', asking(), {}),
      await atAuthorizationPage(stage).open(asking({ scope: 'everything' })),
    ])
      assert.equal(redirected(answer).iss, iss)
    const { body } = await stage.api('GET', '/.well-known/oauth-authorization-server')
    assert.deepEqual([body.issuer, body.authorization_response_iss_parameter_supported], [iss, true])
  })
})

suite('nobody approves for somebody else', () => {
  const stale = (answer: Answer) => {
    assert.equal(answer.status, 403, answer.text)
    assert.match(answer.text, /This form can no longer be used/)
  }
  type Send = (at: ReturnType<typeof atAuthorizationPage>, form: Record<string, string>, stage: Stage) => Promise<Answer>
  const withCookie =
    (cookie: string): Send =>
    (at, form) => {
      at.setCookie(cookie)
      return at.send(form)
    }
  const rows: [name: string, send: Send][] = [
    ['without the cookie', withCookie('')],
    ['with the cookie of another browser', withCookie(`postern_session=${'a'.repeat(43)}`)],
    ['with a proof that was made up', (at, form) => at.send({ ...form, proof: 'a'.repeat(43) })],
    ['with the proof of another request: more scopes', (at, form) => at.send({ ...form, scope: `${form.scope} dm.read` })],
    ['with the proof of another client', (at, form) => at.send({ ...form, client_id: publicClient.id })],
    ['with the proof of another callback', (at, form) => at.send({ ...form, redirect_uri: 'https://other.example/cb' })],
    ['with the proof of another challenge', (at, form) => at.send({ ...form, code_challenge: challengeOf(ATTACKERS_VERIFIER) })],
    ['with the proof of another state', (at, form) => at.send({ ...form, state: 'of the attacker' })],
    [
      'with the proof of the other path',
      async (at, form, stage) => {
        const other = atAuthorizationPage(stage, '/2/oauth2/authorize')
        other.setCookie(at.cookie())
        return other.send(form)
      },
    ],
  ]
  for (const [name, send] of rows)
    test(`a form is refused ${name} (RFC 6749, section 10.12)`, async () => {
      await using stage = await staged()
      const at = atAuthorizationPage(stage)
      await at.decide('allow')
      const proof = hidden((await at.open()).text, 'proof')
      stale(await send(at, { ...asking(), proof, decision: 'allow' }, stage))
    })

  test('passwords are guessed here no more often than at the page of OAuth 1.0a: both count together', async () => {
    await using stage = await staged()
    const at = atAuthorizationPage(stage)
    const wrong = { username: ada.username, password: 'wrong' }
    for (let n = 0; n < 10; n += 1) {
      const answer = await at.decide('allow', asking(), wrong)
      assert.deepEqual([answer.status, answer.headers.get('location')], [401, null])
      assert.match(answer.text, /The username and password do not match\./)
    }
    assert.equal((await at.decide('allow')).status, 429)
    const { oauth_token } = await askForSignIn(stage, demoApp, REDIRECT)
    assert.equal((await atApprovalPage(stage).decide(oauth_token, 'allow')).status, 429)
  })

  test('the page cannot be framed and tells nobody its address (RFC 6749, section 10.13; RFC 9700, section 4.2)', async () => {
    await using stage = await staged()
    const { headers } = await atAuthorizationPage(stage).open()
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'.*form-action 'self' https:\/\/demo\.example$/)
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.match(headers.get('cache-control') ?? '', /no-store/)
  })

  test('names and states are shown as text', async () => {
    await using stage = await staged()
    const { text } = await atAuthorizationPage(stage).open(asking({ state: '"><script>alert(1)</script>' }))
    assert.doesNotMatch(text, /<script/)
  })

  test('a HEAD request, and a GET, approve nothing for a user who is signed in', async () => {
    await using stage = await staged()
    const at = atAuthorizationPage(stage)
    await at.decide('allow')
    const asked = { ...asking(), decision: 'allow' }
    const answer = await at.open(asked)
    const proof = hidden(answer.text, 'proof')
    assert.deepEqual([answer.status, answer.headers.get('location')], [200, null])
    for (const method of ['GET', 'HEAD']) {
      const query = new URLSearchParams({ ...asked, proof })
      const { headers, status } = await stage.api(method, `/i/oauth2/authorize?${query}`, { headers: { cookie: at.cookie() } })
      assert.equal(headers.get('location'), null, method)
      assert.ok(status < 300 || status >= 400, method)
    }
  })
})

suite('wrong client credentials (RFC 6749, sections 5.2 and 10.10)', () => {
  const form = { grant_type: 'refresh_token', refresh_token: 'any' }

  test('an unknown client and a wrong secret are answered alike, and a missing one as public practice has it', async () => {
    await using stage = await staged()
    const wrong = await asClient(stage, { id: confidential.id, secret: 'wrong' }, form)
    const unknown = await asClient(stage, { id: 'nobody', secret: 'wrong' }, form)
    assert.deepEqual([wrong.status, wrong.body], [unknown.status, unknown.body])
    assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_client'])
    assert.match(wrong.headers.get('www-authenticate') ?? '', /^Basic realm="http/)
    const MISSING = { error: 'unauthorized_client', error_description: 'Missing valid authorization header' }
    for (const client of [{ id: confidential.id }, { id: 'nobody' }, { id: '' }]) {
      const answer = await asClient(stage, client, form)
      assert.deepEqual([answer.status, answer.body], [401, MISSING])
    }
    const bearer = await stage.api('POST', '/2/oauth2/token', {
      token: await stage.token(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...form, client_id: publicClient.id }).toString(),
    })
    assert.deepEqual([bearer.status, bearer.body], [401, MISSING])
  })

  test('a public client has no secret, and the key and secret of the app are none of its client', async () => {
    await using stage = await staged()
    for (const client of [
      { id: publicClient.id, secret: 'any' },
      { id: 'key-one-of-the-tests', secret: 'secret-one-of-the-tests' },
      { id: confidential.id, secret: 'secret-one-of-the-tests' },
      { id: confidential.id, secret: '' },
    ])
      assert.equal((await asClient(stage, client, form)).body.error, 'invalid_client')
  })

  test('too many are 429, also with the right secret from an address that never proved it, and others are served', async () => {
    const file = limitFile({ failedClientSecrets: 3 })
    await using stage = await staged({ environment: { POSTERN_RATE_LIMITS: file } })
    for (let n = 0; n < 3; n += 1) assert.equal((await asClient(stage, { id: confidential.id, secret: `wrong ${n}` }, form)).status, 401)
    const over = await asClient(stage, { id: confidential.id, secret: 'wrong' }, form)
    assert.deepEqual([over.status, over.body.error], [429, 'temporarily_unavailable'])
    assert.ok(over.headers.get('retry-after'))
    assert.equal((await asClient(stage, confidential, form)).status, 429)
    assert.equal((await asClient(stage, foreignClient, form)).status, 400)
    const failures = await stage.operator('GET', '/operator/audit/failures')
    assert.deepEqual(
      failures.body.data.map(({ kind }: { kind: string }) => kind),
      ['client_secret'],
    )
  })

  test('a secret that the operator has replaced is refused at once', async () => {
    await using stage = await staged()
    assert.equal((await asClient(stage, confidential, form)).status, 400)
    const { body } = await stage.operator('PATCH', '/operator/apps/1', { rotate_oauth2_client_secret: {} })
    assert.equal((await asClient(stage, confidential, form)).status, 401)
    assert.equal((await asClient(stage, { ...confidential, secret: body.data.oauth2_client_secret }, form)).status, 400)
  })

  test('a percent-encoded id and secret are accepted (RFC 6749, section 2.3.1)', async () => {
    await using stage = await staged()
    await stage.operator('PATCH', '/operator/apps/1', { rotate_oauth2_client_secret: { oauth2_client_secret: 'a secret with % and +' } })
    const sent = { id: confidential.id.replaceAll('-', '%2D'), secret: encodeURIComponent('a secret with % and +') }
    assert.equal((await asClient(stage, sent, form)).status, 400)
    const asForm = { id: confidential.id, secret: 'a+secret+with+%25+and+%2B' }
    assert.equal((await asClient(stage, asForm, form)).status, 400, 'encoded as a form: + is a space')
  })

  test('a public client is not refused for what its neighbours sent, in its name too, and an empty secret proves nothing', async () => {
    const file = limitFile({ failedClientSecrets: 3 })
    await using stage = await staged({ environment: { POSTERN_RATE_LIMITS: file } })
    const wrong = () => asClient(stage, { id: publicClient.id, secret: 'wrong' }, form)
    const empty = () => asClient(stage, { id: publicClient.id, secret: '' }, form)
    assert.equal((await empty()).status, 400)
    for (let n = 0; n < 3; n += 1) assert.equal((await wrong()).status, 401)
    assert.equal((await wrong()).status, 429)
    for (const client of [publicClient, { id: publicClient.id, secret: '' }]) {
      assert.equal((await asClient(stage, client, form)).status, 400)
      assert.equal((await revoke(stage, 'any', client)).status, 200)
    }
  })

  test('a replayed code and a reused refresh token are a warning with app and grant, and are counted', async () => {
    await using stage = await staged()
    const code = await approvedCode(stage)
    await exchangeCode(stage, code)
    await exchangeCode(stage, code)
    const { refresh_token } = await obtainTokens(stage, { client: publicClient })
    await refreshWith(stage, refresh_token, {}, publicClient)
    await refreshWith(stage, refresh_token, {}, publicClient)
    const warnings = stage.log.filter((line) => 'reused' in line)
    assert.deepEqual(
      warnings.map(({ level, reused, appId, grantId }) => [level, reused, appId, typeof grantId]),
      [
        [40, 'authorization code', '1', 'string'],
        [40, 'refresh token', '2', 'string'],
      ],
    )
    const { text } = await call(`${stage.origins.operator_url}/metrics`, 'GET')
    assert.match(text, /^postern_oauth2_grants_ended_by_reuse_total 2$/m)
  })

  test('no token, code or secret is in the log', async () => {
    await using stage = await staged()
    const code = await approvedCode(stage)
    const wrongly = await approvedCode(stage)
    const tokens = (await exchangeCode(stage, code)).body
    await exchangeCode(stage, wrongly, { code_verifier: ATTACKERS_VERIFIER })
    await asClient(stage, { id: confidential.id, secret: 'a wrong secret' }, { ...form, refresh_token: tokens.refresh_token })
    await refreshWith(stage, tokens.refresh_token)
    stage.clock.setOffset(stage.clock.offset() + 10_000)
    await refreshWith(stage, tokens.refresh_token)
    await exchangeCode(stage, code)
    const logged = JSON.stringify(stage.log)
    for (const secret of [
      tokens.access_token,
      tokens.refresh_token,
      'a wrong secret',
      confidential.secret!,
      basic(confidential),
      code,
      wrongly,
    ])
      assert.ok(!logged.includes(secret))
    for (const secret of [VERIFIER, ATTACKERS_VERIFIER, PASSWORD]) assert.ok(!logged.includes(secret))
  })
})
