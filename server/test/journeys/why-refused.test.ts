// In development each refusal is explained at a URL of its own; in production it says what it always said, byte by byte.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { allEndpoints } from '../../scripts/all-endpoints.ts'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/lib/time.ts'
import { adsSeed } from '../stage/ads.ts'
import { type Answer, call } from '../stage/call.ts'
import { authorization, type SigningCredentials } from '../stage/oauth-client.ts'
import {
  approvedCode,
  asClient,
  asking,
  atAuthorizationPage,
  basic,
  confidential,
  exchangeCode,
  foreignClient,
  oauth2Seed,
  obtainTokens,
  publicClient,
  REDIRECT,
  refreshWith,
  VERIFIER,
} from '../stage/oauth2.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { askForSignIn, atApprovalPage, exchange, PASSWORD, signed } from '../stage/sign-in.ts'
import { adas, graces, othersAdas, sendSigned, signedInSeed } from '../stage/signed-calls.ts'

const HEADER = 'x-postern-explain'

const READER = 'the-token-of-a-reader-with-enough-characters'
const readOnly = { ...adas, oauth_token: `101-${'r'.repeat(40)}` }
const stopped = {
  id: '7',
  name: 'Stopped',
  consumer_key: 'key-of-a-stopped-app',
  consumer_secret: 'secret-of-a-stopped-app',
  suspended: true,
}

/** The apps of all kinds: one with an OAuth 2.0 client and access to the advertising API, a public client with neither, one that is suspended. */
const seed = {
  ...signedInSeed,
  ...adsSeed,
  apps: [
    { ...signedInSeed.apps![0], ...oauth2Seed.apps![0], permissions: 'read_write_dm', ads_access: true },
    { ...signedInSeed.apps![1], ...oauth2Seed.apps![1], ads_access: false, activity_enrolled: false, permissions: 'read' },
    oauth2Seed.apps![2],
    stopped,
  ],
  tokens: [
    ...signedInSeed.tokens!,
    {
      consumer_key: demoApp.consumer_key,
      user_id: '101',
      oauth_token: readOnly.oauth_token,
      oauth_token_secret: readOnly.oauth_token_secret,
      permissions: 'read',
    },
  ],
} as SeedDocument

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const basicOf = (key: string, secret: string) => `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`

/** Asks for a bearer token. */
const askBearer = (stage: Stage, authorization?: string, body = 'grant_type=client_credentials', headers: Record<string, string> = FORM) =>
  stage.api('POST', '/oauth2/token', { headers: { ...headers, ...(authorization && { authorization }) }, body })

const right = basicOf(demoApp.consumer_key, demoApp.consumer_secret)

const unusedCode = Buffer.from(`${'c'.repeat(43)}:1790000000000:1:1:ac:1`).toString('base64url')
const unusedRefresh = Buffer.from(`${'r'.repeat(43)}:1790000000000:1:1:rt:1`).toString('base64url')
const unusedAccess = Buffer.from(`${'a'.repeat(43)}:1790000000000:1:1:at:1`).toString('base64url')

interface Row {
  name: string
  act: (stage: Stage) => Promise<Answer>
  status: number
  /** What the body says in production, exactly; undefined for a page. */
  body?: unknown
  says: RegExp
}

const CODE_99 = { errors: [{ code: 99, message: 'Unable to verify your credentials', label: 'authenticity_token_error' }] }
const PLAIN_401 = { type: 'about:blank', title: 'Unauthorized', detail: 'Unauthorized', status: 401 }
const oauth2Error = (error: string, error_description: string) => ({ error, error_description })
const MISSING = oauth2Error('unauthorized_client', 'Missing valid authorization header')
const WRONG = oauth2Error('invalid_client', 'The client id or the client secret is wrong.')
const BAD_CODE = oauth2Error('invalid_request', 'Value passed for the authorization code was invalid.')
const BAD_TOKEN = oauth2Error('invalid_request', 'Value passed for the token was invalid.')

