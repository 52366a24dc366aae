import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { type Answer, call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { authorization, headerOf, oauthParameters, type SigningCredentials } from '../stage/oauth-client.ts'
import { type Pair, setPair } from '../stage/pair.ts'
import { demoApp, otherApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { ada, askForSignIn, atApprovalPage, CALLBACK, exchange, grace, PASSWORD, pinOf, signed, signIn } from '../stage/sign-in.ts'
import { adas, graces, othersAdas, refusalOf, sendSigned, signedInSeed, type Tampered, VERIFY } from '../stage/signed-calls.ts'

const FORM = 'application/x-www-form-urlencoded'
const ME = '/2/users/me'
const INVALIDATE = '/1.1/oauth/invalidate_token.json'
const AT_ONCE = 20

const fieldsOf = ({ text }: Answer): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

/** But for the moment, and for what development says of each refusal. */
const unchanged = (headers: Headers) => [...headers].filter(([name]) => name !== 'date' && name !== 'x-postern-explain')

suite('a signature that does not match the request', () => {
  let stage: Stage
  before(async () => {
    stage = await setStage({ seed: signedInSeed })
  })
  after(() => stage[Symbol.asyncDispose]())

  const inTransit: Record<string, Tampered> = {
    'a parameter of the query that was changed': { path: `${VERIFY}?a=1`, sent: { path: `${VERIFY}?a=2` } },
    'a parameter that was added': { sent: { path: `${VERIFY}?a=1` } },
    'a parameter that was taken away': { path: `${VERIFY}?a=1`, sent: { path: VERIFY } },
    'a parameter that was repeated': { path: `${VERIFY}?a=1`, sent: { path: `${VERIFY}?a=1&a=1` } },
    'a parameter whose name was changed in its case': { path: `${VERIFY}?a=1`, sent: { path: `${VERIFY}?A=1` } },
    'a parameter of a form that was changed': { method: 'POST', path: INVALIDATE, form: { a: '1' }, sent: { form: { a: '2' } } },
    'a form that was added': { method: 'POST', path: INVALIDATE, sent: { form: { a: '1' } } },
    'another method': { method: 'POST', sent: { method: 'GET' } },
    'another path': { path: ME, sent: { path: VERIFY } },
    'the same path, spelled otherwise': { path: '/1.1/account/verify_credentials', sent: { path: VERIFY } },
    'another host': { origin: 'http://api.example.com' },
    'another port': { origin: 'http://127.0.0.1:1' },
    'another scheme': { origin: 'https://127.0.0.1' },
    'another timestamp': { tamper: (oauth) => ({ ...oauth, oauth_timestamp: String(Number(oauth.oauth_timestamp) + 1) }) },
    'another nonce': { tamper: (oauth) => ({ ...oauth, oauth_nonce: `${oauth.oauth_nonce}0` }) },
    'a token that was swapped for another of the same app': { tamper: (oauth) => ({ ...oauth, oauth_token: graces.oauth_token }) },
    "the secret of the user's token at another app": { oauth_token_secret: othersAdas.oauth_token_secret },
    'no token secret': { oauth_token_secret: '' },
    "another app's consumer secret": { consumer_secret: otherApp.consumer_secret },
    'a signature in another case': { tamper: (oauth) => ({ ...oauth, oauth_signature: oauth.oauth_signature!.toLowerCase() }) },
    'a signature that was cut': { tamper: (oauth) => ({ ...oauth, oauth_signature: oauth.oauth_signature!.slice(0, -1) }) },
    'HMAC-SHA256': { oauth: { oauth_signature_method: 'HMAC-SHA256' } },
    'RSA-SHA1': { oauth: { oauth_signature_method: 'RSA-SHA1' } },
    'PLAINTEXT, with both secrets': {
      oauth: { oauth_signature_method: 'PLAINTEXT' },
      tamper: (oauth) => ({ ...oauth, oauth_signature: `${adas.consumer_secret}&${adas.oauth_token_secret}` }),
    },
    'a method in lower case': { oauth: { oauth_signature_method: 'hmac-sha1' } },
    'version 2.0': { oauth: { oauth_version: '2.0' } },
    'a nonce that is not ASCII': { oauth: { oauth_nonce: 'nönce' } },
    'a nonce with a space': { oauth: { oauth_nonce: 'a nonce' } },
    'a nonce without end': { oauth: { oauth_nonce: 'n'.repeat(256) } },
  }
  for (const [what, request] of Object.entries(inTransit)) {
    test(`${what} is rejected with code 32`, async () => {
      const answer = await sendSigned(stage, request)
      assert.deepEqual(refusalOf(answer), [401, 32], answer.text)
      assert.equal(answer.text, '{"errors":[{"code":32,"message":"Could not authenticate you."}]}')
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal(answer.headers.get('www-authenticate'), `OAuth realm="${stage.origins.base_url}", api_error_code=32`)
    })
  }

  test('the unchanged request is accepted, so the changes are the reason for the rejections', async () => {
    for (const path of [VERIFY, `${VERIFY}?b=1&a=%C3%A4+%2B%20*'()!~`, ME, '/1.1/account/verify_credentials', `${VERIFY}?`]) {
      const answer = await sendSigned(stage, { path })
      assert.equal(answer.status, 200, path + answer.text)
    }
  })

  for (const [what, request] of Object.entries<Tampered>({
    "another app's token, with all secrets right": {
      ...adas,
      consumer_key: otherApp.consumer_key,
      consumer_secret: otherApp.consumer_secret,
    },
    'a token that never was': { oauth_token: '101-nobody' },
    'a token in another case': { oauth_token: adas.oauth_token.toUpperCase() },
  })) {
    test(`${what} is rejected with code 89 on every path`, async () => {
      for (const path of [VERIFY, ME]) {
        const answer = await sendSigned(stage, { ...request, path })
        assert.deepEqual([answer.status, answer.body], [401, { errors: [{ code: 89, message: 'Invalid or expired token.' }] }])
      }
    })
  }

  test('a timestamp 6 minutes ago or ahead is rejected with code 135, and 4 minutes are accepted', async () => {
    for (const path of [VERIFY, ME]) {
      for (const minutes of [-6, 6]) {
        const answer = await sendSigned(stage, { path, nowMs: stage.clock.now() + minutes * MINUTE_MS })
        assert.deepEqual(refusalOf(answer), [401, 135])
      }
      for (const minutes of [-4, 4])
        assert.equal((await sendSigned(stage, { path, nowMs: stage.clock.now() + minutes * MINUTE_MS })).status, 200)
    }
  })

  test('a timestamp that is not an integer of seconds is rejected with code 135', async () => {
    for (const oauth_timestamp of ['now', '-1', '1.5', '1e9', '0x60000000', ' 1', '9'.repeat(13), String(stage.clock.now())])
      assert.deepEqual(refusalOf(await sendSigned(stage, { oauth: { oauth_timestamp } })), [401, 135], oauth_timestamp)
  })

  test('a protocol parameter that is missing, empty or repeated with different values is rejected with code 215', async () => {
    const names = ['oauth_consumer_key', 'oauth_nonce', 'oauth_signature', 'oauth_signature_method', 'oauth_timestamp', 'oauth_token']
    for (const name of names) {
      const without = ({ [name]: _, ...others }: Record<string, string>) => others
      for (const tamper of [without, (oauth: Record<string, string>) => ({ ...oauth, [name]: '' })])
        assert.deepEqual(refusalOf(await sendSigned(stage, { tamper })), [400, 215], name)
      const twice = await sendSigned(stage, { sent: { path: `${VERIFY}?${name}=other` } })
      assert.deepEqual([twice.status, twice.text], [400, '{"errors":[{"code":215,"message":"Bad authentication data."}]}'], name)
      assert.equal(twice.headers.get('www-authenticate'), null)
    }
  })

  test('an invalid OAuth header is rejected with code 215', async () => {
    for (const value of ['OAuth', 'OAuth nothing', 'OAuth a=b', 'OAuth a="%ff"', 'OAuth a="b', 'Digest a="b"', ''])
      assert.deepEqual(
        refusalOf(await call(stage.origins.base_url + VERIFY, 'GET', { headers: { authorization: value } })),
        [400, 215],
        value,
      )
  })

  test('without a token an unknown consumer key and a wrong secret get the same response, byte by byte, including headers', async () => {
    const request = { method: 'POST', path: '/oauth/request_token', oauth: { oauth_callback: CALLBACK } }
    const [one, other] = [
      await sendSigned(stage, { ...request, consumer_key: 'nobody', consumer_secret: 'nothing' }),
      await sendSigned(stage, { ...request, consumer_key: demoApp.consumer_key, consumer_secret: 'nothing' }),
    ]
    assert.deepEqual([one.status, one.text, unchanged(one.headers)], [other.status, other.text, unchanged(other.headers)])
    assert.deepEqual(refusalOf(one), [401, 32])
  })

  test('a token that is not live gets the same response with any consumer key, byte by byte, including headers, signed well or not', async () => {
    const revoked = await signIn(stage, otherApp, grace.username)
    assert.equal((await sendSigned(stage, { ...revoked, method: 'POST', path: INVALIDATE })).status, 200)
    const unknownToken = { oauth_token: '101-nobody', oauth_token_secret: 'nothing' }
    const unknownApp = { consumer_key: 'nobody', consumer_secret: 'nothing' }
    const refusals: Record<string, Tampered> = {
      'unknown key, unknown token': { ...unknownApp, ...unknownToken },
      'unknown key, revoked token': { ...revoked, ...unknownApp },
      'unknown key, live token': { ...adas, ...unknownApp },
      'known key, unknown token': { ...demoApp, ...unknownToken },
      'known key, unknown token, wrong signature': { ...demoApp, ...unknownToken, consumer_secret: 'wrong' },
      'known key, revoked token': revoked,
      'known key, revoked token, wrong signature': { ...revoked, consumer_secret: 'wrong', oauth_token_secret: 'wrong' },
      "known key, another app's token": { ...adas, ...otherApp },
    }
    for (const [method, path] of [
      ['GET', VERIFY],
      ['GET', ME],
      ['GET', '/2/webhooks'],
      ['GET', '/2/activity/subscriptions'],
      ['POST', '/oauth/access_token'],
    ] as const) {
      const answers = Object.entries(refusals).map(
        async ([why, request]) => [why, await sendSigned(stage, { ...request, method, path })] as const,
      )
      for (const [why, answer] of await Promise.all(answers)) {
        assert.deepEqual(
          [answer.status, answer.text, unchanged(answer.headers)],
          [401, '{"errors":[{"code":89,"message":"Invalid or expired token."}]}', unchanged((await answers[0]!)[1].headers)],
          `${path}: ${why}`,
        )
        assert.deepEqual(refusalOf(answer), [401, 89])
      }
    }
  })

  test('who has a live token and a wrong signature is refused with code 32', async () => {
    assert.deepEqual(refusalOf(await sendSigned(stage, { consumer_secret: 'wrong' })), [401, 32])
  })

  test('on /2/ a rejected signature is a problem with its code in www-authenticate', async () => {
    const answer = await sendSigned(stage, { path: ME, consumer_secret: 'wrong' })
    assert.equal(answer.headers.get('content-type'), 'application/problem+json')
    assert.deepEqual(answer.body, { type: 'about:blank', title: 'Unauthorized', detail: 'Unauthorized', status: 401 })
    assert.equal(answer.headers.get('www-authenticate'), `OAuth realm="${stage.origins.base_url}", api_error_code=32`)
  })

  test('other kinds of credentials get the error that a user must sign', async () => {
    const basic = `Basic ${Buffer.from(`${demoApp.consumer_key}:${demoApp.consumer_secret}`).toString('base64')}`
    const kinds = { [`Bearer ${await stage.token()}`]: [403, 220], 'Bearer nobody': [403, 220], [basic]: [400, 215], '': [400, 215] }
    for (const [value, refusal] of Object.entries(kinds)) {
      const headers = value === '' ? undefined : { authorization: value }
      assert.deepEqual(refusalOf(await call(stage.origins.base_url + VERIFY, 'GET', { headers })), refusal)
      const second = await call(stage.origins.base_url + ME, 'GET', { headers })
      // An unknown bearer token may be that of a user, which has ended.
      const isUnknown = value === '' || value === 'Bearer nobody'
      assert.equal(second.status, isUnknown ? 401 : 403)
      if (!isUnknown) assert.match(second.body.type, /\/unsupported-authentication$/)
    }
  })

  test('an unknown path is code 34, signed or not', async () => {
    for (const path of ['/1.1/nothing.json', '/1.1/account/verify_credentials.xml', '/oauth/nothing'])
      for (const answer of [await sendSigned(stage, { path }), await call(stage.origins.base_url + path, 'GET')])
        assert.deepEqual([answer.status, answer.body], [404, { errors: [{ code: 34, message: 'Sorry, that page does not exist.' }] }])
  })

  test('HEAD is signed as HEAD', async () => {
    const answer = await sendSigned(stage, { method: 'HEAD' })
    assert.deepEqual([answer.status, answer.text, answer.headers.get('x-access-level')], [200, '', 'read-write-directmessages'])
    assert.equal((await sendSigned(stage, { method: 'GET', sent: { method: 'HEAD' } })).status, 401)
  })

  test('protocol parameters count in the header, in the query and in a form, and once if they are repeated with the same value', async () => {
    const url = stage.origins.base_url + VERIFY
    const inQuery = new URLSearchParams(oauthParameters({ ...adas, url, nowMs: stage.clock.now() }))
    assert.equal((await call(`${url}?${inQuery}`, 'GET')).body?.id_str, ada.id)

    const asked = `${stage.origins.base_url}/oauth/request_token`
    const parameters = () =>
      oauthParameters({ ...demoApp, method: 'POST', url: asked, nowMs: stage.clock.now(), oauth: { oauth_callback: CALLBACK } })
    const asForm = (all: Record<string, string>) => ({ headers: { 'content-type': FORM }, body: new URLSearchParams(all).toString() })
    const repeated = parameters()
    const { oauth_callback = '', ...others } = parameters()
    const inHeader = { authorization: headerOf(others) }
    for (const [where, answer] of Object.entries({
      form: await call(asked, 'POST', asForm(parameters())),
      query: await call(`${asked}?${new URLSearchParams(parameters())}`, 'POST'),
      both: await call(asked, 'POST', { ...asForm(repeated), headers: { 'content-type': FORM, authorization: headerOf(repeated) } }),
      callback: await call(`${asked}?${new URLSearchParams({ oauth_callback })}`, 'POST', { headers: inHeader }),
    }))
      assert.equal(answer.status, 200, where + answer.text)
  })

  test('the verifier is accepted in the header, in the query and in a form', async () => {
    const ways: ((verifier: string) => Tampered)[] = [
      (oauth_verifier) => ({ oauth: { oauth_verifier } }),
      (oauth_verifier) => ({ path: `/oauth/access_token?${new URLSearchParams({ oauth_verifier })}` }),
      (oauth_verifier) => ({ form: { oauth_verifier } }),
    ]
    for (const way of ways) {
      const asked = await askForSignIn(stage, demoApp, 'oob')
      const page = await atApprovalPage(stage).decide(asked.oauth_token, 'allow')
      const answer = await sendSigned(stage, {
        method: 'POST',
        path: '/oauth/access_token',
        ...demoApp,
        ...asked,
        ...way(pinOf(page.text)),
      })
      assert.equal(answer.status, 200, answer.text)
    }
  })

  test('a JSON body is not part of the signature', async () => {
    const answer = await sendSigned(stage, {
      ...graces,
      method: 'POST',
      path: INVALIDATE,
      sent: { headers: { 'content-type': 'application/json' }, body: '{"a":1}' },
    })
    assert.deepEqual([answer.status, answer.body], [200, { access_token: graces.oauth_token }])
  })
})

for (const flavour of databasesOf(import.meta)) {
  suite(`a sign-in under attack on ${flavour}`, () => {
    let pair: Pair
    let stage: Stage
    before(async () => {
      pair = await setPair({ flavour, seed: signedInSeed })
      stage = pair.one
    })
    after(() => pair[Symbol.asyncDispose]())

    const granted = async (callback = 'oob') => {
      const asked = await askForSignIn(stage, demoApp, callback)
      const page = await atApprovalPage(stage).decide(asked.oauth_token, 'allow')
      const location = page.headers.get('location')
      const verifier = location ? new URL(location).searchParams.get('oauth_verifier')! : pinOf(page.text)
      assert.notEqual(verifier, '', page.text)
      return { asked, verifier }
    }
    const change = async (settings: Record<string, unknown>, app = demoApp) => {
      const answer = await stage.operator('PATCH', `/operator/apps/${app.id}`, settings)
      assert.equal(answer.status, 200, answer.text)
    }
    const levelOf = async (credentials: SigningCredentials) => (await signed(stage, 'GET', ME, credentials)).headers.get('x-access-level')

    test('a repeated request is rejected by every process', async () => {
      const oauth = { oauth_nonce: 'sent-again', oauth_timestamp: String(Math.floor(stage.clock.now() / 1000)) }
      const header = authorization({ ...adas, oauth, url: stage.origins.base_url + VERIFY })
      const send = () => call(stage.origins.base_url + VERIFY, 'GET', { headers: { authorization: header } })
      assert.equal((await send()).status, 200)
      assert.deepEqual(refusalOf(await send()), [401, 32])
      assert.deepEqual(refusalOf(await sendSigned(pair.other, { oauth })), [401, 32])
    })

    test('a nonce with another timestamp is rejected, and free for another token', async () => {
      const oauth = { oauth_nonce: 'once' }
      assert.equal((await sendSigned(stage, { oauth })).status, 200)
      assert.deepEqual(refusalOf(await sendSigned(stage, { oauth, nowMs: stage.clock.now() + MINUTE_MS })), [401, 32])
      assert.deepEqual(refusalOf(await sendSigned(pair.other, { oauth, nowMs: stage.clock.now() - MINUTE_MS })), [401, 32])
      assert.equal((await sendSigned(stage, { ...graces, oauth })).status, 200)
    })

    test('of twenty concurrent requests with one nonce to both processes, one is accepted', async () => {
      const oauth = { oauth_nonce: 'twenty at once'.replaceAll(' ', '-') }
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => sendSigned(at % 2 ? pair.other : stage, { oauth })))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      for (const answer of answers.filter(({ status }) => status !== 200)) assert.deepEqual(refusalOf(answer), [401, 32])
    })

    test('a request with a wrong signature does not use up its nonce', async () => {
      const oauth = { oauth_nonce: 'not-used-up' }
      assert.equal((await sendSigned(stage, { oauth, consumer_secret: 'wrong' })).status, 401)
      assert.equal((await sendSigned(stage, { oauth })).status, 200)
    })

    test('a verifier is valid only for its own request token', async () => {
      const [one, other] = [await granted(CALLBACK), await granted(CALLBACK)]
      const refused = await exchange(stage, demoApp, one.asked, other.verifier)
      assert.deepEqual(
        [refused.status, refused.body],
        [401, { errors: [{ code: 32, message: 'Error processing your OAuth request: Invalid oauth_verifier parameter' }] }],
      )
      for (const { asked, verifier } of [one, other]) assert.equal((await exchange(stage, demoApp, asked, verifier)).status, 200)
    })

    test('a PIN is valid for one exchange', async () => {
      const { asked, verifier } = await granted()
      assert.equal((await exchange(stage, demoApp, asked, verifier)).status, 200)
      assert.deepEqual(refusalOf(await exchange(pair.other, demoApp, asked, verifier)), [401, 89])
    })

    test('of twenty concurrent exchanges of one request token at both processes, one succeeds', async () => {
      const { asked, verifier } = await granted()
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, at) => exchange(at % 2 ? pair.other : stage, demoApp, asked, verifier)),
      )
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      for (const answer of answers.filter(({ status }) => status !== 200)) assert.deepEqual(refusalOf(answer), [401, 89])
    })

    test('five wrong PINs invalidate a request token, even for the right one; four do not', async () => {
      for (const wrong of [4, 5]) {
        const { asked, verifier } = await granted()
        const guesses = Array.from({ length: wrong }, (_, at) => String((Number(verifier) + 1 + at) % 10_000_000).padStart(7, '0'))
        for (const guess of guesses) assert.deepEqual(refusalOf(await exchange(stage, demoApp, asked, guess)), [401, 32])
        const answer = await exchange(pair.other, demoApp, asked, verifier)
        if (wrong < 5) assert.equal(answer.status, 200)
        else assert.deepEqual(refusalOf(answer), [401, 89])
      }
    })

    test('of twenty concurrent guesses five are checked', async () => {
      const { asked, verifier } = await granted()
      const guess = verifier === '0000000' ? '1111111' : '0000000'
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, at) => exchange(at % 2 ? pair.other : stage, demoApp, asked, guess)),
      )
      assert.equal(answers.filter((answer) => refusalOf(answer)[1] === 32).length, 5)
      assert.deepEqual(refusalOf(await exchange(stage, demoApp, asked, verifier)), [401, 89])
    })

    test('a request token that was not approved, or was denied, cannot be exchanged', async () => {
      const asked = await askForSignIn(stage)
      for (const verifier of ['0000000', 'null', 'undefined'])
        assert.deepEqual(refusalOf(await exchange(stage, demoApp, asked, verifier)), [401, 32])
      const visitor = atApprovalPage(stage)
      const { text } = await visitor.open(asked.oauth_token)
      const form = { oauth_token: asked.oauth_token, proof: /name="proof" value="([^"]*)"/.exec(text)![1]! }
      assert.equal((await visitor.send({ ...form, decision: 'deny' })).status, 302)
      const late = await visitor.send({ ...form, decision: 'allow', username: ada.username, password: PASSWORD })
      assert.deepEqual([late.status, late.headers.get('location')], [403, null])
      assert.deepEqual(refusalOf(await exchange(stage, demoApp, asked, '0000000')), [401, 89])
    })

    test('an exchange without a verifier is rejected', async () => {
      const { asked } = await granted()
      const answer = await signed(stage, 'POST', '/oauth/access_token', { ...demoApp, ...asked })
      assert.deepEqual(refusalOf(answer), [401, 32])
    })

    test("another app's request token is rejected, with the verifier and all secrets", async () => {
      const { asked, verifier } = await granted()
      assert.deepEqual(refusalOf(await exchange(stage, otherApp, asked, verifier)), [401, 89])
      assert.equal((await exchange(stage, demoApp, asked, verifier)).status, 200)
    })

    test('a request token cannot act for a user, and an access token cannot be exchanged', async () => {
      const { asked } = await granted()
      for (const path of [VERIFY, ME]) assert.deepEqual(refusalOf(await signed(stage, 'GET', path, { ...demoApp, ...asked })), [401, 89])
      assert.deepEqual(refusalOf(await exchange(stage, demoApp, adas, '0000000')), [401, 89])
    })

    test('a request token expires after 15 minutes, for the page and for the exchange', async () => {
      const [asked, allowed] = [await askForSignIn(stage), await granted()]
      stage.clock.advance(15 * MINUTE_MS)
      assert.equal((await atApprovalPage(stage).open(asked.oauth_token)).status, 403)
      assert.deepEqual(refusalOf(await exchange(stage, demoApp, allowed.asked, allowed.verifier)), [401, 89])
    })

    test('a callback that is not registered for the app, byte by byte, is rejected with code 415', async () => {
      for (const callback of [
        ...[`${CALLBACK}/`, `${CALLBACK}?`, `${CALLBACK}?a=1`, `${CALLBACK}#a`, `${CALLBACK}x`, CALLBACK.slice(0, -1), ` ${CALLBACK}`],
        ...[CALLBACK.replace('3009', '3010'), CALLBACK.replace('http:', 'https:'), CALLBACK.replace('http', 'HTTP')],
        ...[
          CALLBACK.replace('/cb', '/CB'),
          CALLBACK.replace('/cb', '/%63b'),
          CALLBACK.replace('/cb', '/x/../cb'),
          CALLBACK.replace('/cb', '//cb'),
        ],
        ...[CALLBACK.replace('127.0.0.1', 'localhost'), CALLBACK.replace('//', '//user@'), 'https://demo.example/cb', 'demo-app://other'],
        ...['OOB', 'javascript:alert(1)', `${CALLBACK}\r\nx: y`],
      ]) {
        const answer = await signed(stage, 'POST', '/oauth/request_token', demoApp, { oauth: { oauth_callback: callback } })
        assert.deepEqual(refusalOf(answer), [403, 415], callback)
      }
    })

    test('an app without callbacks is rejected with code 417, except for PINs', async () => {
      await change({ callback_urls: [] }, otherApp)
      const answer = await signed(stage, 'POST', '/oauth/request_token', otherApp, { oauth: { oauth_callback: CALLBACK } })
      assert.deepEqual(refusalOf(answer), [401, 417])
      await askForSignIn(stage, otherApp, 'oob')
    })

    test('x_auth_access_type narrows the granted access; anything but read and write, or more than the app may have, is rejected', async () => {
      const ask = (x_auth_access_type: string, app: SigningCredentials = demoApp) =>
        signed(stage, 'POST', '/oauth/request_token', app, { oauth: { oauth_callback: 'oob' }, form: { x_auth_access_type } })
      for (const [type, level] of Object.entries({ read: 'read', write: 'read-write' })) {
        const asked = fieldsOf(await ask(type)) as { oauth_token: string; oauth_token_secret: string }
        const page = await atApprovalPage(stage).decide(asked.oauth_token, 'allow')
        const token = fieldsOf(await exchange(stage, demoApp, asked, pinOf(page.text)))
        assert.equal(await levelOf({ ...demoApp, ...token }), level)
      }
      for (const type of ['dm', 'READ', 'read_write', 'directmessages', '', 'read,write'])
        assert.deepEqual(refusalOf(await ask(type)), [403, 38], type)
      await change({ permissions: 'read' }, otherApp)
      assert.deepEqual(refusalOf(await ask('write', otherApp)), [403, 38])
      assert.equal((await ask('read', otherApp)).status, 200)
    })

    test("the granted access of a token stays when the app's permission changes, until the next sign-in", async () => {
      assert.equal(await levelOf(adas), 'read-write-directmessages')
      await change({ permissions: 'read' })
      assert.equal(await levelOf(adas), 'read-write-directmessages')
      assert.equal(await levelOf(await signIn(stage)), 'read')
      await change({ permissions: 'read_write_dm' })
    })

    test('the approval page asks for no more than the app may have by then', async () => {
      const asked = await askForSignIn(stage)
      await change({ permissions: 'read' })
      assert.equal((await atApprovalPage(stage).open(asked.oauth_token)).status, 403)
      await change({ permissions: 'read_write_dm' })
      assert.equal((await atApprovalPage(stage).decide(asked.oauth_token, 'allow')).status, 302)
    })

    test('during the overlap of a new and a former consumer secret both sign, and then only the new one', async () => {
      await change({ rotate_secret: { consumer_secret: 'a-new-secret-of-the-app', overlap: '1h' } })
      const renewed = { consumer_secret: 'a-new-secret-of-the-app' }
      for (const where of [pair.one, pair.other])
        for (const request of [{}, renewed]) assert.equal((await sendSigned(where, request)).status, 200)
      stage.clock.advance(60 * MINUTE_MS)
      assert.equal((await sendSigned(stage, renewed)).status, 200)
      for (const where of [pair.one, pair.other]) assert.deepEqual(refusalOf(await sendSigned(where)), [401, 32])
      await change({ rotate_secret: { consumer_secret: 'another-secret-of-the-app', overlap: '0s' } })
    })
  })

  suite(`revocation and suspension on ${flavour}`, () => {
    test('a revoked token is rejected with code 89 by every process from the next request on', async () => {
      await using pair = await setPair({ flavour, seed: signedInSeed })
      for (const where of [pair.one, pair.other]) assert.equal((await sendSigned(where)).status, 200)
      assert.equal((await sendSigned(pair.one, { method: 'POST', path: INVALIDATE })).status, 200)
      for (const where of [pair.other, pair.one])
        for (const path of [VERIFY, ME]) assert.deepEqual(refusalOf(await sendSigned(where, { path })), [401, 89])
      assert.deepEqual(refusalOf(await sendSigned(pair.other, { method: 'POST', path: INVALIDATE })), [401, 89])
    })

    test('a suspended app is rejected with code 416 by every process, and cannot start a sign-in', async () => {
      await using pair = await setPair({ flavour, seed: signedInSeed })
      for (const where of [pair.one, pair.other]) assert.equal((await sendSigned(where)).status, 200)
      assert.equal((await pair.one.operator('PATCH', '/operator/apps/1', { suspended: true })).status, 200)
      for (const where of [pair.other, pair.one]) {
        for (const path of [VERIFY, ME]) assert.deepEqual(refusalOf(await sendSigned(where, { path })), [401, 416])
        const asked = await signed(where, 'POST', '/oauth/request_token', demoApp, { oauth: { oauth_callback: 'oob' } })
        assert.deepEqual(refusalOf(asked), [401, 416])
      }
    })

    test('a nonce is remembered after a restart', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const oauth = { oauth_nonce: 'before-the-restart' }
      assert.equal((await sendSigned(stage, { oauth })).status, 200)
      await stage.restart()
      assert.deepEqual(refusalOf(await sendSigned(stage, { oauth })), [401, 32])
    })
  })
}

