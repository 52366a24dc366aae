import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Answer } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, otherApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { ada, askForSignIn, atApprovalPage, CALLBACK, exchange, hidden, PASSWORD, signed, signInSeed } from '../stage/sign-in.ts'

const MINUTE_MS = 60_000
const credentials = { username: ada.username, password: PASSWORD }
const wrongPassword = { username: ada.username, password: 'wrong' }

const headingOf = ({ text }: Answer) => /<h1>(.*?)<\/h1>/s.exec(text)?.[1]
const locationOf = ({ headers }: Answer) => headers.get('location')
const verifierOf = (answer: Answer) => new URL(locationOf(answer) ?? 'none:').searchParams.get('oauth_verifier')

function assertWhoa(answer: Answer) {
  assert.deepEqual([answer.status, headingOf(answer), locationOf(answer)], [403, 'Whoa there!', null])
}

function assertStale(answer: Answer) {
  assert.deepEqual([answer.status, headingOf(answer), locationOf(answer)], [403, 'This form can no longer be used', null])
}

suite('a form without the matching cookie and CSRF token is rejected', () => {
  type Send = (at: ReturnType<typeof atApprovalPage>, form: Record<string, string>, stage: Stage) => Promise<Answer>
  const withCookie =
    (cookie: string): Send =>
    (at, form) => {
      at.setCookie(cookie)
      return at.send(form)
    }
  const rows: [name: string, send: Send][] = [
    ['from a page of another origin', (at, form) => at.send(form, { origin: 'https://evil.example' })],
    ['from another site', (at, form) => at.send(form, { 'sec-fetch-site': 'cross-site' })],
    ['from another host of the site', (at, form) => at.send(form, { 'sec-fetch-site': 'same-site', origin: 'null' })],
    ['without a cookie', withCookie('')],
    ['with another cookie', withCookie(`postern_session=${'a'.repeat(43)}`)],
    ['with a cookie that cannot be one of ours', withCookie('postern_session=x')],
    ['with a proof that was made up', (at, form) => at.send({ ...form, proof: 'a'.repeat(43) })],
    [
      'with the proof of another request token',
      async (at, form, stage) =>
        at.send({ ...form, proof: hidden((await at.open((await askForSignIn(stage)).oauth_token)).text, 'proof') }),
    ],
    [
      'with the form of another session',
      async (at, form, stage) => {
        const other = atApprovalPage(stage)
        return at.send({ ...form, proof: hidden((await other.open(form.oauth_token!)).text, 'proof') })
      },
    ],
  ]
  for (const [name, send] of rows)
    test(name, async () => {
      await using stage = await setStage({ seed: signInSeed })
      const { oauth_token } = await askForSignIn(stage)
      const at = atApprovalPage(stage)
      const proof = hidden((await at.open(oauth_token)).text, 'proof')
      for (const decision of ['allow', 'deny']) assertStale(await send(at, { oauth_token, proof, decision, ...credentials }, stage))
      assert.equal((await atApprovalPage(stage).decide(oauth_token, 'allow')).status, 302)
    })

  test('without a CSRF token', async () => {
    await using stage = await setStage({ seed: signInSeed })
    const { oauth_token } = await askForSignIn(stage)
    const at = atApprovalPage(stage)
    await at.open(oauth_token)
    const answer = await at.send({ oauth_token, decision: 'allow', ...credentials })
    assert.deepEqual([answer.status, locationOf(answer)], [400, null])
  })
})

test('the form of a page whose policy hides its origin is taken, and so is one that names the host that was called', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const here = stage.origins.base_url
  const own: Record<string, string>[] = [{ origin: 'null' }, { origin: here }, { 'sec-fetch-site': 'same-origin', origin: 'null' }]
  for (const headers of own) {
    const { oauth_token } = await askForSignIn(stage)
    const at = atApprovalPage(stage)
    const proof = hidden((await at.open(oauth_token)).text, 'proof')
    assert.equal((await at.send({ oauth_token, proof, decision: 'allow', ...credentials }, headers)).status, 302)
  }
})

test('a form that forces the password is not decided by the session alone, with or without what forces it', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const at = atApprovalPage(stage)
  assert.equal((await at.decide((await askForSignIn(stage)).oauth_token, 'allow')).status, 302)
  for (const path of ['/oauth/authorize', '/oauth/authenticate']) {
    const { oauth_token } = await askForSignIn(stage)
    const forced = await at.open(oauth_token, '&force_login=true', path)
    const proof = hidden(forced.text, 'proof')
    const form = { oauth_token, proof, decision: 'allow' }
    assert.equal(hidden(forced.text, 'force_login'), 'true')
    const again = await at.send({ ...form, force_login: 'true' })
    assert.deepEqual([again.status, locationOf(again)], [200, null])
    assert.match(again.text, /type="password"/)
    assertStale(await at.send(form))
    assert.equal((await at.send({ ...form, force_login: 'true', ...wrongPassword })).status, 401)
    assert.equal((await at.send({ ...form, force_login: 'true', ...credentials })).status, 302)
  }
})

