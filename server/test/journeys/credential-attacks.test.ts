// Attacks on the secrets of apps and on the operator token, and floods of the OAuth endpoints.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, call } from '../stage/call.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { limitFile } from '../stage/limit-file.ts'
import { authorization } from '../stage/oauth-client.ts'
import { type Pair, setPair } from '../stage/pair.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { ada, askForSignIn, atApprovalPage, CALLBACK, exchange, pinOf, signed, signIn } from '../stage/sign-in.ts'
import { adas, othersAdas, refusalOf, sendSigned, signedInSeed, VERIFY } from '../stage/signed-calls.ts'

const flavours = databasesOf(import.meta)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const FORM = 'application/x-www-form-urlencoded'

/** How often each kind of credentials may fail here, so that a test needs few calls. */
const MOST = 5
const LIMITS = { failedAppSecrets: MOST, failedSignatures: MOST, failedOperatorTokens: MOST }

const attacker = (n = 0) => ({ 'x-forwarded-for': `198.18.${n >> 8}.${n & 255}` })
const elsewhere = { 'x-forwarded-for': '203.0.113.99' }

async function underLimits(flavour: Flavour, limits: Record<string, number>, run: (stage: Stage, pair: Pair) => Promise<void>) {
  const file = limitFile(limits)
  await using pair = await setPair({ flavour, seed: signedInSeed, environment: { POSTERN_RATE_LIMITS: file } })
  await run(pair.one, pair)
}

/** Moves the clock to the next full hour, so that a test has it whole. */
const beginHour = ({ clock }: Stage) => clock.setOffset(clock.offset() + HOUR_MS - (clock.now() % HOUR_MS))

const askBearer = (stage: Stage, { consumer_key, consumer_secret }: typeof demoApp, headers: Record<string, string>) =>
  stage.api('POST', '/oauth2/token', {
    headers: {
      ...headers,
      'content-type': FORM,
      authorization: `Basic ${Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64')}`,
    },
    body: 'grant_type=client_credentials',
  })

const wrongSecret = { ...demoApp, consumer_secret: 'wrong' }

function assertLimited({ headers }: Answer, limit: number) {
  assert.deepEqual([headers.get('x-rate-limit-limit'), headers.get('x-rate-limit-remaining')], [String(limit), '0'])
  const wait = Number(headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= 900, `retry-after: ${wait}`)
  assert.ok(Number(headers.get('x-rate-limit-reset')) * 1000 > Date.now() - MINUTE_MS)
}

const refused99 = { errors: [{ code: 99, message: 'Unable to verify your credentials', label: 'authenticity_token_error' }] }
const refused88 = { errors: [{ code: 88, message: 'Rate limit exceeded.' }] }

