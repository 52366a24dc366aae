import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { certificateAuthority, selfSigned } from '../stage/certificates.ts'
import { demoApp, setStage } from '../stage/postern.ts'

test('a callback whose certificate a private authority signed is trusted with POSTERN_CALLBACK_CA, and not without', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-ca-'))
  const authority = await certificateAuthority('Private')
  await writeFile(join(folder, 'ca.pem'), authority.cert)
  const callback = createServer(await selfSigned({ issuer: authority }), (request, response) => {
    const token = new URL(request.url!, 'https://localhost').searchParams.get('crc_token')!
    const digest = createHmac('sha256', demoApp.consumer_secret).update(token).digest('base64')
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ response_token: `sha256=${digest}` }))
  }).listen(0, '127.0.0.1')
  try {
    await once(callback, 'listening')
    const url = `https://localhost:${(callback.address() as AddressInfo).port}/hook`
    const register = async (environment: Record<string, string>) => {
      await using stage = await setStage({ environment })
      return await stage.api('POST', '/2/webhooks', { token: await stage.token(), json: { url } })
    }
    assert.match((await register({})).text, /CrcValidationFailed: .*certificate/)
    assert.equal((await register({ POSTERN_CALLBACK_CA: join(folder, 'ca.pem') })).status, 200)
  } finally {
    callback.closeAllConnections()
    callback.close()
    await rm(folder, { recursive: true })
  }
})
