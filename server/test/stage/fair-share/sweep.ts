import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { allEndpoints } from '../../../scripts/all-endpoints.ts'
import type { Endpoint } from '../../../src/api/declare/endpoint.ts'
import { USUAL_BODY_BYTES } from '../../../src/api/declare/host-limits.ts'
import { dearBodies } from './dear-bodies.ts'
import { dearServer } from './dear-server.ts'
import type { WorldSize } from './large-world.ts'

const MOST_MS = 20
const MOST_TIMES_IDLE = 10
const AT_ONCE = 20
/** So many waits are enough where their p99 holds. Where it does not, so few may have met one collection twice, and more are made. */
const SAMPLES = 150
const MORE_SAMPLES = 1000
/** A first time may have been disturbed: what the system and other programs do to caches and to the disk counts as well. */
const TRIES = 5
/** How many calls with a large body are made until one has no collection of the whole heap. */
const LARGE_BODY_TRIES = 10

/** Those that are not measured, with the reason. */
const left: Readonly<Record<string, string>> = {
  streamActivity: 'its answer has no end',
  openFeed: 'its answer has no end',
  exportAudit: 'its answer is sent as it is read: for the operator alone',
  reset: 'takes the world away: development, for the operator alone',
  restoreSnapshot: 'takes the world away: development, for the operator alone',
  createSnapshot: 'stops the world to copy it: development, for the operator alone',
  moveClock: 'signatures of the time before are refused: development, for the operator alone',
  createFault: 'answers of others fail: development, for the operator alone',
  createDisorder: 'answers of others fail: development, for the operator alone',
}

const order = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE']
const endpoints = (allEndpoints as unknown as readonly Endpoint[])
  .filter(({ name }) => !left[name])
  .toSorted((one, other) => order.indexOf(one.method) - order.indexOf(other.method))

/** What the dearest request of an endpoint is answered with, where a read has no success: the worlds have no such thing to read. */
const answersOf: Readonly<Record<string, readonly number[]>> = {
  authorize: [403],
  authenticate: [403],
  authorizeUser: [400],
  authorizeUserPage: [400],
  explanation: [404],
  getUpload: [404],
  getUploadV1: [404],
  getMessage: [404],
  getProductSet: [404],
  getScheduledFeed: [404],
  listFeedReports: [404],
  getScheduledPost: [404],
  getCard: [404],
  getPollCard: [404],
  getVideoConversationCard: [404],
  getImageConversationCard: [404],
  getEvent: [404],
  getApp: [404],
  listConsents: [200, 404],
  listNearMisses: [404],
  listChallenges: [404],
  listWebhookSubscriptions: [404],
  getReplay: [404],
  getResend: [404],
  getParkedMessage: [404],
  getRequest: [404],
  listCallNearMisses: [404],
  getDisorder: [404],
  listInboxEvents: [404],
}

/**
 * Endpoints with bodies of 5 MB and more: what one of them brings into memory has V8 collect the garbage of the whole heap, for 5 to 20 ms.
 * Hence one call without such a collection is looked for, and with 20 at once, which collect several times a second, the median is compared.
 * Likewise a seed, which makes some thousand objects and is the operator's alone.
 */
const withLargeBodies = [
  'uploadMedia',
  'appendUpload',
  'runUploadCommand',
  'changeAudienceUsers',
  'changeDoNotReachUsers',
  'publishEvents',
  'loadSeed',
]

/** A read has to find what makes it dear. The second time a change may be refused, because it is made already. */
const isExpected = ({ method, name, success }: Endpoint, status: number) =>
  answersOf[name]?.includes(status) ?? (method === 'GET' ? status === success : status < 500)

const quantile = (values: readonly number[], part: number) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1]!

/** Tests of the dearest request of every endpoint on a world: how long an answer takes the event loop, and how long another app waits. */
export function sweep(size: WorldSize) {
  /** Waits with nothing beside them, between the endpoints. */
  const idle: number[] = []
  let server: Awaited<ReturnType<typeof dearServer>>
  before(async () => {
    server = await dearServer(size)
    for (let warm = 0; warm < 500; warm += 1) idle.push(await server.cheapMs())
  })
  after(() => server[Symbol.asyncDispose]())

  /** The longest turn of the event loop in a call that was not disturbed. */
  async function longestOf(endpoint: Endpoint): Promise<number> {
    let shortest = Number.POSITIVE_INFINITY
    const tries = withLargeBodies.includes(endpoint.name) ? LARGE_BODY_TRIES : TRIES
    for (let made = 0; made < tries && shortest > MOST_MS; made += 1) {
      await server.longestTurnMs()
      await server.dearest(endpoint)
      shortest = Math.min(shortest, await server.longestTurnMs())
    }
    return shortest
  }

  /** How long the other app waits, with nothing and with much beside it. */
  async function waits(endpoint: Endpoint, samples: number) {
    for (let n = 0; n < 20; n += 1) idle.push(await server.cheapMs())
    let isOver = false
    const askAgain = async () => {
      while (!isOver) await server.dearest(endpoint)
    }
    // Twenty that arrive in one turn are what a loop of twenty begins with, and nothing that another app meets again.
    const first = Array.from({ length: AT_ONCE }, () => server.dearest(endpoint))
    await Promise.race(first)
    const asking = first.map((answered) => answered.then(askAgain))
    const beside: number[] = []
    for (let n = 0; n < samples; n += 1) beside.push(await server.cheapMs())
    isOver = true
    await Promise.all(asking)
    return { idleMs: quantile(idle.slice(-500), 0.99), beside: quantile(beside, 0.99), median: quantile(beside, 0.5) }
  }

  test('every endpoint with a large body has one for this test', () => {
    const largeBodies = endpoints.filter(({ bodyLimitBytes }) => bodyLimitBytes > USUAL_BODY_BYTES).map(({ name }) => name)
    assert.deepEqual(
      largeBodies.filter((name) => !dearBodies[name]),
      [],
    )
  })

  for (const endpoint of endpoints)
    test(`${endpoint.name} leaves the event loop after ${MOST_MS} ms, and another app its share`, async (t) => {
      const { status, bytes, text } = await server.dearest(endpoint)
      assert.ok(isExpected(endpoint, status), `status ${status}: ${text}`)
      await server.dearest(endpoint)
      const longest = await longestOf(endpoint)
      assert.ok(longest <= MOST_MS, `${longest.toFixed(1)} ms for ${bytes} bytes`)
      let found = ''
      for (const samples of [SAMPLES, MORE_SAMPLES, MORE_SAMPLES]) {
        const { idleMs, beside, median } = await waits(endpoint, samples)
        found = `${median.toFixed(1)} in the median and ${beside.toFixed(1)} ms at p99 of ${samples}, ${idleMs.toFixed(1)} when idle`
        t.diagnostic(`${status}, ${bytes} bytes, ${longest.toFixed(1)} ms; beside it ${found}`)
        if ((withLargeBodies.includes(endpoint.name) ? median : beside) <= MOST_TIMES_IDLE * idleMs) return
      }
      assert.fail(`another app waits for ${found}`)
    })
}