const bearerRows: Row[] = [
  {
    name: 'without credentials',
    act: (s) => askBearer(s),
    status: 403,
    body: CODE_99,
    says: /no `Authorization: Basic` header.*user name.*curl -u/,
  },
  { name: 'with a bearer token instead', act: (s) => askBearer(s, 'Bearer abcdefgh'), status: 403, body: CODE_99, says: /not HTTP Basic/ },
  {
    name: 'with Basic that is no base64',
    act: (s) => askBearer(s, 'Basic ???'),
    status: 403,
    body: CODE_99,
    says: /does not hold `key:secret`/,
  },
  {
    name: 'with a key that is unknown',
    act: (s) => askBearer(s, basicOf('nobody', 'nothing')),
    status: 403,
    body: CODE_99,
    says: /No app has this consumer key.*GET \/operator\/apps/,
  },
  {
    name: 'with the OAuth 2.0 client id',
    act: (s) => askBearer(s, basic(confidential)),
    status: 403,
    body: CODE_99,
    says: /OAuth 2.0 client id.*\/2\/oauth2\/token/,
  },
  {
    name: 'with key and secret swapped',
    act: (s) => askBearer(s, basicOf(demoApp.consumer_secret, demoApp.consumer_key)),
    status: 403,
    body: CODE_99,
    says: /swapped/,
  },
  {
    name: 'with a wrong secret',
    act: (s) => askBearer(s, basicOf(demoApp.consumer_key, 'wrong-one')),
    status: 403,
    body: CODE_99,
    says: /consumer secret is wrong.*app Demo.*rotate_secret/,
  },
  {
    name: 'with an empty secret',
    act: (s) => askBearer(s, basicOf(demoApp.consumer_key, '')),
    status: 403,
    body: CODE_99,
    says: /It is empty/,
  },
  {
    name: 'with a secret and a line break',
    act: (s) => askBearer(s, basicOf(demoApp.consumer_key, 'wrong\n')),
    status: 403,
    body: CODE_99,
    says: /white space/,
  },
  {
    name: 'with the client secret of OAuth 2.0',
    act: (s) => askBearer(s, basicOf(demoApp.consumer_key, confidential.secret!)),
    status: 403,
    body: CODE_99,
    says: /OAuth 2.0 client secret/,
  },
  {
    name: 'as a suspended app',
    act: (s) => askBearer(s, basicOf(stopped.consumer_key, stopped.consumer_secret)),
    status: 403,
    body: CODE_99,
    says: /suspended.*PATCH \/operator\/apps\/7 with {"suspended": false}/,
  },
  {
    name: 'without a body',
    act: (s) => askBearer(s, right, '', {}),
    status: 403,
    body: CODE_99,
    says: /no body.*grant_type=client_credentials/,
  },
  {
    name: 'without grant_type in the form',
    act: (s) => askBearer(s, right, 'a=b'),
    status: 403,
    body: CODE_99,
    says: /grant_type is missing from the form/,
  },
  {
    name: 'with another grant_type',
    act: (s) => askBearer(s, right, 'grant_type=password'),
    status: 403,
    body: CODE_99,
    says: /grant_type is password, and must be client_credentials/,
  },
  {
    name: 'with JSON instead of a form',
    act: (s) => askBearer(s, right, '{"grant_type":"client_credentials"}', { 'content-type': 'application/json' }),
    status: 403,
    body: CODE_99,
    says: /application\/json, and must be a form/,
  },
  {
    name: 'to invalidate another token',
    act: (s) => s.api('POST', '/oauth2/invalidate_token', { headers: { ...FORM, authorization: right }, body: 'access_token=AAAAnone' }),
    status: 403,
    body: CODE_99,
    says: /not the current bearer token/,
  },
]

const webhooks = (stage: Stage, authorization?: string) =>
  stage.api('GET', '/2/webhooks', { headers: { ...(authorization && { authorization }) } })
const unsupported = (sent: string, supported = 'OAuth 2.0 Application-Only') => ({
  type: 'ORIGIN/2/problems/unsupported-authentication',
  title: 'Unsupported Authentication',
  detail: `Authenticating with ${sent} is forbidden for this endpoint.  Supported authentication types are [${supported}].`,
  status: 403,
})