suite('in production', () => {
  const PRODUCTION = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
  const seed = { ...signedInSeed, apps: [{ ...demoApp }, { ...otherApp }] }
  const forwarded = { 'x-forwarded-proto': 'https' }

  test('a request without TLS is rejected with code 92, signed or not, on every path of the sign-in', async () => {
    await using stage = await setStage({ environment: { ...PRODUCTION, POSTERN_TRUST_PROXY: '127.0.0.0/8' }, seed })
    for (const path of [VERIFY, ME]) assert.deepEqual(refusalOf(await sendSigned(stage, { path })), [403, 92])
    const asked = await signed(stage, 'POST', '/oauth/request_token', demoApp, { oauth: { oauth_callback: 'oob' } })
    assert.deepEqual([asked.status, asked.body], [403, { errors: [{ code: 92, message: 'SSL is required.' }] }])
    assert.equal((await atApprovalPage(stage).open('any')).status, 403)
  })

  test('a request over a trusted TLS proxy is accepted', async () => {
    await using stage = await setStage({ environment: { ...PRODUCTION, POSTERN_TRUST_PROXY: '127.0.0.0/8' }, seed })
    assert.equal((await sendSigned(stage, { sent: { headers: forwarded } })).status, 200)
  })

  test('a TLS header of any other sender is ignored', async () => {
    for (const POSTERN_TRUST_PROXY of ['', '10.0.0.0/8']) {
      await using stage = await setStage({ environment: { ...PRODUCTION, POSTERN_TRUST_PROXY }, seed })
      const answer = await sendSigned(stage, { sent: { headers: forwarded } })
      assert.deepEqual(refusalOf(answer), [403, 92])
    }
  })
})
