// Walks the map: what every endpoint promises because of how it is declared. A new endpoint is covered by being in the map.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { adsEndpoints, developmentEndpoints, generalEndpoints, operatorEndpoints } from '../scripts/all-endpoints.ts'
import { areas } from '../src/api/areas.ts'
import type { Endpoint } from '../src/api/declare/endpoint.ts'
import { notNull, object, type TSchema } from '../src/api/declare/words.ts'
import type { SeedDocument } from '../src/endpoints/operator/seed/seed-document.ts'
import { MAX_LONG } from '../src/lib/numbers.ts'
import { ACCOUNT, adsSeed } from './stage/ads.ts'
import { type Answer, call } from './stage/call.ts'
import { cases, isSlowLane } from './stage/cases.ts'
import { authorization, type SigningCredentials } from './stage/oauth-client.ts'
import { demoApp, OPERATOR_TOKEN, type Stage, setStage } from './stage/postern.ts'
import { askForSignIn, signIn } from './stage/sign-in.ts'

const endpoints = [...generalEndpoints, ...adsEndpoints, ...operatorEndpoints, ...developmentEndpoints] as unknown as readonly Endpoint[]

interface Word {
  type?: string
  enum?: string[]
  minLength?: number
  maxLength?: number
  minimum?: number
  long?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  items?: Word
}

/** The OAuth 2.0 client of the first app, named as an app is. */
const oauth2Client = { ...demoApp, consumer_key: 'client-of-the-tests', consumer_secret: 'secret-of-the-client-of-the-tests' }

let stage: Stage
before(async () => {
  const withClient = (app: object) => ({
    ...app,
    oauth2_client_id: oauth2Client.consumer_key,
    oauth2_client_type: 'confidential',
    oauth2_client_secret: oauth2Client.consumer_secret,
  })
  const [first, ...others] = adsSeed.apps ?? []
  const seed = { ...adsSeed, apps: [withClient(first!), ...others] } as SeedDocument
  stage = await setStage({ environment: { POSTERN_RATE_LIMITS: 'off' }, seed })
})
after(() => stage[Symbol.asyncDispose]())

const basic = ({ consumer_key, consumer_secret }: typeof demoApp) =>
  `Basic ${Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64')}`

interface Sent {
  method: string
  /** With the origin. */
  url: string
  form: Record<string, string>
}

/** A kind of credentials: what makes them, and what an endpoint answers that gets none, those of another kind, or wrong ones. */
interface CredentialCase {
  right(request: Sent): Promise<string>
  none: { status: number; code?: number | string }
  other(): Promise<string>
  otherStatus: number
  wrong(request: Sent): Promise<string>
  wrongStatus: number
}

/** The user of the endpoint that is tested, who signs in once where no call takes a token away. */
let signedIn: Promise<SigningCredentials> | undefined
let keepsTokens = false
const aUser = () => {
  if (!keepsTokens) return signIn(stage)
  signedIn ??= signIn(stage)
  return signedIn
}

const bearer = async () => `Bearer ${await stage.token()}`
const wrongBearer = async () => 'Bearer wrong'
const sign = ({ method, url, form }: Sent, credentials: SigningCredentials) => authorization({ ...credentials, method, form, url })

/** All that sign are refused alike. */
const signing = (credentials: () => Promise<SigningCredentials>) => ({
  right: async (request: Sent) => sign(request, await credentials()),
  wrong: async (request: Sent) => sign(request, { ...(await credentials()), consumer_secret: 'wrong' }),
  wrongStatus: 401,
  none: { status: 400, code: 215 },
})

const credentialCases: Record<string, CredentialCase> = {
  bearerToken: {
    right: bearer,
    none: { status: 401 },
    wrong: wrongBearer,
    wrongStatus: 401,
    other: async () => basic(demoApp),
    otherStatus: 403,
  },
  appOrUser: {
    right: bearer,
    none: { status: 401 },
    wrong: wrongBearer,
    wrongStatus: 401,
    other: async () => basic(demoApp),
    otherStatus: 403,
  },
  appPassword: {
    right: async () => basic(demoApp),
    none: { status: 403, code: 99 },
    other: bearer,
    otherStatus: 403,
    wrong: async () => basic({ ...demoApp, consumer_secret: 'wrong' }),
    wrongStatus: 403,
  },
  operatorToken: {
    right: async () => `Bearer ${OPERATOR_TOKEN}`,
    none: { status: 401 },
    wrong: wrongBearer,
    wrongStatus: 401,
    other: bearer,
    otherStatus: 401,
  },
  signedApp: { ...signing(async () => demoApp), other: bearer, otherStatus: 400 },
  signedRequestToken: {
    ...signing(async () => ({ ...demoApp, ...(await askForSignIn(stage)) })),
    other: bearer,
    otherStatus: 400,
  },
  ...Object.fromEntries(
    ['adsUser', 'accountMember'].map((name) => [
      name,
      { ...signing(aUser), none: { status: 401, code: 'UNAUTHORIZED_ACCESS' }, other: bearer, otherStatus: 401 },
    ]),
  ),
  oauth2Client: {
    right: async () => basic(oauth2Client),
    none: { status: 401, code: 'unauthorized_client' },
    other: bearer,
    otherStatus: 401,
    wrong: async () => basic({ ...oauth2Client, consumer_secret: 'wrong' }),
    wrongStatus: 401,
  },
  ...Object.fromEntries(['signedUser', 'anyUser'].map((name) => [name, { ...signing(aUser), other: bearer, otherStatus: 403 }])),
}