const tokenRows: Row[] = [
  {
    name: 'without credentials',
    act: (s) => webhooks(s),
    status: 401,
    body: PLAIN_401,
    says: /no Authorization header.*This endpoint takes: An app-only token/,
  },
  {
    name: 'with an empty token',
    act: (s) => webhooks(s, 'Bearer '),
    status: 401,
    body: PLAIN_401,
    says: /`Bearer` without a token.*may be empty/,
  },
  { name: 'with an unknown scheme', act: (s) => webhooks(s, 'Token abc'), status: 401, body: PLAIN_401, says: /not `Bearer <token>`/ },
  {
    name: 'with a token that is unknown',
    act: (s) => webhooks(s, 'Bearer AAAAnot-a-token'),
    status: 401,
    body: { ...PLAIN_401, errors: [{ code: 89, message: 'Invalid or expired token.' }] },
    says: /not valid.*invalidated.*grant_type=client_credentials/,
  },
  {
    name: 'with any text',
    act: (s) => webhooks(s, 'Bearer some-text'),
    status: 401,
    body: PLAIN_401,
    says: /does not look like any token/,
  },
  {
    name: 'with the operator token',
    act: (s) => webhooks(s, `Bearer ${OPERATOR_TOKEN}`),
    status: 401,
    body: PLAIN_401,
    says: /operator token.*\/operator\//,
  },
  {
    name: 'with a consumer key',
    act: (s) => webhooks(s, `Bearer ${demoApp.consumer_key}`),
    status: 401,
    body: PLAIN_401,
    says: /a key of the app Demo/,
  },
  {
    name: 'with an access token of OAuth 1.0a',
    act: (s) => webhooks(s, `Bearer ${adas.oauth_token}`),
    status: 401,
    body: PLAIN_401,
    says: /OAuth 1.0a.*signed with it/,
  },
  {
    name: 'with a refresh token',
    act: (s) => webhooks(s, `Bearer ${unusedRefresh}`),
    status: 401,
    body: PLAIN_401,
    says: /refresh token.*grant_type=refresh_token/,
  },
  {
    name: 'with HTTP Basic',
    act: (s) => webhooks(s, right),
    status: 403,
    body: unsupported('Basic'),
    says: /Authenticating with Basic.*An app-only token from/,
  },
  {
    name: 'as a user with a token that is unknown',
    act: (s) => s.api('GET', '/2/users/me', { token: unusedAccess }),
    status: 401,
    body: { ...PLAIN_401, errors: [{ code: 89, message: 'Invalid or expired token.' }] },
    says: /no such access token.*not valid/,
  },
  {
    name: 'as a user with the bearer token of an app',
    act: async (s) => s.api('GET', '/2/users/me', { token: await s.token() }),
    status: 403,
    body: unsupported('OAuth 2.0 Application-Only', 'OAuth 1.0a User Context, OAuth 2.0 User Context'),
    says: /takes one of: OAuth 1.0a/,
  },
  {
    name: 'with HTTP Basic where a user must sign',
    act: (s) => s.api('GET', '/1.1/account/verify_credentials.json', { headers: { authorization: right } }),
    status: 400,
    body: { errors: [{ code: 215, message: 'Bad authentication data.' }] },
    says: /HTTP Basic, and this call is made on behalf of a user/,
  },
  {
    name: 'with an operator token that is wrong',
    act: (s) => call(`${s.origins.operator_url}/operator/apps`, 'GET', { token: 'none-of-mine' }),
    status: 401,
    body: {
      type: 'about:blank',
      title: 'Unauthorized',
      detail: 'This is not an operator token of this server.',
      status: 401,
    },
    says: /not an operator token.*\.postern\/operator-token/,
  },
  {
    name: 'with an operator token that may only read',
    act: (s) => call(`${s.origins.operator_url}/operator/users/9`, 'DELETE', { token: READER }),
    status: 403,
    body: {
      type: 'about:blank',
      title: 'Forbidden',
      detail: 'This operator token has the role read, which allows GET; DELETE needs the role operate.',
      status: 403,
    },
    says: /has the role read/,
  },
]

const code = (stage: Stage, form: Record<string, string | undefined>, client = confidential) =>
  asClient(stage, client, { grant_type: 'authorization_code', code: unusedCode, redirect_uri: REDIRECT, code_verifier: VERIFIER, ...form })

const clientRows: Row[] = [
  {
    name: 'without a client',
    act: (s) => s.api('POST', '/2/oauth2/token', { headers: FORM, body: 'grant_type=refresh_token' }),
    status: 401,
    body: MISSING,
    says: /names no client.*curl -u '<client id>:<client secret>'/,
  },
  {
    name: 'with a bearer token instead',
    act: (s) => s.api('POST', '/2/oauth2/token', { token: 'abcdefgh', headers: FORM, body: 'a=b' }),
    status: 401,
    body: MISSING,
    says: /not HTTP Basic/,
  },
  {
    name: 'as a confidential client without its secret',
    act: (s) => code(s, {}, { id: confidential.id }),
    status: 401,
    body: MISSING,
    says: /confidential client.*no `Authorization: Basic` header.*client_secret in the body is not read/,
  },
  {
    name: 'with a client id that is unknown',
    act: (s) => code(s, {}, { id: 'nobody' }),
    status: 401,
    body: MISSING,
    says: /No app has this client id/,
  },
  {
    name: 'with the consumer key as client id',
    act: (s) => code(s, {}, { id: demoApp.consumer_key, secret: 'x' }),
    status: 401,
    body: WRONG,
    says: /consumer key of the app Demo, which has the client id client-one-of-the-tests/,
  },
  {
    name: 'with a wrong client secret',
    act: (s) => code(s, {}, { id: confidential.id, secret: 'wrong' }),
    status: 401,
    body: WRONG,
    says: /client secret is wrong.*rotate_oauth2_client_secret/,
  },
  {
    name: 'with the consumer secret',
    act: (s) => code(s, {}, { id: confidential.id, secret: demoApp.consumer_secret }),
    status: 401,
    body: WRONG,
    says: /This is the consumer secret/,
  },
  {
    name: 'as a public client with a secret',
    act: (s) => code(s, {}, { id: publicClient.id, secret: 'x' }),
    status: 401,
    body: WRONG,
    says: /public client has no secret/,
  },
  {
    name: 'with a code that never was',
    act: (s) => code(s, {}),
    status: 400,
    body: BAD_CODE,
    says: /no such authorization code.*30 seconds/,
  },
  {
    name: 'with no refresh token of this server',
    act: (s) => refreshWith(s, 'some-text'),
    status: 400,
    body: BAD_TOKEN,
    says: /not a refresh token/,
  },
  {
    name: 'with an access token to refresh',
    act: (s) => refreshWith(s, unusedAccess),
    status: 400,
    body: BAD_TOKEN,
    says: /It is an access token/,
  },
]