for (const flavour of flavours) {
  suite(`guessing the secret of an app on ${flavour}`, () => {
    test('too many wrong secrets from an address are refused there for 15 minutes, even with the right one, and nowhere else', async () => {
      await underLimits(flavour, LIMITS, async (stage, { other }) => {
        for (let n = 0; n < MOST; n++) {
          const answer = await askBearer(n % 2 ? other : stage, wrongSecret, attacker())
          assert.deepEqual([answer.status, answer.body, answer.headers.get('retry-after')], [403, refused99, null])
        }
        for (const at of [stage, other, stage, other]) {
          const answer = await askBearer(at, wrongSecret, attacker())
          assert.deepEqual([answer.status, answer.body], [403, refused99])
          assertLimited(answer, MOST)
        }
        for (const at of [stage, other]) assert.equal((await askBearer(at, demoApp, attacker())).status, 403)
        assert.equal((await askBearer(stage, demoApp, attacker(1))).status, 200)
        assert.equal((await askBearer(stage, otherApp, attacker())).status, 200)
        stage.clock.advance(15 * MINUTE_MS)
        assert.equal((await askBearer(stage, demoApp, attacker())).status, 200)
      })
    })

    test('the app itself goes on where it proved its secret before', async () => {
      await underLimits(flavour, LIMITS, async (stage) => {
        assert.equal((await askBearer(stage, demoApp, attacker())).status, 200)
        for (let n = 0; n < 3 * MOST; n++) assert.equal((await askBearer(stage, wrongSecret, attacker())).status, 403)
        assertLimited(await askBearer(stage, wrongSecret, attacker()), MOST)
        assert.equal((await askBearer(stage, demoApp, attacker())).status, 200)
      })
    })

    test('an address that tries many keys is refused after ten times as many, and no app suffers elsewhere', async () => {
      await underLimits(flavour, LIMITS, async (stage) => {
        const unknown = (n: number) => ({ ...demoApp, consumer_key: `nobody-${n}` })
        for (let n = 0; n < 10 * MOST; n++) assert.equal((await askBearer(stage, unknown(n), attacker())).headers.get('retry-after'), null)
        assertLimited(await askBearer(stage, unknown(99), attacker()), 10 * MOST)
        assertLimited(await askBearer(stage, demoApp, attacker()), 10 * MOST)
        assert.equal((await askBearer(stage, demoApp, elsewhere)).status, 200)
      })
    })

    test('too many wrong signatures from an address are 429 with code 88, on every host in its own form, and nowhere else', async () => {
      await underLimits(flavour, LIMITS, async (stage, { other }) => {
        const guess = (at: Stage, more = {}) =>
          sendSigned(at, { ...demoApp, consumer_secret: 'wrong', ...more, sent: { headers: attacker() } })
        for (let n = 0; n < MOST; n++) assert.deepEqual(refusalOf(await guess(n % 2 ? other : stage)), [401, 32])
        for (const at of [stage, other, stage, other]) {
          const answer = await guess(at)
          assert.deepEqual([answer.status, answer.body], [429, refused88])
          assertLimited(answer, MOST)
        }
        const right = (sent: Record<string, string>, path = VERIFY) => sendSigned(stage, { path, sent: { headers: sent } })
        assert.deepEqual([(await right(attacker())).status, (await right(elsewhere)).status], [429, 200])
        const v2 = await right(attacker(), '/2/users/me')
        assert.deepEqual(v2.body, { type: 'about:blank', title: 'Too Many Requests', detail: 'Too Many Requests', status: 429 })
        const accounts = `${stage.origins.ads_base_url}/12/accounts`
        const header = authorization({ ...adas, url: accounts, nowMs: stage.clock.now() })
        const ads = await call(accounts, 'GET', { headers: { ...attacker(), authorization: header } })
        assert.deepEqual([ads.status, ads.body.errors[0].code], [429, 'TOO_MANY_REQUESTS'])
        assert.equal((await sendSigned(stage, { ...othersAdas, sent: { headers: attacker() } })).status, 200)
        stage.clock.advance(15 * MINUTE_MS)
        assert.equal((await right(attacker())).status, 200)
      })
    })

    test('guesses of tokens count as wrong signatures, whether there is such an app or not, also where no user token is taken', async () => {
      const unknownApp = { consumer_key: 'nobody', consumer_secret: 'wrong' }
      for (const [app, path] of [
        [demoApp, VERIFY],
        [unknownApp, VERIFY],
        [demoApp, '/2/webhooks'],
        [unknownApp, '/2/webhooks'],
      ] as const)
        await underLimits(flavour, LIMITS, async (stage, { other }) => {
          const guess = (at: Stage, n: number) =>
            sendSigned(at, { ...app, oauth_token: `101-guess-${n}`, path, sent: { headers: attacker() } })
          for (let n = 0; n < MOST; n++) assert.deepEqual(refusalOf(await guess(n % 2 ? other : stage, n)), [401, 89])
          for (const at of [stage, other, stage, other]) {
            const answer = await guess(at, 99)
            assert.equal(answer.status, 429, `${app.consumer_key} ${path}`)
            assertLimited(answer, MOST)
          }
          assert.equal((await sendSigned(stage, { sent: { headers: elsewhere } })).status, 200)
          const { data } = (await stage.operator('GET', '/operator/audit/failures')).body
          assert.deepEqual([data[0].kind, data[0].address], ['signature', '198.18.0.0'])
        })
    })

    test('the limit is one for wrong signatures and for tokens that are not live, and an app that signs well goes on', async () => {
      await underLimits(flavour, LIMITS, async (stage) => {
        assert.equal((await sendSigned(stage)).status, 200)
        for (let n = 0; n < 2 * MOST; n++) {
          const answer = await sendSigned(stage, n % 2 ? { oauth_token: '101-revoked' } : { consumer_secret: 'wrong' })
          assert.deepEqual(refusalOf(answer), n >= MOST ? [429, 88] : [401, n % 2 ? 89 : 32])
          assert.equal((await sendSigned(stage)).status, 200)
        }
      })
    })

    test('an app that signs well goes on at an address where others, or a bug of its own, sign wrongly', async () => {
      await underLimits(flavour, LIMITS, async (stage) => {
        for (let n = 0; n < 4 * MOST; n++) {
          assert.equal((await sendSigned(stage)).status, 200)
          const answer = await sendSigned(stage, { consumer_secret: 'wrong' })
          assert.deepEqual(refusalOf(answer), n < MOST ? [401, 32] : [429, 88])
        }
      })
    })
  })

  suite(`guessing the operator token on ${flavour}`, () => {
    const guess = (stage: Stage, token = 'wrong') =>
      call(`${stage.origins.operator_url}/operator/apps`, 'GET', { token, headers: attacker() })

    test('too many wrong tokens from an address are 429, and the right one is served from anywhere', async () => {
      await underLimits(flavour, LIMITS, async (stage, { other }) => {
        for (let n = 0; n < MOST; n++) assert.equal((await guess(n % 2 ? other : stage)).status, 401)
        for (const at of [stage, other]) {
          const answer = await guess(at)
          assert.equal(answer.headers.get('content-type'), 'application/problem+json')
          assert.deepEqual(answer.body, { type: 'about:blank', title: 'Too Many Requests', detail: 'Too Many Requests', status: 429 })
          assertLimited(answer, MOST)
        }
        assert.equal((await guess(stage, OPERATOR_TOKEN)).status, 200)
      })
    })
  })

  suite(`the audit log under attack on ${flavour}`, () => {
    const failuresOf = async (stage: Stage, query = '') => (await stage.operator('GET', `/operator/audit/failures${query}`)).body.data

    test('failures are counted by kind and address for each hour, those that a limit refused included', async () => {
      await underLimits(flavour, LIMITS, async (stage, { other }) => {
        beginHour(stage)
        const hour = new Date(Math.floor(stage.clock.now() / HOUR_MS) * HOUR_MS).toISOString()
        for (let n = 0; n < MOST + 2; n++) {
          const at = n % 2 ? other : stage
          await askBearer(at, wrongSecret, attacker(1))
          await sendSigned(at, { consumer_secret: 'wrong', sent: { headers: { 'x-forwarded-for': '2001:db8:1:2::3' } } })
          await call(`${at.origins.operator_url}/operator/apps`, 'GET', { token: 'wrong', headers: attacker(2) })
        }
        for (let n = 0; n < 12; n++) {
          const page = atApprovalPage(stage, attacker(3))
          await page.decide((await askForSignIn(stage)).oauth_token, 'allow', { username: ada.username, password: 'wrong' })
        }
        await failuresOf(other)
        const counted = await failuresOf(stage)
        const byKind = counted.map((entry: Record<string, unknown>) => [entry.hour, entry.kind, entry.address, entry.count]).sort()
        assert.deepEqual(byKind, [
          [hour, 'app_secret', '198.18.0.1', 7],
          [hour, 'operator_token', '198.18.0.2', 7],
          [hour, 'password', '198.18.0.3', 12],
          [hour, 'signature', '2001:db8:1:2::/64', 7],
        ])
        stage.clock.setOffset(stage.clock.offset() + HOUR_MS)
        await askBearer(stage, wrongSecret, attacker(1))
        const [newest] = await failuresOf(stage, '?max_results=1')
        assert.deepEqual([newest.kind, newest.address, newest.count], ['app_secret', '198.18.0.1', 1])
        assert.equal(Date.parse(newest.hour), Date.parse(hour) + HOUR_MS)
      })
    })

    test('strangers push no entry out: of an hour 200 addresses are counted one by one, and the calls of operators stay', async () => {
      await underLimits(flavour, LIMITS, async (stage) => {
        beginHour(stage)
        assert.equal((await stage.operator('PATCH', '/operator/apps/1', { webhook_limit: 6 })).status, 200)
        for (let n = 0; n < 250; n++)
          await call(`${stage.origins.operator_url}/operator/apps`, 'GET', { token: 'wrong', headers: attacker(n) })
        for (let n = 0; n < 10; n++)
          await call(`${stage.origins.operator_url}/operator/apps`, 'GET', { token: 'wrong', headers: attacker(7) })
        const counted = await failuresOf(stage, '?max_results=1000')
        assert.equal(counted.length, 201)
        assert.deepEqual(counted.find(({ address }: { address: string }) => address === 'others').count, 50)
        assert.equal(counted.find(({ address }: { address: string }) => address === '198.18.0.7').count, 11)
        const calls = (await stage.operator('GET', '/operator/audit?max_results=1000')).body.data
        assert.ok(calls.some(({ action, status }: { action: string; status: number }) => action === 'updateApp' && status === 200))
        assert.ok(calls.every(({ status }: { status: number }) => status === 200))
      })
    })
  })
}

