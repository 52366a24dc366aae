import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { commandOf, curlOf, testOf } from '../../../console/src/copy-texts.ts'
import type { Call } from '../../../console/src/server-types.ts'

const run = promisify(execFile)

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
    const { stdout } = await run('sh', ['-c', commandOf(call).replace('npx', "printf '%s\\n'")])
    return stdout.trimEnd().split('\n')
  }
  assert.deepEqual(await words(aCall({ user_id: '101' })), ['postern', 'call', 'POST', aCall().url, HOSTILE, '--as', '101'])
  const form = aCall({ method: 'PUT', url: '/12/accounts/1' }, { body: 'name=A%20B%26C&paused=true', headers: {} })
  assert.deepEqual(await words(form), ['postern', 'call', 'PUT', '/12/accounts/1', 'name=A B&C', 'paused=true', '--as-app'])
})

test('the test is TypeScript that parses, sends the same body, and expects the same status', () => {
  for (const headers of [{ authorization: 'Bearer ***' }, { authorization: 'Basic ***' }, { authorization: 'OAuth ***' }, {}]) {
    const text = testOf(aCall({ user_id: '101' }, { headers }))
    stripTypeScriptTypes(text)
    const body = /body: (.*),$/m.exec(text)![1]!
    assert.equal(new Function(`return ${body}`)(), HOSTILE)
    assert.match(text, /assert\.equal\(answer\.status, 201\)/)
    assert.ok(!text.includes('***'), text)
  }
})