const adsError = (errorCode: string, message: string) => ({ errors: [{ code: errorCode, message }], request: { params: {} } })
const NO_ADS = 'The client application making this request does not have access to this API'

/** A call of an advertising host, as a proxy passes it on. */
function callAds(
  stage: Stage,
  method: string,
  path: string,
  credentials: SigningCredentials = adas,
  host: 'ads_base_url' | 'ads_sandbox_base_url' = 'ads_base_url',
) {
  const header = authorization({ ...credentials, method, url: stage.publicOrigins[host] + path, nowMs: stage.clock.now() })
  return call(stage.origins[host] + path, method, { headers: { authorization: header, 'x-forwarded-proto': 'https' } })
}

const permissionRows: Row[] = [
  {
    name: 'without ads access',
    act: (s) => callAds(s, 'GET', '/12/accounts', othersAdas),
    status: 403,
    body: adsError('UNAUTHORIZED_CLIENT_APPLICATION', NO_ADS),
    says: /no access to the advertising API.*PATCH \/operator\/apps\/2 with {"ads_access": true}/,
  },
  {
    name: 'with a token that may only read',
    act: (s) => callAds(s, 'POST', '/12/accounts/18ce54d4x5t/campaigns', readOnly),
    status: 403,
    body: adsError('READONLY_CLIENT_APPLICATION', 'The client application making this request, or its access token, may only read'),
    says: /access token read; the call writes.*Sign the user in again/,
  },
  {
    name: 'for an account that is not theirs',
    act: (s) => callAds(s, 'GET', '/12/accounts/abc/campaigns'),
    status: 403,
    body: adsError('ACCOUNT_NOT_FOUND', 'Account abc was not found'),
    says: /User 101 is not a member.*production host.*GET \/12\/accounts/,
  },
  {
    name: 'for an account of the other host',
    act: (s) => callAds(s, 'GET', '/12/accounts/18ce54d4x5t/campaigns', adas, 'ads_sandbox_base_url'),
    status: 403,
    body: adsError('ACCOUNT_NOT_FOUND', 'Account 18ce54d4x5t was not found'),
    says: /is on the production host/,
  },
  {
    name: 'with a signature where a role does not allow it',
    act: (s) => callAds(s, 'POST', '/12/accounts/18ce54d4x5t/campaigns', graces),
    status: 403,
    body: adsError('ACTION_NOT_ALLOWED', 'A member with the role ANALYST may not do this; it takes one of ACCOUNT_ADMIN, AD_MANAGER'),
    says: /role ANALYST/,
  },
  {
    name: 'with too little permission',
    act: (s) =>
      sendSigned(s, {
        ...readOnly,
        method: 'POST',
        path: '/2/users/101/likes',
        sent: { body: '{"post_id":"1"}', headers: { 'content-type': 'application/json', 'x-forwarded-proto': 'https' } },
      }),
    status: 403,
    says: /has the permission read, and the call needs read_write.*Sign|sign the user in again/,
    body: {
      type: 'ORIGIN/2/problems/oauth1-permissions',
      title: 'Forbidden',
      detail: 'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
      status: 403,
    },
  },
  {
    name: 'without being enrolled in the activity API',
    act: async (s) => s.api('GET', '/2/activity/subscriptions', { token: await s.token(otherApp) }),
    status: 403,
    says: /not enrolled.*PATCH \/operator\/apps\/2 with {"activity_enrolled": true}/,
    body: {
      type: 'ORIGIN/2/problems/client-forbidden',
      title: 'Client Forbidden',
      detail: 'This app is not enrolled in the activity API. The operator of this server can enrol it.',
      status: 403,
      reason: 'client-not-enrolled',
      registration_url: 'ORIGIN/docs',
    },
  },
  {
    name: 'without the consent of a user',
    act: async (s) =>
      s.api('POST', '/2/activity/subscriptions', {
        token: await s.token(),
        json: { event_type: 'dm.received', filter: { user_id: '999' } },
      }),
    status: 403,
    says: /User 999 has not granted.*no access token of OAuth 1.0a.*no live grant of OAuth 2.0/,
  },
]

