import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { call } from '../stage/call.ts'
import { authorization } from '../stage/oauth-client.ts'
import { demoApp, OPERATOR_TOKEN, SECRET, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { ada, signIn, signInSeed } from '../stage/sign-in.ts'

const production = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
const READ = 'token-that-only-reads-0123456789abcdef'

/** What the console sends with every call. */
const CONSOLE = { 'x-postern-console': '1' }

const cookieOf = (answer: { headers: Headers }) => (answer.headers.get('set-cookie') ?? '').split(';', 1)[0]!

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** The addresses of the files that a page of the console loads. */
const filesOf = (page: string) => [...page.matchAll(/(?:src|href)="([^"]+assets\/[^"]+)"/g)].map((match) => match[1]!)

test('the console is one page at every path below /console/, whose files are found from there, and nothing in it is inline', async () => {
  await using stage = await setStage()
  const { operator_url } = stage.origins
  const moved = await call(`${operator_url}/console`, 'GET')
  assert.deepEqual([moved.status, moved.headers.get('location')], [308, 'console/'])
  for (const path of ['', 'webhooks', 'events/1', 'events/1/2', 'calls/7']) {
    const at = `${operator_url}/console/${path}`
    const page = await call(at, 'GET')
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('content-security-policy'), POLICY)
    assert.doesNotMatch(page.text, /<style|style=|<script>|\son\w+=/)
    const files = filesOf(page.text)
    assert.equal(files.length, 2)
    for (const file of files) assert.equal((await call(new URL(file, at).href, 'HEAD')).status, 200, `${path} ${file}`)
  }
})

test('a file of the console is kept for ever, compressed where that is taken, and the whole is small', async () => {
  await using stage = await setStage()
  const at = `${stage.origins.operator_url}/console/`
  const files = new Set(filesOf((await call(at, 'GET')).text).map((file) => new URL(file, at).href))
  const answers: Awaited<ReturnType<typeof call>>[] = []
  for (const file of files) {
    const answer = await call(file, 'GET', { headers: { 'accept-encoding': 'gzip' } })
    answers.push(answer)
    for (const [, name] of answer.text.matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g)) files.add(new URL(name!, file).href)
  }
  assert.equal(files.size, 5, `${[...files]}`)
  for (const { headers } of answers) {
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(headers.get('content-encoding'), 'gzip')
    assert.equal(headers.get('content-security-policy'), POLICY)
  }
  const [first] = files
  const plain = await call(first!, 'GET', { headers: { 'accept-encoding': 'identity' } })
  assert.deepEqual([plain.headers.get('content-encoding'), plain.text], [null, answers[0]!.text])
  const sizes = answers.map(({ text }) => gzipSync(text, { level: 9 }).length)
  const entry = sizes[[...files].findIndex((file) => file.endsWith('.js'))]!
  assert.ok(entry > 5000 && entry <= 30 * 1024, `the entry takes ${entry} bytes`)
  assert.ok(sizes.reduce((sum, size) => sum + size) <= 80 * 1024, String(sizes))
  const unknown = await call(`${at}assets/..%2f..%2fpackage.json`, 'GET')
  assert.equal(unknown.status, 404)
})

test('in production the console is on the operator port alone, and takes a token once for a cookie that no script reads', async () => {
  await using stage = await setStage({ environment: { ...production, POSTERN_OPERATOR_TOKENS: `grafana:read:${READ}` } })
  const { operator_url } = stage.origins
  assert.equal((await stage.api('GET', '/console/')).status, 404)
  assert.equal((await call(`${operator_url}/console/`, 'GET')).status, 200)
  const session = (cookie?: string) => call(`${operator_url}/operator/session`, 'GET', cookie === undefined ? {} : { headers: { cookie } })
  assert.deepEqual((await session()).body.data, { operator: null, portal: null, needs_token: true })
  assert.equal((await call(`${operator_url}/operator/local-session`, 'POST', { json: {}, headers: CONSOLE })).status, 404)
  assert.equal((await call(`${operator_url}/operator/session`, 'POST', { json: {}, token: 'wrong' })).status, 401)

  const begun = await call(`${operator_url}/operator/session`, 'POST', { json: {}, token: OPERATOR_TOKEN })
  assert.equal(begun.status, 200, begun.text)
  assert.match(begun.headers.get('set-cookie')!, /^postern_operator_\d+=[\w-]+; Max-Age=43200; HttpOnly; SameSite=Strict$/)
  const cookie = cookieOf(begun)
  assert.ok(!cookie.includes(OPERATOR_TOKEN))
  assert.equal((await session(cookie)).body.data.operator.role, 'operate')
  const list = (headers: Record<string, string>) => call(`${operator_url}/operator/apps`, 'GET', { headers })
  assert.equal((await list({ cookie, ...CONSOLE })).status, 200)
  assert.equal((await list({ cookie: `${cookie}x`, ...CONSOLE })).status, 401)

  const reading = cookieOf(await call(`${operator_url}/operator/session`, 'POST', { json: {}, token: READ }))
  assert.equal((await list({ cookie: reading, ...CONSOLE })).status, 200)
  const seed = await call(`${operator_url}/operator/seed`, 'POST', { json: {}, headers: { cookie: reading, ...CONSOLE } })
  assert.equal(seed.status, 403)
})