type Values = Record<string, unknown>

const asText = (values: Values) =>
  new URLSearchParams(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)]),
  ).toString()

function write(endpoint: Endpoint, values: Values): { path: string; body?: string; headers: Record<string, string> } {
  const inPath = new Set(endpoint.pathNames)
  const rest = Object.fromEntries(Object.entries(values).filter(([name]) => !inPath.has(name)))
  const path = endpoint.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(name === 'account_id' ? ACCOUNT : values[name])))
  if (endpoint.place === 'body') return { path, body: JSON.stringify(rest), headers: { 'content-type': 'application/json' } }
  if (endpoint.rawBody) return { path, body: JSON.stringify(endpoint.rawBody.example), headers: { 'content-type': 'application/json' } }
  if (endpoint.place === 'form') return { path, body: asText(rest), headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  return { path: Object.keys(rest).length > 0 ? `${path}?${asText(rest)}` : path, headers: {} }
}

interface More {
  authorization?: CredentialCase['right']
  body?: string | Buffer
  headers?: Record<string, string>
  /** Behind the path. */
  ending?: string
}

const nothing = async () => ''

/** Everything of the advertising API is on the sandbox host, where the stage's account is not; what is not for it alone is on production. */
const originOf = ({ area, sandboxOnly }: Endpoint) =>
  area !== 'ads' ? stage.origins.base_url : sandboxOnly ? stage.origins.ads_sandbox_base_url : stage.origins.ads_base_url

/** Their answers have no end, or are sent as they are read. */
const ENDLESS = new Set(['streamActivity', 'openFeed', 'exportAudit'])

async function send(endpoint: Endpoint, values: Values, more: More = {}): Promise<Answer> {
  const { path: written, body, headers } = write(endpoint, values)
  const path = written.replace(/(?=\?|$)/, more.ending ?? '')
  const authorize = more.authorization ?? credentialCases[endpoint.auth.name ?? '']?.right ?? nothing
  const form = endpoint.place === 'form' ? Object.fromEntries(new URLSearchParams(body)) : {}
  const url = originOf(endpoint) + path
  const authorization = await authorize({ method: endpoint.method, url, form })
  const sent = { headers: { ...headers, authorization, ...more.headers }, body: more.body ?? body }
  const beginning = ENDLESS.has(endpoint.name) ? await call(url, 'HEAD', sent) : undefined
  // The answer of a stream has no end.
  return beginning?.status === 200 ? beginning : call(url, endpoint.method, sent)
}

/** Refusals that say nothing about parameters: they come before these are read. */
const BEFORE_READING = new Set([401, 405, 413, 415, 429])

const mistakesOf = ({ body }: Answer): { message: string; parameter?: string; parameters?: Record<string, string[]> }[] =>
  body?.errors ?? []

const isNamed = (answer: Answer, name: string) =>
  mistakesOf(answer).some(
    ({ parameter, parameters = {} }) =>
      parameter === name || Object.keys(parameters).some((key) => key === name || key.startsWith(`${name}.`)),
  )

/** Whether refusals are problems. */
const hasProblems = (area: Endpoint['area']) => area === 'v2' || area === 'operator'

/** Whether its refusals name parameters, and the stage has what it is about. */
const isNameable = ({ area, sandboxOnly, pathNames }: Endpoint) =>
  hasProblems(area) || (area === 'ads' && !(sandboxOnly && pathNames.includes('account_id')))

const required = (endpoint: Endpoint) =>
  ((object(endpoint.params) as { required?: string[] }).required ?? []).filter((name) => !endpoint.pathNames.includes(name))

/** What may be null is checked as the word that it is otherwise; an id in a path of the advertising hosts is not a parameter but absent. */
const wordsOf = (endpoint: Endpoint) =>
  Object.entries(endpoint.params)
    .filter(([name]) => endpoint.area !== 'ads' || !endpoint.pathNames.includes(name))
    .map(([name, word]) => [name, notNull(word).word] as unknown as [string, Word])

