import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { appBearer } from '../../src/access/app-bearer.ts'
import { appPassword } from '../../src/access/app-password.ts'
import { operator } from '../../src/access/operator.ts'
import { createOperatorOf } from '../../src/access/operator-of.ts'
import { createOperatorSessions } from '../../src/access/operator-sessions.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import { createSeal } from '../../src/lib/seal.ts'
import { cases } from '../stage/cases.ts'
import { unlimited } from '../stage/unlimited.ts'
import { anApp, type Opened, opened } from '../storage/samples.ts'

let database: Opened
before(async () => {
  database = await opened('sqlite')
})
after(() => database[Symbol.asyncDispose]())

const asking = (authorization: string) => ({
  method: 'GET',
  target: '/',
  query: '',
  pathParams: {},
  headers: { authorization },
  body: null,
  remoteAddress: '',
})

const tokens = [{ name: null, role: 'operate', token: 'the operator token' }] as const
const operatorOf = createOperatorOf(tokens)
const operatorSessions = createOperatorSessions({ seal: createSeal(['a secret']), tokens, machineNow: () => 0, takesHere: false })
const portals = {} as never

const services = () => ({
  ...database.storage,
  dialect: dialects.spec,
  now: () => 0,
  originOf: () => ({ scheme: 'https' as const, address: '', origins: ['https://api.example.com'] }),
  refused: () => undefined,
  reportRefused: () => {},
  failedAttempts: unlimited(database.storage.rateWindows),
})

const NO_SCOPES = { scopes: [] }

const ways = {
  bearer: (header: string) => appBearer.authenticate(asking(header), services(), NO_SCOPES),
  basic: (header: string) => appPassword.authenticate(asking(header), services(), NO_SCOPES),
  operator: (header: string) => operator.authenticate(asking(header), { ...services(), operatorOf, operatorSessions, portals }, NO_SCOPES),
}

const schemes = fc.constantFrom('Bearer', 'bearer', 'BEARER', 'Basic', 'basic', 'OAuth', 'Digest', '', 'Bearer\t', 'Basic:')
const rests = fc.oneof(
  fc.string(),
  fc.base64String(),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text).toString('base64')),
  fc.constantFrom('%', '%zz', '%00', '%ED%A0%80', ':', '\u00ff', ' ', 'x'.repeat(9000)),
)

for (const [name, authenticate] of Object.entries(ways))
  test(`${name}: any header is rejected with a Problem`, async () => {
    await fc.assert(
      fc.asyncProperty(schemes, fc.constantFrom(' ', '  ', '', '\t'), rests, async (scheme, between, rest) => {
        await assert.rejects(
          authenticate(scheme + between + rest),
          (error) => error instanceof Problem && [401, 403].includes(error.status),
        )
      }),
    )
  })

/** An API key and its secret: printable, and not looking percent-encoded where it is sent bare. */
const words = fc.string({ unit: fc.constantFrom('a', 'Z', '9', '+', '/', '=', '&', 'é', '🐚', ' ', '"'), minLength: 1, maxLength: 12 })

test('an API key and secret of any characters are accepted bare and percent-encoded, and rejected with another secret', async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(words, words, async (name, consumerSecret) => {
      const id = String(1000 + count++)
      const consumerKey = `${id}${name}`
      await database.storage.apps.insert(anApp({ id, consumerKey, consumerSecret }))
      const basic = (key: string, secret: string) => ways.basic(`Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`)
      assert.equal((await basic(consumerKey, consumerSecret)).app.id, id)
      assert.equal((await basic(encodeURIComponent(consumerKey), encodeURIComponent(consumerSecret))).app.id, id)
      await assert.rejects(basic(consumerKey, `${consumerSecret}x`), (error) => (error as Problem).code === 99)
    }),
    { numRuns: cases(15, 50) },
  )
})

test('an API key is looked up as often whether an app has it or not', async () => {
  const { apps } = database.storage
  const consumerSecret = 'a secret of this app'
  await apps.insert(anApp({ id: '900', consumerKey: 'known-key', consumerSecret }))
  const lookupsOf = async (key: string) => {
    const asked: string[] = []
    const byConsumerKey = (one: string) => {
      asked.push(one)
      return apps.byConsumerKey(one)
    }
    const request = asking(`Basic ${Buffer.from(`${key}:wrong`).toString('base64')}`)
    await assert.rejects(appPassword.authenticate(request, { ...services(), apps: { ...apps, byConsumerKey } }, NO_SCOPES))
    return asked.length
  }
  assert.deepEqual([await lookupsOf('known-key'), await lookupsOf('other-key')], [1, 1])
  assert.deepEqual([await lookupsOf('known%2Dkey'), await lookupsOf('other%2Dkey')], [2, 2])
})

test('a bearer token is accepted bare and percent-encoded, with any case of its scheme', async () => {
  const tokens = fc.string({ unit: fc.constantFrom('a', 'Z', '9', '+', '/', '=', '_', '-'), minLength: 1 })
  let count = 0
  await fc.assert(
    fc.asyncProperty(tokens, fc.constantFrom('Bearer', 'bearer', 'BEARER'), async (letters, scheme) => {
      const id = String(2000 + count++)
      await database.storage.apps.insert(anApp({ id, consumerKey: `bearer-${id}` }))
      const token = await database.storage.bearerTokens.obtain(id, `${id}${letters}`, 1)
      for (const sent of [token, encodeURIComponent(token!)]) assert.equal((await ways.bearer(`${scheme} ${sent}`)).app.id, id)
    }),
    { numRuns: cases(15, 50) },
  )
})
