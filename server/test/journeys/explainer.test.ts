import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createExplanations } from '../../src/development/explain/explanations.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { type Answer, call } from '../stage/call.ts'
import { callCarelessly } from '../stage/careless-client.ts'
import { authorization, type SigningCredentials } from '../stage/oauth-client.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { signed, signIn, signInSeed } from '../stage/sign-in.ts'

const HEADER = 'x-postern-explain'
const PATHS = ['/2/users/me', '/1.1/account/verify_credentials.json']

const wrongOf = (credentials: SigningCredentials) => ({ ...credentials, consumer_secret: 'quite another' })

const refused = async (stage: Stage, credentials: SigningCredentials, path = PATHS[0]!) => {
  const answer = await signed(stage, 'GET', path, wrongOf(credentials))
  assert.equal(answer.status, 401, answer.text)
  return answer
}

const pageOf = async (answer: Answer) => {
  const page = await fetch(answer.headers.get(HEADER)!)
  return { status: page.status, text: await page.text(), headers: page.headers }
}

suite('a rejected signature', () => {
  test('is explained at a URL in a header and in a log line, on every host; the body stays the same', async () => {
    await using stage = await setStage({ seed: signInSeed })
    const credentials = await signIn(stage)
    const answers = [await refused(stage, credentials, PATHS[0]), await refused(stage, credentials, PATHS[1])]
    const urls = answers.map(({ headers }) => headers.get(HEADER)!)
    assert.deepEqual(answers[0]!.body, { type: 'about:blank', title: 'Unauthorized', detail: 'Unauthorized', status: 401 })
    assert.deepEqual(answers[1]!.body, { errors: [{ code: 32, message: 'Could not authenticate you.' }] })
    for (const url of urls) assert.match(url, new RegExp(`^${stage.origins.base_url}/oauth/explanations/[A-Za-z0-9]{24}$`))
    const lines = await stage.logged('OAuth signature rejected', 2)
    assert.deepEqual(
      lines.map(({ code, explain }) => [code, explain]),
      urls.map((url) => [32, url]),
    )
    for (const answer of answers) assert.equal((await pageOf(answer)).status, 200)
  })

  test('is explained with what its host answered, and the log has the cause beside it', async () => {
    await using stage = await setStage({ seed: signInSeed })
    const credentials = await signIn(stage)
    const { base_url, ads_base_url } = stage.origins
    const ads = 'status 401, UNAUTHORIZED_ACCESS: This request is not properly authenticated'
    const early = stage.clock.now() - 10 * MINUTE_MS
    const cases: [url: string, code: number, answer: string, nowMs?: number][] = [
      [`${base_url}/2/users/me`, 32, 'status 401'],
      [`${base_url}${PATHS[1]}`, 32, 'code 32: Could not authenticate you.'],
      [`${base_url}${PATHS[1]}`, 135, 'code 135: Timestamp out of bounds.', early],
      [`${ads_base_url}/12/accounts`, 32, ads],
      [`${ads_base_url}/12/accounts`, 135, ads, early],
    ]
    for (const [url, code, told, nowMs = stage.clock.now()] of cases) {
      const refusal = await call(url, 'GET', {
        headers: { authorization: authorization({ ...wrongOf(credentials), method: 'GET', url, nowMs }) },
      })
      assert.equal(refusal.status, 401, refusal.text)
      const { answer } = (await call(refusal.headers.get(HEADER)!, 'GET', { headers: { accept: 'application/json' } })).body.data
      const line = stage.log.findLast(({ msg }) => msg === 'OAuth signature rejected')!
      assert.deepEqual([answer, line.answer, line.code], [told, told, code])
    }
  })

  test('reveals no secret, no expected signature and no complete token: not on the page, in the log or in a header', async () => {
    await using stage = await setStage({ seed: signInSeed })
    const credentials = await signIn(stage)
    const url = `${stage.origins.base_url}${PATHS[0]}`
    const nowMs = stage.clock.now()
    const made: string[] = []
    const keepSignature = (digest: Buffer) => made[made.push(digest.toString('base64')) - 1]!
    const { oauth_token, oauth_token_secret, consumer_secret } = credentials
    const leaks = new URLSearchParams({
      oauth_token,
      note: oauth_token_secret,
      more: `x${consumer_secret}x`,
      oauth_verifier: 'aVerifierOfManyCharacters',
    })
    const answers = [
      await callCarelessly({ url, nowMs }, wrongOf(credentials), { write: keepSignature }),
      await callCarelessly({ url, nowMs }, { ...credentials, oauth_token_secret: '' }, { write: keepSignature }),
      await callCarelessly({ url: `${url}?${leaks}`, nowMs }, credentials, { sort: (pairs) => pairs, write: keepSignature }),
      await callCarelessly({ url: `${url}?${leaks}`, nowMs }, credentials, { url: ({ href }) => href, write: keepSignature }),
      await callCarelessly(
        {
          method: 'POST',
          url: `${stage.origins.base_url}/1.1/oauth/invalidate_token`,
          body: JSON.stringify(credentials),
          contentType: 'application/json',
          nowMs,
        },
        credentials,
        {
          pairs: (oauth) => [...oauth, ...Object.entries(credentials)],
          write: keepSignature,
        },
      ),
      await callCarelessly({ url, nowMs, oauth: { oauth_nonce: 'a-nonce' } }, credentials, { write: keepSignature }),
      await callCarelessly({ url, nowMs, oauth: { oauth_nonce: 'a-nonce' } }, credentials, { write: keepSignature }),
      await callCarelessly({ url, nowMs }, credentials, { write: () => `${consumer_secret}&${oauth_token_secret}` }),
    ].filter(({ headers }) => headers.has(HEADER))
    assert.equal(answers.length, 7)
    const pages = await Promise.all(answers.map(pageOf))
    const said = [
      ...pages.map(({ text }) => text),
      JSON.stringify(stage.log),
      ...answers.flatMap((answer) => [answer.text, ...answer.headers.values()]),
    ]
    const secrets = [
      consumer_secret,
      oauth_token,
      oauth_token_secret,
      otherApp.consumer_secret,
      SECRET,
      'aVerifierOfManyCharacters',
      ...made,
    ]
    for (const secret of secrets.flatMap((text) => [
      text,
      encodeURIComponent(text),
      text.slice(0, 12),
      ...(text === oauth_token ? [text.slice(5)] : []),
    ]))
      for (const text of said) assert.ok(!text.includes(secret), `${secret} is in: ${text}`)
    assert.ok(pages[0]!.text.includes(`${oauth_token.slice(0, 4)}...`))
  })

  test('shows sent HTML as text', async () => {
    await using stage = await setStage({ seed: signInSeed })
    const credentials = await signIn(stage)
    const hostile = '"><script>alert(1)</script><img src=x>'
    const query = new URLSearchParams({ [`name${hostile}`]: hostile })
    const answers = [
      await refused(stage, credentials, `${PATHS[0]}?${query}`),
      await signed(stage, 'GET', PATHS[0]!, credentials, { oauth: { oauth_version: hostile } }),
      await signed(stage, 'GET', PATHS[0]!, { ...credentials, consumer_key: hostile }),
    ]
    for (const answer of answers) {
      const { text, headers } = await pageOf(answer)
      assert.ok(!text.includes('<script') && !text.includes('<img'), text)
      assert.match(text, /&lt;script&gt;/)
      assert.match(headers.get('content-security-policy')!, /^default-src 'none'/)
    }
  })

  test('is explained even if a token is cut inside a character', async () => {
    await using stage = await setStage({ seed: signInSeed })
    const answer = await signed(stage, 'GET', PATHS[0]!, { ...demoApp, oauth_token: `abc😀${'x'.repeat(20)}`, oauth_token_secret: 'x' })
    assert.equal(answer.status, 401, answer.text)
    assert.ok((await pageOf(answer)).text.includes('abc...'))
  })

  test('is explained until 100 others were, also after the clock was moved', async () => {
    await using stage = await setStage({ seed: signInSeed })
    const credentials = await signIn(stage)
    const first = await refused(stage, credentials)
    for (let count = 1; count < 100; count++) await refused(stage, credentials)
    assert.equal((await pageOf(first)).status, 200)
    const last = await refused(stage, credentials)
    const gone = await pageOf(first)
    assert.deepEqual([gone.status, gone.headers.get('content-type')], [404, 'text/html;charset=utf-8'])
    assert.equal((await stage.operator('POST', '/operator/clock', { advance: '25h' })).status, 200)
    assert.equal((await pageOf(last)).status, 200)
  })

  test('is explained for 15 minutes', () => {
    let nowMs = 0
    const explanations = createExplanations({ origin: () => '', clock: { monotonic: () => nowMs } })
    const id = explanations
      .keep(new Promise(() => {}))
      .split('/')
      .at(-1)!
    nowMs = 15 * MINUTE_MS - 1
    assert.ok(explanations.find(id))
    nowMs += 1
    assert.equal(explanations.find(id), undefined)
  })

  test('is explained although a fault hits every call', async () => {
    await using stage = await setStage({ seed: signInSeed })
    const answer = await refused(stage, await signIn(stage))
    await stage.operator('POST', '/operator/faults', { call: '*', status: 503 })
    assert.equal((await pageOf(answer)).status, 200)
    assert.equal((await stage.api('GET', '/2/users/me')).status, 503)
  })

  test('is not explained in production: no header, no page, nothing in the description', async () => {
    const environment = {
      POSTERN_PROFILE: 'production',
      POSTERN_SECRET: SECRET,
      POSTERN_OPERATOR_PORT: '0',
      POSTERN_TRUST_PROXY: '127.0.0.0/8',
    }
    await using stage = await setStage({ seed: signInSeed, environment })
    const headers = { 'x-forwarded-proto': 'https' }
    const asked = { oauth: { oauth_callback: 'oob' }, headers }
    const answer = await signed(stage, 'POST', '/oauth/request_token', wrongOf(demoApp), asked)
    assert.deepEqual([answer.status, answer.body.errors[0].code, answer.headers.has(HEADER)], [401, 32, false])
    const [line] = await stage.logged('OAuth signature rejected', 1)
    assert.deepEqual(Object.keys(line).sort(), ['address', 'answer', 'code', 'level', 'msg', 'time', 'why'])
    const page = await stage.api('GET', '/oauth/explanations/123456789012345678901234', { headers })
    assert.deepEqual([page.status, page.text.includes('No endpoint has this path')], [404, true])
    assert.ok(!(await stage.api('GET', '/openapi.json')).text.includes('explanation'))
  })

  test('is explained to others than this machine if they send the operator token alone', async () => {
    await using stage = await setStage({ seed: signInSeed })
    const url = (await refused(stage, await signIn(stage))).headers.get(HEADER)!
    const status = async (authorization?: string) =>
      (await fetch(url, { headers: { 'x-forwarded-for': '203.0.113.9', ...(authorization && { authorization }) } })).status
    assert.equal(await status(), 404)
    assert.equal(await status('Bearer a-token-of-nobody'), 404)
    assert.equal(await status(`Basic ${OPERATOR_TOKEN}`), 404)
    assert.equal(await status(`Bearer ${OPERATOR_TOKEN}`), 200)
    const far = await fetch(`${stage.origins.base_url}${PATHS[0]}`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
    assert.deepEqual([far.status, far.headers.get(HEADER)], [401, null])
  })

  test('is explained on a page of limited size, however many parameters it has', async () => {
    await using stage = await setStage({ seed: signInSeed })
    const credentials = await signIn(stage)
    const body = Array.from({ length: 900 }, (_, index) => `p${index}=%20+x`).join('&')
    const form = { method: 'POST', url: `${stage.origins.base_url}/1.1/oauth/invalidate_token`, body, nowMs: stage.clock.now() }
    const page = await pageOf(await callCarelessly(form, wrongOf(credentials)))
    assert.match(page.text, /And \d+ more/)
    assert.ok(page.text.length < 200_000, `${page.text.length} characters`)
  })
})