/** Bodies that are refused whatever the endpoint, with what the reason says. */
const malformedBodies: [body: string | Buffer, says: RegExp][] = [
  ['{"a":', /not valid JSON/],
  ['[]', /array found, object expected/],
  ['null', /null found, object expected/],
  ['{"a":1,"a":2}', /repeats a member name/],
  ['{"a":1,"\\u0061":2}', /repeats a member name/],
  ['{"__proto__":1}', /__proto__/],
  ['{"a":"\\u0000"}', /U\+0000/],
  ['{"a":"\\ud800"}', /lone surrogate/],
  [Buffer.from([0x7b, 0xff, 0x7d]), /not valid UTF-8/],
]
/** An endpoint tries some of them, the next one others: one parser reads them for all. */
const someOf = <T>(all: readonly T[], place: number) => all.filter((_, at) => (at + place) % cases(3, 1) === 0)

/** Values on the right and on the wrong side of each limit that a word declares. */
function edges(word: Word, place: number): { right: unknown[]; wrong: unknown[] } {
  const right: unknown[] = []
  const wrong: unknown[] = []
  const free = word.type === 'string' && !word.pattern && !word.enum
  const letters = (count: number) => 'x'.repeat(count)
  const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1))
  const edge = (limit: unknown, inside: unknown, outside: unknown) => {
    if (limit === undefined) return
    right.push(inside)
    wrong.push(outside)
  }
  if (free) edge(word.maxLength, letters(word.maxLength ?? 0), letters((word.maxLength ?? 0) + 1))
  if (free && (word.minLength ?? 0) > 1) wrong.push(letters(word.minLength! - 1))
  if (word.type === 'integer') {
    edge(word.maximum, word.maximum, word.maximum! + 1)
    edge(word.minimum, word.minimum, word.minimum! - 1)
    wrong.push('many')
  }
  if (word.long !== undefined) {
    right.push(word.long, MAX_LONG)
    wrong.push(word.long - 1, MAX_LONG + 1n, 'many')
  }
  if (word.pattern) wrong.push('not like this: at all')
  if (word.enum) {
    right.push(...someOf(word.enum, place))
    wrong.push('no such value')
  }
  edge(word.items?.enum, word.items?.enum, ['no such value'])
  if (word.items?.pattern === '^[0-9]{1,19}$') edge(word.maxItems, ids(word.maxItems ?? 0), ids((word.maxItems ?? 0) + 1))
  return { right, wrong }
}

const kinds = new Set<string>()

/** Whether an endpoint is the first of those that are read, authorised and routed by the same code: here it stands for all of them. */
function standsForItsKind({ area, method, place, auth, pathNames, sandboxOnly, bodyLimitBytes }: Endpoint): boolean {
  const kind = JSON.stringify([area, method, place, auth.name, pathNames.length, sandboxOnly, bodyLimitBytes])
  const isFirst = !kinds.has(kind)
  kinds.add(kind)
  return isFirst
}

const tried = new Set<string>()

/** Whether another endpoint has the same parameter, which the same code reads: cursors, counts, ids. */
function wasTried({ area, place }: Endpoint, parameter: string, word: Word): boolean {
  const key = JSON.stringify([area, place, parameter, word])
  const was = tried.has(key)
  tried.add(key)
  return was
}