suite('the OAuth endpoints are rate limited', () => {
  const OVERRIDES = { requestToken: 3, accessToken: 3, invalidateToken: 3, authorize: 4, authenticate: 4, decideApproval: 4 }

  const ask = (stage: Stage, headers: Record<string, string>, app: typeof demoApp = demoApp) =>
    signed(stage, 'POST', '/oauth/request_token', app, { oauth: { oauth_callback: CALLBACK }, headers })

  for (const flavour of flavours)
    test(`request_token by app and address, with code 88 beyond (${flavour})`, async () => {
      await underLimits(flavour, OVERRIDES, async (stage, { other }) => {
        for (let n = 0; n < 3; n++) {
          const answer = await ask(n % 2 ? other : stage, attacker())
          assert.equal(answer.status, 200, answer.text)
          assert.equal(answer.headers.get('x-rate-limit-limit'), '3')
          assert.equal(answer.headers.get('x-rate-limit-remaining'), String(2 - n))
          const resetMs = Number(answer.headers.get('x-rate-limit-reset')) * 1000
          assert.ok(resetMs > stage.clock.now() && resetMs <= stage.clock.now() + 901_000)
        }
        const over = await ask(other, attacker())
        assert.deepEqual([over.status, over.body], [429, refused88])
        assertLimited(over, 3)
        assert.equal((await ask(stage, attacker(1))).status, 200)
        assert.equal((await ask(stage, attacker(), otherApp)).status, 200)
        stage.clock.advance(15 * MINUTE_MS)
        assert.equal((await ask(stage, attacker())).status, 200)
      })
    })

  test('the pages by address, as a page that says when to come back', async () => {
    await underLimits('sqlite', OVERRIDES, async (stage) => {
      const { oauth_token } = await askForSignIn(stage)
      for (const name of ['authorize', 'authenticate']) {
        const path = `/oauth/${name}`
        for (let n = 0; n < 4; n++) {
          const page = await atApprovalPage(stage, attacker()).open(oauth_token, '', path)
          assert.deepEqual([page.status, page.headers.get('x-rate-limit-remaining')], [200, String(3 - n)])
        }
        const over = await atApprovalPage(stage, attacker()).open(oauth_token, '', path)
        assert.equal(over.status, 429)
        assert.match(over.text, /<h1>Too Many Requests<\/h1>/)
        assertLimited(over, 4)
        assert.equal((await atApprovalPage(stage, elsewhere).open(oauth_token, '', path)).status, 200)
      }
      for (let n = 0; n < 4; n++) assert.equal((await atApprovalPage(stage, attacker(1)).send({})).status, 400)
      assertLimited(await atApprovalPage(stage, attacker(1)).send({}), 4)
    })
  })

  test('the exchange by app and address, the revocation by app and user', async () => {
    await underLimits('sqlite', { ...OVERRIDES, requestToken: 50 }, async (stage) => {
      const asked = await askForSignIn(stage, demoApp, 'oob')
      for (let n = 0; n < 3; n++) {
        const answer = await exchange(stage, demoApp, asked, '0')
        assert.deepEqual([refusalOf(answer), answer.headers.get('x-rate-limit-limit')], [[401, 32], '3'])
      }
      const over = await exchange(stage, demoApp, asked, '0')
      assert.deepEqual([over.status, over.body], [429, refused88])
      const revoke = await signed(stage, 'POST', '/1.1/oauth/invalidate_token', adas)
      assert.deepEqual(
        [revoke.status, revoke.headers.get('x-rate-limit-limit'), revoke.headers.get('x-rate-limit-remaining')],
        [200, '3', '2'],
      )
    })
  })
})

