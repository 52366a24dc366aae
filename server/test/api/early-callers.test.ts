// Callers of large bodies are asked for before these come.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { attachCaller } from '../../src/access/attach-caller.ts'
import type { Auth, Caller } from '../../src/api/declare/auth.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import { endpoint } from '../../src/api/declare/endpoint.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import { object, optional, text } from '../../src/api/declare/words.ts'
import { routesOf } from '../../src/api/routes.ts'
import type { CountCall } from '../../src/api/serve.ts'
import { createDatabaseWait } from '../../src/api/wait-for-database.ts'
import { createClock } from '../../src/lib/clock.ts'
import { DatabaseAway } from '../../src/storage/unavailable.ts'
import { listed } from '../stage/listed.ts'

const CALLER: Caller = { rateKey: 'user:1', headers: { 'x-access-level': 'read' } }
const REQUEST = { method: 'POST', target: '/2/things', query: '', pathParams: {}, headers: {}, body: null, remoteAddress: '127.0.0.1' }

/** What is answered before the body of a large request is read, by an endpoint whose callers are authenticated like this. */
async function refusedEarly(authenticate: Auth<Caller, unknown>['authenticate'], more: Partial<Parameters<typeof routesOf>[0]> = {}) {
  const createThing = endpoint({
    name: 'createThing',
    route: 'POST /2/things',
    section: '',
    summary: '',
    auth: { name: 'test', authenticate },
    params: { said: optional(text()) },
    answer: object({ ok: text() }),
    handle: async () => ({ ok: 'yes' }),
    bodyLimitBytes: 1024 * 1024,
  })
  const [route] = routesOf({
    endpoints: [listed(createThing)],
    services: {},
    dialect: dialects.spec,
    problemOptions: { problemBaseUrl: 'https://api.example.com/2/problems' },
    countCall: async () => ({}),
    log: pino({ level: 'silent' }),
    ...more,
  })
  return await route!.refuseEarly!(REQUEST)
}

const refusesKnown = () => attachCaller(CALLER, () => Promise.reject(new Problem('forbidden', { detail: 'You may not.' })))

test('a caller who is known and refused is counted, and told how many calls are left', async () => {
  const counted: string[] = []
  const countCall: CountCall = async (_endpoint, { rateKey }) => {
    counted.push(rateKey)
    return { 'x-rate-limit-remaining': '7' }
  }
  const refusal = await refusedEarly(refusesKnown, { countCall })
  assert.deepEqual([refusal!.status, counted], [403, ['user:1']])
  assert.deepEqual([refusal!.headers['x-rate-limit-remaining'], refusal!.headers['x-access-level']], ['7', 'read'])
  const tooMany = await refusedEarly(refusesKnown, {
    countCall: () => Promise.reject(new Problem('too-many-requests', { detail: 'Wait.' })),
  })
  assert.equal(tooMany!.status, 429)
})

test('a caller whose credentials cannot be looked up while the database restarts waits until it is back', async () => {
  const clock = createClock()
  let isAway = true
  const databaseWait = createDatabaseWait({ clock, waitMs: 10_000, isReady: async () => !isAway })
  let asked = 0
  const answer = refusedEarly(
    async () => {
      asked += 1
      if (isAway) throw new DatabaseAway('away')
      return CALLER
    },
    { databaseWait },
  )
  while (asked === 0) await new Promise(setImmediate)
  isAway = false
  clock.advance(200)
  assert.equal(await answer, undefined)
  assert.equal(asked, 2)
})
