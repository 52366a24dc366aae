import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { suite, test } from 'node:test'
import { adsSeed } from '../stage/ads.ts'
import { call } from '../stage/call.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { ada, atApprovalPage, CALLBACK } from '../stage/sign-in.ts'
import { adas, sendSigned } from '../stage/signed-calls.ts'

/** What the package answers of a call: it calls back with an error that holds `statusCode` and `data`, or with the body. */
type Done = (error: { statusCode: number; data: string } | null, ...results: unknown[]) => void

/** As much of the `oauth` package as is used here; it brings no types. */
interface OAuth {
  getOAuthRequestToken(done: Done): void
  getOAuthAccessToken(token: string, secret: string, verifier: string, done: Done): void
  get(url: string, token: string, secret: string, done: Done): void
}

const { OAuth } = createRequire(import.meta.url)('oauth') as { OAuth: new (...settings: unknown[]) => OAuth }

/** The client as the package's own page sets it up; only the version may be another. */
function clientOf({ origins: { base_url } }: Stage, version = '1.0A'): OAuth {
  const [requestUrl, accessUrl] = [`${base_url}/oauth/request_token`, `${base_url}/oauth/access_token`]
  return new OAuth(requestUrl, accessUrl, demoApp.consumer_key, demoApp.consumer_secret, version, CALLBACK, 'HMAC-SHA1')
}

/** Calls a method of the package: status and body of a refusal, or 200 and what it was called back with. */
const asked = (ask: (done: Done) => void): Promise<{ status: number; results: unknown[] }> =>
  new Promise((resolve) =>
    ask((error, ...results) => resolve(error ? { status: error.statusCode, results: [error.data] } : { status: 200, results })),
  )

suite('the `oauth` package, which signs oauth_version 1.0A', () => {
  test('signs a user in, and then reads who it is', async () => {
    await using stage = await setStage({ seed: adsSeed })
    const client = clientOf(stage)
    const [token, secret] = (await asked((done) => client.getOAuthRequestToken(done))).results as string[]
    const back = await atApprovalPage(stage).decide(token!, 'allow')
    const verifier = new URL(back.headers.get('location')!).searchParams.get('oauth_verifier')!
    const [access, accessSecret] = (await asked((done) => client.getOAuthAccessToken(token!, secret!, verifier, done))).results as string[]
    const { status, results } = await asked((done) => client.get(`${stage.origins.base_url}/2/users/me`, access!, accessSecret!, done))
    assert.deepEqual([status, JSON.parse(String(results[0])).data.id], [200, ada.id])
  })

  for (const host of ['base_url', 'ads_base_url', 'ads_sandbox_base_url'] as const)
    test(`is answered on ${host}`, async () => {
      await using stage = await setStage({ seed: adsSeed })
      const path = host === 'base_url' ? '/1.1/account/verify_credentials.json?a=b%20c' : '/12/accounts?q=D%20e'
      const { oauth_token, oauth_token_secret } = adas
      const { status, results } = await asked((done) =>
        clientOf(stage).get(stage.origins[host] + path, oauth_token, oauth_token_secret, done),
      )
      assert.equal(status, 200, String(results[0]))
    })

  test('the version counts as it was sent: signed with 1.0A and sent as 1.0, the signature is wrong', async () => {
    await using stage = await setStage({ seed: adsSeed })
    const swap = (signed: string, sent: string) =>
      sendSigned(stage, { oauth: { oauth_version: signed }, tamper: (oauth) => ({ ...oauth, oauth_version: sent }) })
    const statuses = [swap('1.0A', '1.0A'), swap('1.0', '1.0'), swap('1.0A', '1.0'), swap('1.0', '1.0A')]
    assert.deepEqual(
      (await Promise.all(statuses)).map(({ status }) => status),
      [200, 200, 401, 401],
    )
  })

  test('every other version is rejected with code 32, and the explanation names the accepted ones', async () => {
    await using stage = await setStage({ seed: adsSeed })
    const url = `${stage.origins.base_url}/1.1/account/verify_credentials.json`
    for (const version of ['1.0a', '1.0AA', '1.0B', '1.1', '1', 'A', '2.0']) {
      const { status, results } = await asked((done) => clientOf(stage, version).get(url, adas.oauth_token, adas.oauth_token_secret, done))
      assert.deepEqual([status, JSON.parse(String(results[0])).errors[0].code], [401, 32], version)
    }
    const refused = await sendSigned(stage, { oauth: { oauth_version: '1.0B' } })
    const page = await call(refused.headers.get('x-postern-explain')!, 'GET')
    assert.match(page.text, /oauth_version is 1\.0B; it must be 1\.0 or 1\.0A, or left out\./)
  })

  test('the explanation finds the mistake of a request with 1.0A like any other', async () => {
    await using stage = await setStage({ seed: adsSeed })
    const refused = await sendSigned(stage, { oauth: { oauth_version: '1.0A' }, oauth_token_secret: '' })
    const page = await call(refused.headers.get('x-postern-explain')!, 'GET')
    assert.match(page.text, /The token secret is missing from the key/)
    assert.match(page.text, /oauth_version%3D1\.0A|oauth_version=1\.0A/)
  })
})