const pageRows: Row[] = [
  {
    name: 'with an unknown client at the OAuth 2.0 page',
    act: (s) => atAuthorizationPage(s).open(asking({ client_id: 'nobody' })),
    status: 400,
    says: /No app has this client_id/,
  },
  {
    name: 'with a redirect_uri that is not registered',
    act: (s) => atAuthorizationPage(s).open(asking({ redirect_uri: 'http://127.0.0.1:3000/callback' })),
    status: 400,
    says: /redirect_uri is http:\/\/127\.0\.0\.1:3000\/callback.*https:\/\/demo\.example\/cb.*PATCH \/operator\/apps\/1 with {"callback_urls":/,
  },
  {
    name: 'with an unknown request token at the page',
    act: (s) => atApprovalPage(s, { 'x-forwarded-proto': 'https' }).open('nothing'),
    status: 403,
    says: /no such request token.*15 minutes/,
  },
  {
    name: 'with a form of no session',
    act: (s) => atApprovalPage(s, { 'x-forwarded-proto': 'https' }).send({ oauth_token: 'nothing', proof: 'x', decision: 'deny' }),
    status: 403,
    says: /no session cookie/,
  },
]

const areas = {
  'asking for a bearer token': bearerRows,
  'calling with a token': tokenRows,
  'a client of OAuth 2.0': clientRows,
  'lacking permission': permissionRows,
  'at a page': pageRows,
}

/** What is explained of an answer, in one line. */
async function explained(answer: Answer): Promise<string> {
  const url = answer.headers.get(HEADER)
  assert.ok(url, `no ${HEADER}: ${answer.status} ${answer.text}`)
  const json = await call(url, 'GET', { headers: { accept: 'application/json' } })
  assert.deepEqual([json.status, json.headers.get('content-type')], [200, 'application/json; charset=utf-8'])
  const page = await call(url, 'GET')
  assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html;charset=utf-8'])
  assert.ok(json.body.data.answer.includes(String(answer.status)) || /^code \d/.test(json.body.data.answer), json.text)
  return json.body.data.explanation.join(' ')
}

const production = {
  POSTERN_PROFILE: 'production',
  POSTERN_SECRET: SECRET,
  POSTERN_OPERATOR_PORT: '0',
  POSTERN_OPERATOR_TOKENS: `looking:read:${READER}`,
}

/** Headers that are those of one moment. */
const PASSING = ['date', 'x-rate-limit-reset', 'x-account-rate-limit-reset', 'x-rate-limit-remaining']

const plainOf = (stage: Stage, { status, headers, text }: Answer) => {
  const origins = [
    stage.publicOrigins.base_url,
    stage.publicOrigins.ads_base_url,
    stage.publicOrigins.ads_sandbox_base_url,
    stage.publicOrigins.operator_url,
  ]
  const plain = (value: string) => origins.reduce((rest, origin) => rest.replaceAll(origin, 'ORIGIN'), value)
  return {
    status,
    headers: Object.fromEntries(
      [...headers]
        .filter(([name]) => !PASSING.includes(name) && name !== HEADER)
        .map(([name, value]) => [name, name === 'content-length' ? '' : plain(value)]),
    ),
    text: plain(text),
  }
}

suite('in development a refusal is explained', () => {
  let stage: Stage
  before(async () => {
    stage = await setStage({ seed, environment: { POSTERN_OPERATOR_TOKENS: `looking:read:${READER}`, POSTERN_RATE_LIMITS: 'off' } })
  })
  after(() => stage[Symbol.asyncDispose]())

  for (const [area, rows] of Object.entries(areas))
    for (const { name, act, status, says } of rows)
      test(`${area}: ${name}`, async () => {
        const answer = await act(stage)
        assert.equal(answer.status, status, answer.text)
        assert.match(await explained(answer), says)
      })

  test('of codes: used twice, expired, of another app, with another redirect_uri, with another verifier', async () => {
    const used = await approvedCode(stage)
    assert.equal((await exchangeCode(stage, used)).status, 200)
    assert.match(await explained(await exchangeCode(stage, used)), /was exchanged before.*followed twice/)

    const fresh = await approvedCode(stage)
    assert.match(
      await explained(await exchangeCode(stage, fresh, {}, foreignClient)),
      /was given to another app\. Exchange it with the client id of the authorization request\./,
    )
    const elsewhere = await exchangeCode(stage, fresh, { redirect_uri: 'https://other.example/cb' })
    assert.match(
      await explained(elsewhere),
      /redirect_uri is https:\/\/other\.example\/cb, and the authorization request had https:\/\/demo\.example\/cb/,
    )
    assert.match(
      await explained(await exchangeCode(stage, fresh, { code_verifier: 'x'.repeat(43) })),
      /not that of the code_challenge.*method was S256/,
    )
    stage.clock.advance(31_000)
    assert.match(await explained(await exchangeCode(stage, fresh)), /has expired: it is valid for 30 seconds/)

    const plain = await approvedCode(stage, { code_challenge_method: undefined })
    assert.match(await explained(await exchangeCode(stage, plain)), /had the method plain.*made with S256.*Without code_challenge_method/)
    const hashed = await approvedCode(stage, { code_challenge: VERIFIER })
    assert.match(await explained(await exchangeCode(stage, hashed)), /had the method S256.*made with plain.*BASE64URL/)
  })

  test('of tokens of users: expired, without a scope, refreshed twice', async () => {
    const { access_token, refresh_token } = await obtainTokens(stage)
    const needsScope = await stage.api('POST', '/2/posts', { token: access_token, json: { text: 'Ahoy' } })
    assert.deepEqual(
      [needsScope.status, needsScope.headers.get('www-authenticate')],
      [403, 'Bearer realm="postern", error="insufficient_scope", scope="post.read post.write users.read"'],
    )
    assert.match(
      await explained(needsScope),
      /not have the scope post\.write\. It has: post\.read, users\.read, offline\.access\. The call needs: post\.read, post\.write, users\.read/,
    )
    stage.clock.advance(2 * HOUR_MS)
    assert.match(await explained(await stage.api('GET', '/2/users/me', { token: access_token })), /expired at .*two hours.*offline\.access/)
    assert.equal((await refreshWith(stage, refresh_token)).status, 200)
    assert.match(await explained(await refreshWith(stage, refresh_token)), /replaced a moment ago/)
    stage.clock.advance(MINUTE_MS)
    assert.match(await explained(await refreshWith(stage, refresh_token)), /used before, and its grant has ended/)
  })

  test('of callbacks that are not registered, on the page too', async () => {
    const page = await atAuthorizationPage(stage).open(asking({ redirect_uri: 'http://127.0.0.1:3000/callback' }))
    for (const said of ['http://127.0.0.1:3000/callback', REDIRECT, 'PATCH /operator/apps/1'])
      assert.ok(page.text.includes(said), page.text)
    const asked = { oauth: { oauth_callback: 'http://127.0.0.1:3000/callback' } }
    const answer = await signed(stage, 'POST', '/oauth/request_token', demoApp, asked)
    assert.equal(answer.status, 403)
    assert.match(answer.body.errors[0].message, /Registered for this app: https:\/\/demo\.example\/cb/)
    assert.match(
      await explained(answer),
      /oauth_callback is http:\/\/127\.0\.0\.1:3000\/callback.*PATCH \/operator\/apps\/1 with {"callback_urls":\[.*"http:\/\/127\.0\.0\.1:3000\/callback"\]}/,
    )
  })

  test('of a verifier that is wrong, and of a page whose request token was allowed', async () => {
    const asked = await askForSignIn(stage, demoApp, 'oob')
    assert.match(await explained(await exchange(stage, demoApp, asked, 'none')), /has not allowed this request token yet/)
    const page = atApprovalPage(stage)
    assert.equal((await page.decide(asked.oauth_token, 'allow')).status, 200)
    assert.match(await explained(await exchange(stage, demoApp, asked, 'none')), /not that of this request token/)
    assert.match(await explained(await page.open(asked.oauth_token)), /was allowed before/)
  })

  test('of a wrong password', async () => {
    const { oauth_token } = await askForSignIn(stage, demoApp, 'oob')
    const answer = await atApprovalPage(stage).decide(oauth_token, 'allow', { username: 'ada', password: `${PASSWORD}er` })
    assert.equal(answer.status, 401)
    assert.match(await explained(answer), /username and password do not match/)
  })

  test('of a foreign Host header', async () => {
    const { http } = { http: await import('node:http') }
    const { hostname, port } = new URL(stage.origins.base_url)
    const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
      http
        .get({ hostname, port, path: '/2/webhooks', headers: { host: 'evil.example' } }, (response) => {
          response.resume().on('end', () => resolve({ status: response.statusCode, explain: response.headers[HEADER] }))
        })
        .on('error', reject)
    })
    assert.equal(headers.status, 403)
    const json = await call(String(headers.explain), 'GET', { headers: { accept: 'application/json' } })
    assert.match(json.body.data.explanation[0], /not a name of this server/)
  })

  test('of a call of a user that has no credentials, with those that the endpoint takes', async () => {
    const answer = await stage.api('GET', '/2/users/me')
    assert.match(
      await explained(answer),
      /no OAuth 1\.0a parameters\. This endpoint takes one of: OAuth 1\.0a, HMAC-SHA1.*An access token of a user/,
    )
    const page = await (await fetch(answer.headers.get(HEADER)!)).text()
    assert.match(page, /<title>Why this call was refused<\/title>/)
    const old = await stage.api('GET', '/1.1/account/verify_credentials.json')
    assert.deepEqual([old.status, old.body], [400, { errors: [{ code: 215, message: 'Bad authentication data.' }] }])
    assert.match(await explained(old), /This endpoint takes: OAuth 1\.0a/)
  })

  test('of every endpoint that is called without credentials', async () => {
    const isAsked = ({ area, auth, path }: (typeof allEndpoints)[number]) =>
      area !== 'pages' && auth.name !== null && !path.startsWith('/operator')
    for (const { method, path, area, sandboxOnly } of allEndpoints.filter(isAsked)) {
      const origin = area !== 'ads' ? stage.origins.base_url : sandboxOnly ? stage.origins.ads_sandbox_base_url : stage.origins.ads_base_url
      const answer = await call(origin + path.replace(/:\w+/g, '1'), method)
      assert.ok([400, 401, 403].includes(answer.status), `${method} ${path}: ${answer.status} ${answer.text}`)
      if (answer.status !== 400) assert.ok(answer.headers.get(HEADER), `${method} ${path}: ${answer.text}`)
    }
  })

  test('of a signature with the token of a disabled user, which is answered like any other', async () => {
    await using own = await setStage({ seed })
    const before = await sendSigned(own, { oauth_token: `101-${'x'.repeat(40)}` })
    assert.equal((await own.operator('PATCH', '/operator/users/101', { disabled: true })).status, 200)
    const answer = await sendSigned(own)
    assert.deepEqual([answer.status, answer.text], [before.status, before.text])
    assert.match(await explained(answer), /user of the oauth_token is disabled/)
  })

  test('of a path that another host has, and of a version that is not served', async () => {
    const { base_url, ads_base_url, ads_sandbox_base_url } = stage.origins
    const onGeneral = await call(`${base_url}/12/accounts`, 'GET')
    assert.equal(onGeneral.status, 404)
    assert.match(await explained(onGeneral), new RegExp(`The advertising host has this path: call it at ${ads_base_url}\\.`))
    const onAds = await call(`${ads_base_url}/2/users/me`, 'GET')
    assert.match(await explained(onAds), new RegExp(`The general host has this path: call it at ${base_url}\\.`))
    const sandboxOnly = await call(`${base_url}/12/accounts/abc/features`, 'GET')
    assert.match(await explained(sandboxOnly), new RegExp(`at (${ads_base_url}|${ads_sandbox_base_url})\\.`))
    const version = await call(`${ads_base_url}/11/accounts`, 'GET')
    assert.equal(version.status, 403)
    assert.match(await explained(version), /serve \/12\//)
    assert.equal((await call(`${base_url}/nowhere`, 'GET')).headers.get(HEADER), null)
  })

  test('and shown to nobody but this machine', async () => {
    const elsewhere = { 'x-forwarded-for': '198.51.100.7' }
    const there = await stage.api('GET', '/2/webhooks', { headers: elsewhere })
    assert.deepEqual([there.status, there.headers.get(HEADER)], [401, null])
    const here = (await webhooks(stage)).headers.get(HEADER)!
    assert.equal((await call(here, 'GET', { headers: elsewhere })).status, 404)
    assert.equal((await call(here, 'GET')).status, 200)
  })

  test('without a secret or a complete token', async () => {
    const secrets = [
      demoApp.consumer_secret,
      confidential.secret!,
      OPERATOR_TOKEN,
      adas.oauth_token,
      'secret-guessed-by-somebody',
      'AAAAguessed-by-somebody',
      unusedCode,
    ]
    const answers = [
      await askBearer(stage, basicOf('secret-guessed-by-somebody', demoApp.consumer_secret)),
      await askBearer(stage, basicOf(demoApp.consumer_secret, 'x')),
      await askBearer(stage, right, `grant_type=${encodeURIComponent(demoApp.consumer_secret)}&client_secret=${demoApp.consumer_secret}`),
      await webhooks(stage, `Bearer ${OPERATOR_TOKEN}`),
      await webhooks(stage, 'Bearer AAAAguessed-by-somebody'),
      await webhooks(stage, `Bearer ${adas.oauth_token}`),
      await stage.api('GET', `/2/webhooks?access_token=AAAAguessed-by-somebody`),
      await code(stage, { redirect_uri: `https://demo.example/cb?code=${unusedCode}` }),
      await code(stage, {}, { id: confidential.id, secret: 'secret-guessed-by-somebody' }),
    ]
    for (const answer of answers) {
      const url = answer.headers.get(HEADER)!
      const said = [
        await (await fetch(url)).text(),
        JSON.stringify(await (await fetch(url, { headers: { accept: 'application/json' } })).json()),
      ]
      for (const secret of secrets) for (const text of said) assert.ok(!text.includes(secret), `${secret} is in ${text}`)
    }
  })
})