test('a login always gets a new session id, and the former cookie value has no session', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const known = `postern_session=${'k'.repeat(43)}`
  const at = atApprovalPage(stage)
  at.setCookie(known)
  assert.equal((await at.decide((await askForSignIn(stage)).oauth_token, 'allow')).status, 302)
  assert.notEqual(at.cookie(), known)
  const next = (await askForSignIn(stage)).oauth_token
  assert.match((await at.open(next)).text, /Signed in as/)
  const session = at.cookie()
  await at.decide(next, 'allow')
  for (const former of [known, session]) {
    at.setCookie(former)
    assert.doesNotMatch((await at.open((await askForSignIn(stage)).oauth_token)).text, /Signed in as/)
  }
})

test('no page can be framed, run scripts, or leak its URL', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const at = atApprovalPage(stage)
  const { oauth_token } = await askForSignIn(stage)
  const pages = [
    await at.open(oauth_token),
    await at.open('never-was'),
    await at.open(oauth_token, '&oauth_callback=x'),
    await at.decide(oauth_token, 'allow', wrongPassword),
    await at.send({}),
    await at.decide((await askForSignIn(stage, demoApp, 'oob')).oauth_token, 'allow'),
  ]
  for (const { headers } of pages) {
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.match(headers.get('content-security-policy')!, /^default-src 'none'; .*frame-ancestors 'none'; form-action 'self'/)
    assert.deepEqual([headers.get('referrer-policy'), headers.get('x-content-type-options')], ['no-referrer', 'nosniff'])
    assert.match(headers.get('cache-control')!, /no-store/)
  }
})

test('input and configuration never become a header or an element', async () => {
  const hostile = `"'><script>1</script><b>\r\nSet-Cookie: a=b\r\nLocation: https://evil.example/`
  const name = `<img src=x>"'&\`{}`
  const callback = 'https://a;sandbox/cb?"><script>1</script>=é'
  const apps = [{ ...demoApp, name, callback_urls: [callback] }]
  await using stage = await setStage({ seed: { apps, users: [{ ...ada, name }] } })
  const at = atApprovalPage(stage)
  const asked = await askForSignIn(stage, demoApp, callback)
  const screenName = hostile.slice(0, 50)
  const pages = [
    await at.open(asked.oauth_token, `&screen_name=${encodeURIComponent(screenName)}`),
    await at.decide(asked.oauth_token, 'allow', { username: screenName, password: hostile }),
    await at.open(asked.oauth_token, `&screen_name=${encodeURIComponent(hostile)}`),
    await at.open(encodeURIComponent(hostile)),
    await at.open(asked.oauth_token, `&force_login=${encodeURIComponent(hostile)}`),
  ]
  const allowed = await at.decide(asked.oauth_token, 'allow')
  const signedIn = await at.open((await askForSignIn(stage, demoApp, callback)).oauth_token)
  for (const { text, headers } of [...pages, allowed, signedIn]) {
    assert.doesNotMatch(text, /<(script|b|img)\b/)
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /sandbox/)
    for (const cookie of headers.getSetCookie()) assert.match(cookie, /^postern_session=/)
  }
  assert.match(signedIn.text, /&lt;img src=x&gt;&quot;&#39;&amp;&#96;/)
  for (const page of pages) assert.equal(locationOf(page), null)
  assert.ok(locationOf(allowed)!.startsWith('https://a;sandbox/cb?'))
  assert.match(locationOf(allowed)!, /^[!-~]+$/)
})

test('no parameter redirects anywhere but to the callback of the request token', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const elsewhere = 'https://evil.example/'
  const names = ['callback', 'callback_url', 'redirect', 'redirect_uri', 'redirect_after_login', 'return_to', 'next', 'url']
  const more = Object.fromEntries(names.map((name) => [name, elsewhere]))
  const at = atApprovalPage(stage)
  for (const decision of ['allow', 'deny'] as const) {
    const { oauth_token } = await askForSignIn(stage)
    const shown = await at.open(oauth_token, `&${new URLSearchParams(more)}`)
    assert.deepEqual([shown.status, shown.text.includes('evil')], [200, false])
    const answer = await at.decide(oauth_token, decision, { ...credentials, ...more, oauth_callback: elsewhere })
    assert.ok(locationOf(answer)!.startsWith(`${CALLBACK}?`))
  }
  const refused = await at.open((await askForSignIn(stage)).oauth_token, `&oauth_callback=${encodeURIComponent(CALLBACK)}`)
  assert.deepEqual([refused.status, locationOf(refused)], [400, null])
})

