import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { commandOf, curlOf, testOf } from '../../../console/src/copy-texts.ts'
import type { Call } from '../../../console/src/server-types.ts'

const run = promisify(execFile)

const FORM = 'application/x-www-form-urlencoded'

/** A test run within a test run would report to the outer one. */
const withoutTestRun = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_TEST')))

const HOSTILE = `{"text":"it's \\"quoted\\" $HOME \`id\` \\\\ \\n é [1-3] {a,b}"}`

const aCall = (more: object = {}, request: object = {}): Call =>
  ({
    method: 'POST',
    url: "/2/posts?a=[1-3]&b={x,y}&c='",
    host: '127.0.0.1:1',
    user_id: null,
    status: 201,
    request: {
      headers: { authorization: 'Bearer ***', 'content-type': 'application/json', 'x-own': 'left out' },
      body: HOSTILE,
      body_bytes: HOSTILE.length,
      truncated: false,
      ...request,
    },
    ...more,
  }) as unknown as Call

interface Received {
  url: string
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** A server that takes one request. */
async function receive(send: (origin: string) => Promise<unknown>): Promise<Received> {
  const { promise, resolve } = Promise.withResolvers<Received>()
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    response.end()
    resolve({ url: request.url!, headers: request.headers, body })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  try {
    await send(`127.0.0.1:${(server.address() as AddressInfo).port}`)
    return await promise
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const SERVED = { dialect: 'spec', ads_sandbox_base_url: 'http://127.0.0.1:4002' } as const

const here = new URL('http://127.0.0.1:4000/console/')

test('the command for curl sends the same call, once its token is set, whatever characters it has', async () => {
  const received = await receive((host) => {
    const text = curlOf(aCall({ host }), here)!
    return run('sh', ['-c', text], { env: { ...process.env, TOKEN: 'the-token' } })
  })
  assert.deepEqual([received.url, received.body], ["/2/posts?a=[1-3]&b={x,y}&c='", HOSTILE])
  const { authorization, 'content-type': type, 'x-own': own } = received.headers
  assert.deepEqual([authorization, type, own], ['Bearer the-token', 'application/json', undefined])
})

test('the command for curl asks for key and secret where the call had them, and is none for a signed call', async () => {
  const basic = aCall({ url: '/oauth2/token' }, { headers: { authorization: 'Basic ***' }, body: 'grant_type=client_credentials' })
  const received = await receive((host) =>
    run('sh', ['-c', curlOf({ ...basic, host }, here)!], { env: { ...process.env, KEY: 'key', SECRET: 'secret' } }),
  )
  assert.equal(received.headers.authorization, `Basic ${btoa('key:secret')}`)
  assert.equal(received.body, 'grant_type=client_credentials')
  assert.equal(curlOf(aCall({}, { headers: { authorization: 'OAuth ***' } }), here), undefined)
})

test('a call to a real host is copied with the host of the console', () => {
  assert.match(curlOf(aCall({ host: 'api.x.com' }), here)!, /'http:\/\/127\.0\.0\.1:4000\/2\/posts/)
  assert.match(curlOf(aCall({ host: 'user@evil"' }), here)!, /'http:\/\/127\.0\.0\.1:4000\/2\/posts/)
})

test('the command of Postern has the body, or the pairs of a form, and as whom the call was made', async () => {
  const words = async (call: Call) => {
    const { stdout } = await run('sh', ['-c', commandOf(call, SERVED).replace('npx', "printf '%s\\n'")])
    return stdout.trimEnd().split('\n')
  }
  assert.deepEqual(await words(aCall({ user_id: '101' })), ['postern', 'call', 'POST', aCall().url, HOSTILE, '--as', '101'])
  const form = aCall({ method: 'PUT', url: '/12/accounts/1' }, { body: 'name=A%20B%26C&paused=true', headers: {} })
  assert.deepEqual(await words(form), ['postern', 'call', 'PUT', '/12/accounts/1', 'name=A B&C', 'paused=true', '--as-app'])
  const dashed = aCall({ method: 'PUT', url: '/12/accounts/1' }, { body: '--url=http%3A%2F%2Felsewhere&name=A', headers: {} })
  const parameters = ['PUT', '/12/accounts/1', '--url=http://elsewhere', 'name=A']
  assert.deepEqual(await words(dashed), ['postern', 'call', '--as-app', '--', ...parameters])
})

const KIT = new URL('../../../postern/src/kit/start-postern.ts', import.meta.url).href

test('a call to the sandbox of the advertising API is made there again, by whatever name it was called', () => {
  const own = aCall({ method: 'GET', url: '/12/accounts?count=1', host: 'localhost:4002' }, { body: null })
  assert.equal(commandOf(own, SERVED), "npx postern call GET 'http://127.0.0.1:4002/12/accounts?count=1' --as-app")
  const hosts = ['localhost:4002', '127.0.0.1:4002', 'ads-api-sandbox.x.com']
  for (const host of hosts) assert.match(testOf({ ...own, host }, SERVED), /accounts\?count=1', postern\.adsSandboxUrl\)/)
  for (const host of ['localhost:4001', 'ads-api.x.com', null]) {
    assert.equal(commandOf({ ...own, host }, SERVED), "npx postern call GET '/12/accounts?count=1' --as-app")
    assert.match(testOf({ ...own, host }, SERVED), /accounts\?count=1', postern\.adsUrl\)/)
  }
  const named = { ...SERVED, ads_sandbox_base_url: 'https://sandbox.example.com' }
  assert.match(testOf({ ...own, host: 'sandbox.example.com' }, named), /postern\.adsSandboxUrl/)
  assert.match(testOf({ ...own, host: 'ads.example.com' }, named), /postern\.adsUrl/)
})

test('the test runs: on a server of its own it sends the call and expects the same status', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'postern-copied-'))
  const file = join(folder.path, 'copied.test.ts')
  const sandbox = { method: 'POST', url: '/12/accounts', host: '127.0.0.1:4002', status: 401 }
  const calls = [
    aCall({ method: 'GET', url: '/2/webhooks', status: 200 }, { body: null }),
    aCall(sandbox, { headers: {}, body: null }),
    aCall(
      { url: '/oauth2/token', status: 200 },
      { headers: { authorization: 'Basic ***', 'content-type': FORM }, body: 'grant_type=client_credentials' },
    ),
  ]
  const ofX = aCall({ method: 'GET', url: '/2/tweets?ids=1', status: 200 }, { body: null })
  const texts = [...calls.map((call) => testOf(call, SERVED)), testOf(ofX, { ...SERVED, dialect: 'x' })]
  const [head, ...tests] = texts.map((text) => text.replace("'postern'", `'${KIT}'`))
  const bodies = tests.map((text) => text.slice(text.indexOf('\ntest(')))
  await writeFile(file, [head, ...bodies].join('\n'))
  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', file], { env: withoutTestRun() })
  assert.match(stdout, /# pass 4/)
})

test('a test has the body as it was sent, and no secret', () => {
  for (const headers of [{ authorization: 'Bearer ***' }, { authorization: 'Basic ***' }, { authorization: 'OAuth ***' }, {}]) {
    const text = testOf(aCall({ user_id: '101' }, { headers }), SERVED)
    const body = /body: (.*),$/m.exec(text)![1]!
    assert.equal(new Function(`return ${body}`)(), HOSTILE)
    assert.ok(!text.includes('***'), text)
  }
})