test('the PATCH that an explanation names is taken, and gives the app what it lacks', async () => {
  const lacking = { ads_access: false, early_access: [], activity_enrolled: false } as const
  const [app, ...others] = seed.apps!
  await using stage = await setStage({ seed: { ...seed, apps: [{ ...app!, ...lacking }, ...others] } as SeedDocument })
  const told: string[] = []
  const follow = async (act: () => Promise<Answer>) => {
    for (let answer = await act(); answer.status === 403; answer = await act()) {
      const says = await explained(answer)
      const [, path = '', body = ''] = /PATCH (\/operator\/apps\/1) with ({.*?})/.exec(says) ?? assert.fail(says)
      assert.ok(!told.includes(body), `${body} did not help: ${says}`)
      told.push(body)
      const changed = await stage.operator('PATCH', path, JSON.parse(body))
      assert.equal(changed.status, 200, changed.text)
    }
  }
  for (const path of ['product_catalogs', 'accounts/18ce54d4x5t/account_history']) await follow(() => callAds(stage, 'GET', `/12/${path}`))
  await follow(async () => stage.api('GET', '/2/activity/subscriptions', { token: await stage.token() }))
  assert.deepEqual(
    told.map((body) => JSON.parse(body)),
    [{ ads_access: true }, { early_access: ['catalogs'] }, { early_access: ['catalogs', 'account_history'] }, { activity_enrolled: true }],
  )
})