for (const flavour of databasesOf(import.meta))
  test(`a request token is decided once: denied it stays denied, and approved five times at once it has one verifier (${flavour})`, async () => {
    await using stage = await setStage({ flavour, seed: signInSeed })
    const at = atApprovalPage(stage)
    const denied = await askForSignIn(stage)
    const form = { oauth_token: denied.oauth_token, proof: hidden((await at.open(denied.oauth_token)).text, 'proof') }
    assert.equal(locationOf(await at.send({ ...form, decision: 'deny' })), `${CALLBACK}?denied=${denied.oauth_token}`)
    assertWhoa(await at.send({ ...form, decision: 'allow', ...credentials }))
    assertWhoa(await at.open(denied.oauth_token))
    assert.equal((await exchange(stage, demoApp, denied, 'anything')).status, 401)

    const asked = await askForSignIn(stage)
    const forms = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const visitor = atApprovalPage(stage)
        const proof = hidden((await visitor.open(asked.oauth_token)).text, 'proof')
        return () => visitor.send({ oauth_token: asked.oauth_token, proof, decision: 'allow', ...credentials })
      }),
    )
    const answers = await Promise.all(forms.map((send) => send()))
    const verifiers = answers.map(verifierOf).filter((verifier) => verifier !== null)
    assert.equal(verifiers.length, 1)
    for (const answer of answers.filter(({ status }) => status !== 302)) assertWhoa(answer)
    assert.equal((await exchange(stage, demoApp, asked, verifiers[0]!)).status, 200)
  })

test('a request token is valid for its own app only, for 15 minutes, and not while the app is suspended', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const at = atApprovalPage(stage)
  const others = await askForSignIn(stage, otherApp)
  const allowed = await at.decide(others.oauth_token, 'allow')
  assert.equal((await exchange(stage, demoApp, others, verifierOf(allowed)!)).status, 401)

  const suspended = await askForSignIn(stage)
  const proof = hidden((await at.open(suspended.oauth_token)).text, 'proof')
  await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { suspended: true })
  assertWhoa(await at.open(suspended.oauth_token))
  assertWhoa(await at.send({ oauth_token: suspended.oauth_token, proof, decision: 'allow', ...credentials }))
  await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { suspended: false })

  await stage.clock.advance(15 * MINUTE_MS)
  assertWhoa(await at.open(suspended.oauth_token))
  assertWhoa(await at.send({ oauth_token: suspended.oauth_token, proof, decision: 'allow', ...credentials }))
})

test('an unknown user and a wrong password get the same bytes, except for the submitted name', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const { oauth_token } = await askForSignIn(stage)
  const cookie = `postern_session=${'c'.repeat(43)}`
  const said = async (username: string, address: string) => {
    const at = atApprovalPage(stage, { 'x-forwarded-for': address })
    at.setCookie(cookie)
    const { status, text, headers } = await at.decide(oauth_token, 'allow', { username, password: 'wrong' })
    const kept = [...headers].filter(([name]) => !['date', 'content-length', 'x-rate-limit-reset'].includes(name))
    return { status, text: text.replace(`value="${username}"`, 'value=""'), headers: kept }
  }
  assert.deepEqual(await said('nobody', '203.0.113.1'), await said(ada.username, '203.0.113.2'))
})

test('the cookie is HttpOnly and SameSite, and with https bound to this host', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const { oauth_token } = await askForSignIn(stage)
  const plain = atApprovalPage(stage)
  const secure = atApprovalPage(stage, { 'x-forwarded-proto': 'https' })
  const ofPlain = /^postern_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/
  const ofSecure = /^__Host-postern_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/
  for (const [at, expected] of [
    [plain, ofPlain],
    [secure, ofSecure],
  ] as const) {
    assert.match((await at.open(oauth_token)).headers.get('set-cookie')!, expected)
    const allowed = await at.decide((await askForSignIn(stage)).oauth_token, 'allow')
    assert.equal(allowed.status, 302)
    assert.match(allowed.headers.get('set-cookie')!, expected)
  }
})

test('production shows no page without TLS, and trusts only the configured proxies', async () => {
  const environment = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
  const https = { 'x-forwarded-proto': 'https' }
  const refusals = async (stage: Stage, headers: Record<string, string>) => {
    const at = atApprovalPage(stage, headers)
    return [await at.open('any'), await at.open('any', '', '/oauth/authenticate'), await at.send({ oauth_token: 'any' })]
  }
  {
    await using trusting = await setStage({ environment: { ...environment, POSTERN_TRUST_PROXY: '127.0.0.0/8' }, seed: signInSeed })
    for (const answer of await refusals(trusting, {})) assert.deepEqual([answer.status, /SSL is required/.test(answer.text)], [403, true])
    const asked = await signed(trusting, 'POST', '/oauth/request_token', demoApp, { oauth: { oauth_callback: CALLBACK }, headers: https })
    assert.equal(asked.status, 200, asked.text)
    const token = new URLSearchParams(asked.text).get('oauth_token')!
    assert.ok(verifierOf(await atApprovalPage(trusting, https).decide(token, 'allow')))
  }
  await using trustless = await setStage({ environment: { ...environment, POSTERN_TRUST_PROXY: '' }, seed: signInSeed })
  for (const answer of await refusals(trustless, https)) assert.deepEqual([answer.status, /SSL is required/.test(answer.text)], [403, true])
})