test('the cookie of the console acts for no other page: without its header, or from another origin, a call is refused', async () => {
  await using stage = await setStage({ environment: production })
  const { operator_url } = stage.origins
  const cookie = cookieOf(await call(`${operator_url}/operator/session`, 'POST', { json: {}, token: OPERATOR_TOKEN }))
  const create = (headers: Record<string, string>) =>
    call(`${operator_url}/operator/apps`, 'POST', { json: { name: 'Acme' }, headers: { cookie, ...headers } })
  assert.equal((await create({})).status, 403)
  assert.equal((await create({ ...CONSOLE })).status, 403)
  assert.equal((await create({ ...CONSOLE, 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.equal((await create({ ...CONSOLE, 'sec-fetch-site': 'same-site' })).status, 403)
  assert.equal((await create({ ...CONSOLE, origin: 'https://elsewhere.example' })).status, 403)
  assert.equal((await create({ ...CONSOLE, 'sec-fetch-site': 'same-origin' })).status, 200)
  assert.equal((await create({ ...CONSOLE, origin: operator_url })).status, 200)
})

test('in development a browser of this machine needs no token, and one that comes through a proxy does', async () => {
  await using stage = await setStage()
  const { operator_url } = stage.origins
  const begin = (headers: Record<string, string>) =>
    call(`${operator_url}/operator/local-session`, 'POST', {
      json: {},
      headers: { ...CONSOLE, 'sec-fetch-site': 'same-origin', ...headers },
    })
  const begun = await begin({})
  assert.equal(begun.status, 200, begun.text)
  const headers = { cookie: cookieOf(begun), ...CONSOLE, 'sec-fetch-site': 'same-origin' }
  assert.equal((await call(`${operator_url}/operator/apps`, 'GET', { headers })).status, 200)
  assert.equal((await begin({ 'x-forwarded-for': '192.0.2.1' })).status, 403)
  assert.equal((await begin({ 'sec-fetch-site': 'cross-site' })).status, 403)
  const ended = await call(`${operator_url}/operator/session`, 'DELETE', { headers })
  assert.match(ended.headers.get('set-cookie')!, /^postern_operator_\d+=; Max-Age=0;/)
})

test('a call that makes no event is told with none, whatever an operator publishes, and is read by its number', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await stage.connect(receiver)
  await stage.publish({ text: 'of an operator, and of no call' })
  const { data } = (await stage.operator('GET', '/operator/requests?last=2')).body
  assert.deepEqual(
    data.map(({ url, caused }: { url: string; caused: string[] }) => [url, caused]),
    [
      ['/2/webhooks', []],
      ['/2/activity/subscriptions', []],
    ],
  )
  const one = await stage.operator('GET', `/operator/requests/${data[0].sequence}`)
  assert.equal(one.body.data.url, '/2/webhooks')
  assert.equal((await stage.operator('GET', '/operator/requests/999')).status, 404)
})

test('a call that makes an event is told with it, and is found by it', async () => {
  await using stage = await setStage({ seed: signInSeed })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  await stage.subscribe(await stage.register(receiver.url, token), token, { event_type: 'post.create', filter: { user_id: ada.id } })
  const url = `${stage.origins.base_url}/2/posts`
  const headers = { authorization: authorization({ ...(await signIn(stage)), method: 'POST', form: {}, url }) }
  const posted = await call(url, 'POST', { headers, json: { text: 'Hello' } })
  assert.equal(posted.status, 201, posted.text)
  const [last] = await stage.until(async () => {
    const found = (await stage.operator('GET', '/operator/requests?last=1&path=/2/posts')).body.data
    return found[0].caused.length === 1 && found
  })
  const event = await stage.operator('GET', `/operator/events/${last.caused[0]}`)
  assert.equal(event.body.data.event_type, 'post.create')
  const causes = (await stage.operator('GET', `/operator/requests?event_uuid=${last.caused[0]}`)).body.data
  assert.deepEqual(
    causes.map(({ sequence }: { sequence: number }) => sequence),
    [last.sequence],
  )
})