for (const [place, endpoint] of endpoints.entries()) {
  const hasAllTests = standsForItsKind(endpoint) || isSlowLane
  const { name, example, area } = endpoint
  describe(`${endpoint.method} ${endpoint.path}`, () => {
    before(() => {
      signedIn = undefined
      keepsTokens = area === 'ads' || area === 'v2'
    })
    const kind = credentialCases[endpoint.auth.name ?? '']
    if (kind) {
      test('a request without credentials is rejected, with the revision of the API', async () => {
        const answer = await send(endpoint, example, { authorization: nothing })
        // The revision of the description that it follows.
        if (endpoint.path.startsWith('/2/')) assert.equal(answer.headers.get('api-version'), '2.165')
        if (area === 'oauth2') return assert.deepEqual([answer.status, answer.body.error], [kind.none.status, kind.none.code])
        if (!hasProblems(area)) return assert.deepEqual([answer.status, answer.body.errors[0].code], [kind.none.status, kind.none.code])
        assert.equal(answer.status, kind.none.code === undefined ? kind.none.status : 401)
        assert.equal(answer.headers.get('content-type'), 'application/problem+json')
      })

      if (hasAllTests) {
        test('another kind of credentials is rejected', async () => {
          assert.equal((await send(endpoint, example, { authorization: kind.other })).status, kind.otherStatus)
        })

        test('wrong credentials are rejected', async () => {
          assert.equal((await send(endpoint, example, { authorization: kind.wrong })).status, kind.wrongStatus)
        })
      }
    }

    if (isNameable(endpoint)) {
      test('each missing required parameter is named', async () => {
        for (const missing of required(endpoint)) {
          const { [missing]: _, ...rest } = example
          const answer = await send(endpoint, rest)
          assert.equal(answer.status, 400, `${name} without ${missing}: ${answer.text}`)
          assert.ok(isNamed(answer, missing), answer.text)
        }
      })

      test('each limit and enumeration value is accepted, and one beyond it is rejected by name', async () => {
        for (const [parameter, word] of wordsOf(endpoint)) {
          if (wasTried(endpoint, parameter, word) && !isSlowLane) continue
          const { right, wrong } = edges(word, place)
          for (const value of right) {
            const answer = await send(endpoint, { ...example, [parameter]: value })
            assert.ok(
              answer.status < 500 && !BEFORE_READING.has(answer.status) && !(answer.status >= 400 && isNamed(answer, parameter)),
              `${parameter}=${value}: ${answer.status} ${answer.text.slice(0, 1000)}`,
            )
          }
          for (const value of wrong) {
            const answer = await send(endpoint, { ...example, [parameter]: value })
            assert.equal(answer.status, 400, `${parameter}=${value}: ${answer.text}`)
            assert.ok(isNamed(answer, parameter), answer.text)
          }
        }
      })
    }

    test(`an unknown parameter is ${areas[area].parameters.unknown}`, async () => {
      const isIgnored = areas[area].parameters.unknown === 'ignored'
      if (isIgnored) await send(endpoint, example) // what it creates or deletes, it does once
      const answer = await send(endpoint, { ...example, no_such_parameter: 'x' })
      if (isIgnored) return assert.deepEqual(answer.status, (await send(endpoint, example)).status)
      assert.equal(answer.status, 400)
      assert.ok(isNamed(answer, 'no_such_parameter'), answer.text)
    })

    if (endpoint.place === 'body') {
      test('a body that is not JSON, not an object, not declared as JSON, or has a repeated name is rejected with the reason', async () => {
        // Where numeric codes are answered, code 38 comes with 403.
        const malformed = area === 'sign_in' ? 403 : 400
        const refused = async (body: string | Buffer, says: RegExp, headers = {}, status = malformed) => {
          const answer = await send(endpoint, example, { body, headers })
          assert.equal(answer.status, status, `${body}: ${answer.text}`)
          assert.match(answer.body.errors[0].message, says)
        }
        for (const [body, says] of someOf(malformedBodies, place)) await refused(body, says, {}, typeof body === 'string' ? malformed : 400)
        const isPlain = { 'content-type': 'text/plain' }
        await refused(JSON.stringify(example), /content-type (of )?application\/json/, isPlain, area === 'ads' ? 415 : malformed)
      })
    }

    if (hasAllTests && endpoint.place !== 'query') {
      test('a body over its limit is rejected', async () => {
        if (endpoint.bodyLimitBytes > 1_000_000) return
        assert.equal((await send(endpoint, example, { body: 'x'.repeat(endpoint.bodyLimitBytes + 1) })).status, 413)
      })
    }

    test('another method is answered with 405 and the allowed methods', async () => {
      const answer = await call(originOf(endpoint) + write(endpoint, example).path, 'OPTIONS')
      assert.equal(answer.status, 405)
      const allowed = answer.headers.get('allow')
      assert.ok(allowed?.includes(endpoint.method), `Allow: ${allowed}`)
    })

    if (hasAllTests) {
      test('with a trailing slash it answers as without', async () => {
        await send(endpoint, example) // what it creates or deletes, it does once
        const plain = await send(endpoint, example)
        const slashed = await send(endpoint, example, { ending: '/' })
        assert.equal(slashed.status, plain.status, slashed.text)
        // Where there is no such path, the answer is about that.
        if (plain.status === 404) assert.deepEqual(slashed.body, plain.body)
      })
    }

    if (!kind && endpoint.path.startsWith('/2/') && area !== 'pages') {
      test('every response has the revision of the description that it follows', async () => {
        assert.equal((await send(endpoint, example, { authorization: nothing })).headers.get('api-version'), '2.165')
      })
    }
  })
}

test('the generated tests can produce every parameter type and every kind of credentials of a declared endpoint', () => {
  for (const { name, auth } of endpoints) assert.ok(auth.name === null || credentialCases[auth.name], `${name}: ${auth.name}`)
  for (const endpoint of endpoints)
    for (const name of required(endpoint)) assert.ok(endpoint.example[name] !== undefined, `${endpoint.name}: ${name} has no example`)
  for (const endpoint of endpoints)
    for (const name of endpoint.pathNames) assert.ok(endpoint.params[name] as TSchema, `${endpoint.name}: ${name}`)
})