test('in production a refusal says what it says in development without the explanation, byte by byte', async () => {
  await using there = await setStage({ seed, environment: { ...production, POSTERN_RATE_LIMITS: 'off' } })
  await using here = await setStage({
    seed,
    environment: { POSTERN_OPERATOR_TOKENS: `looking:read:${READER}`, POSTERN_RATE_LIMITS: 'off' },
  })
  const headerNames = new Set<string>()
  for (const [area, rows] of Object.entries(areas))
    for (const { name, act, status, body } of rows) {
      const [hidden, shown] = [await act(there), await act(here)]
      assert.equal(hidden.headers.get(HEADER), null, name)
      assert.equal(hidden.status, status, `${area}: ${name}: ${hidden.text}`)
      const plain = plainOf(there, hidden)
      if (body !== undefined) assert.equal(plain.text, JSON.stringify(body), `${area}: ${name}`)
      const isPageWithCallbacks = name === 'with a redirect_uri that is not registered'
      if (isPageWithCallbacks) assert.doesNotMatch(plain.text, /demo\.example|127\.0\.0\.1/)
      else assert.deepEqual(plain, plainOf(here, shown), `${area}: ${name}`)
      for (const header of hidden.headers.keys()) headerNames.add(header)
    }
  assert.deepEqual([...headerNames].sort(), [
    ...['api-version', 'cache-control', 'connection', 'content-length', 'content-security-policy', 'content-type', 'date', 'keep-alive'],
    ...[
      'pragma',
      'referrer-policy',
      'www-authenticate',
      'x-access-level',
      'x-content-type-options',
      'x-current-api-version',
      'x-frame-options',
    ],
  ])
  const callback = await signed(there, 'POST', '/oauth/request_token', demoApp, {
    oauth: { oauth_callback: 'http://127.0.0.1:3000/callback' },
    headers: { 'x-forwarded-proto': 'https' },
  })
  assert.equal(
    callback.text,
    '{"errors":[{"code":415,"message":"Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings"}]}',
  )
})
