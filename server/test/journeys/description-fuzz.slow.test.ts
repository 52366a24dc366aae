// Asks every operation of /openapi.json, on every host, with valid credentials and values that follow its schema, mostly: no 5xx.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO_SEED, readSeed } from '../../src/endpoints/operator/seed/read-seed.ts'
import { cases } from '../stage/cases.ts'
import type { Flavour } from '../stage/database.ts'
import { type Description, type Operation, operationsOf } from '../stage/description-fuzz/description.ts'
import { createKnown, createValues } from '../stage/description-fuzz/random-values.ts'
import { createRandom, type Random } from '../stage/hostile/random.ts'
import { authorization } from '../stage/oauth-client.ts'
import { OPERATOR_TOKEN, type Stage, setStage } from '../stage/postern.ts'

const SEED = 20_261_126
const REQUESTS = cases(2000, 30_000)
const AT_ONCE = 8

/** They take away what signs the others in, or have no end. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  reset: 'forgets the bearer tokens',
  restoreSnapshot: 'forgets the bearer tokens',
  moveClock: 'signs with the time of the clock would have to follow',
  createFault: 'refuses, cuts and garbles what others ask',
  createDisorder: 'refuses, cuts and garbles what others ask',
  streamActivity: 'has no end',
  openFeed: 'has no end',
  exportAudit: 'is sent as it is read',
  invalidateToken: 'revokes the token that signs',
  invalidateBearerToken: 'revokes the token',
  revokeTokens: 'revokes the tokens that sign',
  endSessions: 'ends what a browser would send',
}

/** Operators' calls that may hit who signs hit somebody else. */
const SIGNERS = new Set(['1', '101', '102', '103', '104', '105'])
const AT_SIGNERS = new Set(['updateApp', 'deleteApp', 'updateUser', 'deleteUser'])

const form = (pairs: readonly (readonly [string, string])[]) => new URLSearchParams(pairs.map((pair) => [...pair])).toString()

