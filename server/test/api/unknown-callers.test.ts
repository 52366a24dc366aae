// What somebody without credentials may make this server hold.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readSigned } from '../../src/access/oauth1/read-signed.ts'
import { ACCOUNT, adsSeed } from '../stage/ads.ts'
import { openWith, untilClosed } from '../stage/hostile/bare-host.ts'
import { setStage } from '../stage/postern.ts'

const FORM = 'application/x-www-form-urlencoded'
const SIGNED_BY_NOBODY =
  'OAuth oauth_consumer_key="nobody", oauth_token="1-nobody", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1", oauth_nonce="n", oauth_signature="s"'

interface Announced {
  path: string
  type: string
  authorization?: string
}

/** The head of a request with a body of 5 MB, of which nothing comes. */
const headOf = (origin: string, { path, type, authorization }: Announced) =>
  [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(origin).host}`,
    `Content-Type: ${type}`,
    'Content-Length: 5000000',
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    '\r\n',
  ].join('\r\n')

suite('whoever is not known', () => {
  test('takes no room for a large body that is signed: the refusal comes before the body', async () => {
    await using stage = await setStage({ seed: adsSeed })
    const { ads_base_url, base_url } = stage.origins
    const users = { path: `/12/accounts/${ACCOUNT}/custom_audiences/a1/users`, type: 'application/json' }
    const upload = { path: '/1.1/media/upload.json', type: FORM }
    for (const [origin, announced, status] of [
      [ads_base_url, users, 401],
      [ads_base_url, { ...users, authorization: SIGNED_BY_NOBODY }, 401],
      [ads_base_url, { ...users, type: FORM, authorization: SIGNED_BY_NOBODY }, 401],
      [base_url, upload, 400],
      [base_url, { ...upload, authorization: SIGNED_BY_NOBODY }, 401],
      [base_url, { path: '/2/media/upload', type: FORM, authorization: SIGNED_BY_NOBODY }, 401],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: 14 }, () => untilClosed(openWith(origin, headOf(origin, announced)))))
      assert.deepEqual(new Set(answers.flat().map((answer) => answer.status)), new Set([status]), JSON.stringify(announced))
    }
  })

  test('has no more than a thousand parameters of a form decoded', () => {
    const request = { method: 'POST', target: '/', query: '', pathParams: {}, remoteAddress: '', headers: { 'content-type': FORM } }
    assert.throws(() => readSigned({ ...request, body: Buffer.from('%zz&'.repeat(1_000_000)) }), /more than 1000 parameters/)
  })
})
