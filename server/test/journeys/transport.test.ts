import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { setStage } from '../stage/postern.ts'

/** Sends bytes as they are; answers what came back until the other side closed. */
const sendBytes = (origin: string, bytes: string) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.on('data', (chunk) => (received += chunk))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
    socket.end(bytes)
  })

test('a path of another host, an unknown path and a broken one get errors in the format of their area', async () => {
  await using stage = await setStage()
  const { base_url, ads_base_url } = stage.origins
  const other = await call(`${ads_base_url}/2/webhooks`, 'GET')
  assert.deepEqual([other.status, other.body.errors[0].code, other.body.request], [404, 'ROUTE_NOT_FOUND', { params: {} }])
  const advertising = await call(`${base_url}/12/accounts`, 'GET')
  assert.deepEqual([advertising.status, advertising.body.type], [404, 'about:blank'])
  const unknown = await call(`${base_url}/1.1/nothing.json`, 'POST')
  assert.deepEqual([unknown.status, unknown.body], [404, { errors: [{ code: 34, message: 'Sorry, that page does not exist.' }] }])
  assert.match(
    await sendBytes(base_url, 'GET /2/webhooks/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 400 [\s\S]*problem\+json/,
  )
})

test('a request that is not HTTP, or has endless headers, is rejected and the server goes on', async () => {
  await using stage = await setStage()
  const { base_url } = stage.origins
  assert.match(await sendBytes(base_url, 'NONSENSE\r\n\r\n'), /^HTTP\/1\.1 400/)
  assert.match(await sendBytes(base_url, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431/)
  assert.equal((await call(`${base_url}/healthz`, 'GET')).status, 200)
})

test('HEAD gets the response of GET without a body', async () => {
  await using stage = await setStage()
  const token = await stage.token()
  const head = await stage.api('HEAD', '/2/webhooks', { token })
  assert.deepEqual([head.status, head.text, head.headers.get('api-version')], [200, '', '2.165'])
})

test('every answer under /2/ has the revision of the API, pages for browsers and what they refuse too', async () => {
  await using stage = await setStage()
  for (const [method, path] of [
    ['GET', '/2/oauth2/authorize'],
    ['HEAD', '/2/oauth2/authorize'],
    ['POST', '/2/oauth2/authorize'],
    ['PUT', '/2/oauth2/authorize'],
    ['GET', '/2/nothing'],
    ['GET', '/2/webhooks'],
  ] as const)
    assert.equal((await stage.api(method, path)).headers.get('api-version'), '2.165', `${method} ${path}`)
  assert.equal((await stage.api('GET', '/i/oauth2/authorize')).headers.get('api-version'), null)
})