async function startAsking(stage: Stage, seed: number) {
  const { document } = await readSeed(DEMO_SEED)
  const [app] = document.apps!
  const tokens = document.tokens!
  const bearer = `Bearer ${await stage.token(app as never)}`
  const basic = (name: unknown, secret: unknown) => `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`
  const { consumer_key, consumer_secret, oauth2_client_id, oauth2_client_secret } = app as unknown as Record<string, string>
  const description = (await stage.api('GET', '/openapi.json')).body as Description
  const operations = operationsOf(description).filter(({ id }) => !(id in LEFT_OUT))
  const known = createKnown(createRandom(seed))
  known.note(document)

  const credentialsFor = (
    { security, method }: Operation,
    url: string,
    sent: Record<string, string>,
    random: Random,
  ): string | undefined => {
    const way = security.length === 0 ? undefined : random.pick(security)
    if (way === 'bearerToken') return bearer
    if (way === 'appPassword') return basic(consumer_key, consumer_secret)
    if (way === 'oauth2Client') return basic(oauth2_client_id, oauth2_client_secret)
    if (way === 'operatorToken') return `Bearer ${OPERATOR_TOKEN}`
    if (way === undefined) return undefined
    const app = { consumer_key: consumer_key!, consumer_secret: consumer_secret! }
    const user = way === 'signedApp' ? {} : random.next() < 0.8 ? tokens[0]! : random.pick(tokens)
    const { oauth_token, oauth_token_secret } = user as Record<string, string>
    const signing = oauth_token === undefined ? app : { ...app, oauth_token, oauth_token_secret }
    return authorization({ ...signing, method, url, form: sent, nowMs: stage.clock.now() })
  }

  /** Each number draws for itself, whatever is asked beside: all but the ids, which are of answers so far. */
  async function ask(number: number): Promise<{ operation: Operation; status: number; line: string }> {
    const random = createRandom(seed + number)
    // Each once in turn at first, then whichever.
    const operation = operations[number] ?? random.pick(operations)
    const { method, path, parameters, bodies } = operation
    const chances = random.next() < 0.5 ? { hostile: 0.06, optional: 0.4 } : { hostile: 0, optional: 0.3 }
    const make = createValues(description, random, known, chances)
    const isTaken = ({ required }: { required?: boolean }) => random.next() < (required ? 0.97 : 0.3)
    const inPath = path.replace(/\{(\w+)\}/g, (_, name) => {
      const parameter = parameters.find((one) => one.name === name && one.in === 'path')
      const value = make.plain(name, parameter?.schema ?? {}).toWellFormed()
      return encodeURIComponent(AT_SIGNERS.has(operation.id) && SIGNERS.has(value) ? '999' : value) || '0'
    })
    const query = parameters
      .filter((one) => one.in === 'query' && isTaken(one))
      .map(({ name, schema }) => [name, make.plain(name, schema)] as const)
    const url = `${random.pick(operation.origins)}${inPath}${query.length > 0 ? `?${form(query)}` : ''}`
    const body = bodies.length > 0 ? random.pick(bodies) : undefined
    let sent: string | undefined
    let asForm: Record<string, string> = {}
    if (body?.contentType === 'application/x-www-form-urlencoded') {
      const pairs = Object.entries(body.schema.properties ?? {})
        .filter(() => random.next() < 0.6)
        .map(([name, schema]) => [name, make.plain(name, schema).toWellFormed()] as const)
      asForm = Object.fromEntries(pairs)
      sent = form(pairs)
    } else if (body?.contentType === 'multipart/form-data') {
      const parts = Object.entries(body.schema.properties ?? {}).map(
        ([name, schema]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${make.plain(name, schema)}\r\n`,
      )
      sent = `${parts.join('')}--b--\r\n`
    } else if (body) sent = make.json('', body.schema)
    const contentType = body?.contentType === 'multipart/form-data' ? 'multipart/form-data; boundary=b' : body?.contentType
    const authorize = credentialsFor(operation, url, asForm, random)
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...(authorize && { authorization: authorize }), ...(contentType && { 'content-type': contentType }) },
      ...(sent !== undefined && { body: sent }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    if (response.status === 200 && isJson && text.length < 100_000)
      known.note(
        JSON.parse(text),
        path.split('/').findLast((step) => step !== '' && !step.startsWith('{')),
      )
    return {
      operation,
      status: response.status,
      line: `request ${number}, ${method} ${url} ${sent ?? ''}: ${response.status} ${text.slice(0, 1000)}`,
    }
  }

  return { operations, ask }
}

for (const [dialect, flavour, place] of [
  ['spec', 'sqlite', 0],
  ['x', 'postgres', 1_000_000],
] as [string, Flavour, number][])
  test(`${REQUESTS} requests by the description (dialect ${dialect}, ${flavour}, seed ${SEED + place}) are answered without a 5xx`, async () => {
    const environment = { POSTERN_DIALECT: dialect, POSTERN_RATE_LIMITS: 'off', POSTERN_CALLBACK_RESOLVER: '127.0.0.1:1' }
    const { document } = await readSeed(DEMO_SEED)
    await using stage = await setStage({ flavour, environment, seed: document })
    const { operations, ask } = await startAsking(stage, SEED + place)
    const succeeded = new Set<string>()
    const statuses = new Map<number, number>()
    let asked = 0
    const oneByOne = async () => {
      while (asked < REQUESTS) {
        const { operation, status, line } = await ask(asked++)
        assert.ok(status < 500, line)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status < 300) succeeded.add(operation.id)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, oneByOne))
    assert.equal((await stage.api('GET', '/healthz')).status, 200)
    assert.deepEqual(
      stage.log.filter(({ level }) => level >= 50).map(({ msg, err }) => `${msg} ${err?.stack}`),
      [],
    )
    const unauthorized = (statuses.get(401) ?? 0) / REQUESTS
    assert.ok(unauthorized < 0.05, `the credentials are valid: ${JSON.stringify([...statuses])}`)
    assert.ok(succeeded.size > operations.length / 3, `${succeeded.size} of ${operations.length} operations succeeded at least once`)
  })