suite('what the sign-in must not do by itself', () => {
  test('authenticate shows no PIN without approval, though the app was granted before', async () => {
    await using stage = await setStage({ seed: signedInSeed })
    const at = atApprovalPage(stage)
    assert.equal((await at.decide((await askForSignIn(stage)).oauth_token, 'allow')).status, 302)
    const withCallback = await at.open((await askForSignIn(stage)).oauth_token, '', '/oauth/authenticate')
    assert.equal(withCallback.status, 302, 'it is granted: with a callback the browser goes back at once')

    const asked = await askForSignIn(stage, demoApp, 'oob')
    const page = await at.open(asked.oauth_token, '', '/oauth/authenticate')
    assert.deepEqual([page.status, pinOf(page.text)], [200, ''])
    assert.match(page.text, /<button class="main" name="decision" value="allow">Allow<\/button>/)
    const proof = /name="proof" value="([^"]*)"/.exec(page.text)![1]!
    const allowed = await at.send({ oauth_token: asked.oauth_token, proof, decision: 'allow' })
    assert.equal((await exchange(stage, demoApp, asked, pinOf(allowed.text))).status, 200)
  })

  test('a request token without oauth_callback, or with an empty one, is refused with 403 and code 38, whatever the app has', async () => {
    const seed = { ...signedInSeed, apps: [signedInSeed.apps![0]!, { ...otherApp, callback_urls: [] }] }
    await using stage = await setStage({ seed: { ...seed, tokens: [] } })
    const message = '`oauth_callback` is required: a callback URL of the app, or oob'
    for (const app of [demoApp, otherApp]) {
      for (const oauth of [{}, { oauth_callback: '' }] as Record<string, string>[]) {
        const answer = await signed(stage, 'POST', '/oauth/request_token', app, { oauth })
        assert.deepEqual([answer.status, answer.body], [403, { errors: [{ code: 38, message }] }])
      }
      const asJson = await signed(stage, 'POST', '/oauth/request_token?callback=oob', app)
      assert.deepEqual(refusalOf(asJson), [403, 38])
      await askForSignIn(stage, app, 'oob')
    }
    assert.ok(await signIn(stage))
  })
})
