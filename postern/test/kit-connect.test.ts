import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectPostern, startPostern } from 'postern'

import { freePort } from '../../server/test/stage/free-port.ts'
import { startBridge } from './stage/bridge.ts'

test('connectPostern uses a server that runs elsewhere', async () => {
  await using elsewhere = await startPostern()
  const { url, operatorToken } = elsewhere
  const postern = await connectPostern({ url, operatorToken })
  assert.equal(postern.url, url)
  assert.equal(postern.adsUrl, elsewhere.adsUrl)
  assert.equal(postern.adsSandboxUrl, elsewhere.adsSandboxUrl)
  assert.deepEqual(postern.app.userCredentials('ada'), elsewhere.app.userCredentials('ada'))
  await postern.inbox.register({ events: ['dm.received'] })
  await elsewhere.trigger('dm.received', { to: 'ada' })
  assert.equal((await postern.inbox.next()).verified, true)
})

test('a refusal of a server in a container is explained', async () => {
  await using inside = await startPostern()
  await using bridge = await startBridge(inside.url)
  const postern = await connectPostern({ url: bridge.url, operatorToken: inside.operatorToken })
  const refused = await fetch(`${bridge.url}/2/webhooks`, { headers: { authorization: 'Bearer wrong' } })
  assert.deepEqual([refused.status, refused.headers.get('x-postern-explain')], [401, null])
  const call = await postern.requests.last({ status: 401 })
  assert.match((await postern.requests.explain(call!))!.join(' '), /bearer token/i)
  await postern.app.bearerToken()
  assert.equal(await postern.requests.explain((await postern.requests.last({ status: 200 }))!), undefined)
})

test('the kit calls the server although a test has replaced fetch', async () => {
  const { fetch } = globalThis
  globalThis.fetch = async () => Response.json({}, { status: 418 })
  try {
    await using elsewhere = await startPostern()
    using _ = elsewhere.takeOver()
    const { url, operatorToken } = elsewhere
    assert.equal((await connectPostern({ url, operatorToken })).adsUrl, elsewhere.adsUrl)
  } finally {
    globalThis.fetch = fetch
  }
})

test('connectPostern reads the environment', async () => {
  await using elsewhere = await startPostern()
  process.env.POSTERN_URL = elsewhere.url
  process.env.POSTERN_OPERATOR_TOKEN = elsewhere.operatorToken
  try {
    assert.equal((await connectPostern()).url, elsewhere.url)
  } finally {
    delete process.env.POSTERN_URL
    delete process.env.POSTERN_OPERATOR_TOKEN
  }
})

test('connectPostern reaches operator endpoints on a port of their own, by operatorUrl and by POSTERN_OPERATOR_URL, and no other port', async () => {
  const port = String(await freePort())
  await using elsewhere = await startPostern({ settings: { POSTERN_OPERATOR_PORT: port } })
  const { url, operatorToken } = elsewhere
  const noEndpoints = {
    status: 404,
    message: `${url} has no operator endpoints: where they have a port of their own, give operatorUrl or POSTERN_OPERATOR_URL`,
  }
  await assert.rejects(connectPostern({ url, operatorToken }), noEndpoints)
  await (await connectPostern({ url, operatorToken, operatorUrl: `http://127.0.0.1:${port}` })).reset()
  process.env.POSTERN_OPERATOR_PORT = port
  try {
    await assert.rejects(connectPostern({ url, operatorToken }), noEndpoints)
    process.env.POSTERN_OPERATOR_URL = `http://127.0.0.1:${port}`
    await (await connectPostern({ url, operatorToken })).reset()
    await assert.rejects(connectPostern({ url, operatorToken, operatorUrl: url }), noEndpoints)
  } finally {
    delete process.env.POSTERN_OPERATOR_PORT
    delete process.env.POSTERN_OPERATOR_URL
  }
})

test('connectPostern says where a wrong operator token came from, and what is no origin or not the general host', async () => {
  await using elsewhere = await startPostern()
  const { url, adsUrl, operatorToken } = elsewhere
  const refused = (source: string) =>
    `${url} refuses the operator token of ${source}: give that of this server as operatorToken or POSTERN_OPERATOR_TOKEN`
  await assert.rejects(connectPostern({ url, operatorToken: 'x'.repeat(40) }), { status: 401, message: refused('operatorToken') })
  process.env.POSTERN_OPERATOR_TOKEN = 'y'.repeat(40)
  try {
    await assert.rejects(connectPostern({ url }), { message: refused('POSTERN_OPERATOR_TOKEN') })
  } finally {
    delete process.env.POSTERN_OPERATOR_TOKEN
  }
  for (const wrong of ['127.0.0.1:4000', 'localhost:4000'])
    await assert.rejects(connectPostern({ url: wrong, operatorToken }), {
      name: 'TypeError',
      message: `connectPostern: url is an origin such as http://127.0.0.1:4000, and not ${wrong}`,
    })
  const other = `no Postern in development answers at ${adsUrl}: start one with \`npx postern\`, or give the url of its general host`
  await assert.rejects(connectPostern({ url: adsUrl, operatorToken }), { message: other })
})

test('connectPostern says when nothing answers, and when it has no token', async () => {
  await using elsewhere = await startPostern()
  const { url } = elsewhere
  // A folder where no server was started: there is no `.postern/operator-token`.
  const [folder, before] = [mkdtempSync(join(tmpdir(), 'postern-connect-')), process.cwd()]
  process.chdir(folder)
  try {
    await assert.rejects(connectPostern({ url }), /needs an operatorToken: .*\.postern\/operator-token/)
  } finally {
    process.chdir(before)
    rmSync(folder, { recursive: true })
  }
  await elsewhere.stop()
  await assert.rejects(connectPostern({ url, operatorToken: 'x' }), new RegExp(`no Postern in development answers at ${url}`))
})
