import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import { cases } from '../stage/cases.ts'
import { type CountedCallback, type CountingReceiver, startCountingReceiver } from '../stage/counting-receiver.ts'
import { migratedDatabase } from '../stage/database.ts'
import { messages } from '../stage/demo-client.ts'
import { pause } from '../stage/pause.ts'
import { demoApp, OPERATOR_TOKEN, type Stage, setStage } from '../stage/postern.ts'
import { type PostgresServer, startPostgres } from '../stage/postgres-server.ts'
import { createRandom } from '../stage/random.ts'

const EVENTS_A_REQUEST = 5
/** How often connections are cut, and how many events come between two faults. */
const CUTS = cases(6, 12)
const FEW = cases(100, 200)
const PASSWORD = 'password-of-the-database'
/** No answer takes longer, whatever the database does: connecting gives up after 5 s. A busy machine may take longer than that. */
const LONGEST_ANSWER_MS = 30_000

let server: PostgresServer
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

interface Answered {
  status: number
  body: string
  retryAfter: string | null
}

async function publishOnce({ origins }: Stage, events: object[]): Promise<Answered> {
  const response = await fetch(`${origins.operator_url}/operator/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ events }),
    signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
  })
  return { status: response.status, body: await response.text(), retryAfter: response.headers.get('retry-after') }
}

interface Published {
  uuids: string[]
  refusals: Answered[]
}

/** Publishes events with uuids of its own, each again until it is accepted, for as long as it is told to. */
async function keepPublishing(stage: Stage, first: number, goesOn: () => boolean): Promise<Published> {
  const published: Published = { uuids: [], refusals: [] }
  for (let next = first; goesOn(); next += EVENTS_A_REQUEST) {
    const events = messages('101', EVENTS_A_REQUEST).map((event, place) => ({ ...event, event_uuid: String(next + place) }))
    let answer = await publishOnce(stage, events)
    while (answer.status !== 202) {
      assert.equal(answer.status, 503, answer.body)
      published.refusals.push(answer)
      await pause()
      answer = await publishOnce(stage, events)
    }
    published.uuids.push(...events.map(({ event_uuid }) => event_uuid))
  }
  return published
}

/** The server and a callback of it, and publishers that work until `trouble` has made what it makes. */
async function underLoad(url: string, trouble: (live: CountedCallback, receiver: CountingReceiver) => Promise<void>) {
  await using receiver = await startCountingReceiver(demoApp.consumer_secret)
  const live = receiver.callback('/live')
  await using stage = await setStage({ environment: { POSTERN_DATABASE_URL: url } })
  await stage.connect(live)
  let isOver = false
  const publishing = Promise.all([1, 2, 3].map((digit) => keepPublishing(stage, digit * 1_000_000, () => !isOver)))
  await trouble(live, receiver)
  isOver = true
  const published = await publishing
  const uuids = published.flatMap((each) => each.uuids)
  await receiver.when(() => uuids.every((uuid) => live.counts.has(uuid)))
  return { uuids, refusals: published.flatMap(({ refusals }) => refusals), counts: live.counts, log: stage.log }
}

const cameMore = (live: CountedCallback, receiver: CountingReceiver, count: number) => {
  const enough = live.times.length + count
  return receiver.when(() => live.times.length >= enough)
}

const twice = (counts: ReadonlyMap<string, number>) => [...counts].filter(([, count]) => count > 1)

function assertClear(refusals: Answered[], url: string) {
  const { port } = new URL(url)
  for (const { body, retryAfter } of refusals) {
    assert.match(retryAfter ?? '', /^\d+$/)
    assert.match(JSON.parse(body).detail, /Nothing was changed; retry/)
    assert.ok(!body.includes(port) && !body.includes('127.0.0.1'), body)
  }
}

/** One line a minute tells of an outage, and no line holds a connection, a password or a statement. */
function assertQuiet(log: Stage['log']) {
  const told = log.filter(({ level }) => level >= 40)
  assert.deepEqual(
    told.map(({ msg }) => msg),
    ['the database cannot be used'],
  )
  assert.deepEqual(Object.keys(told[0]), ['level', 'time', 'database', 'reason', 'msg'])
  const text = JSON.stringify(log)
  assert.doesNotMatch(text, new RegExp(`${PASSWORD}|connectionParameters|select |insert into|update `))
}

test('PostgreSQL is stopped and started again under load: each accept is 202 or a clear 503, and everything accepted is delivered once', async () => {
  const url = new URL(server.url)
  url.password = PASSWORD
  const { refusals, counts, log } = await underLoad(url.href, async (live, receiver) => {
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      await cameMore(live, receiver, FEW)
      await server.halt(signal)
      await server.launch()
    }
    await cameMore(live, receiver, FEW)
  })
  assert.ok(refusals.length > 0)
  assertClear(refusals, server.url)
  assert.deepEqual(twice(counts), [])
  assertQuiet(log)
})

test('connections are cut at random under load: each accept is 202 or a clear 503, and everything accepted is delivered once', async (t) => {
  await using database = await migratedDatabase('postgres')
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.diagnostic(`seed ${seed}`)
  const random = createRandom(seed)
  const client = new Client(database.url)
  await client.connect()
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like any ($1)`
  const { counts, refusals } = await underLoad(database.url, async (live, receiver) => {
    for (let n = 0; n < CUTS; n += 1) {
      await cameMore(live, receiver, 1 + Math.floor(random() * 100))
      await client.query(cut, [random() < 0.7 ? ['postern-log'] : ['postern%']])
    }
    await cameMore(live, receiver, 100)
  })
  await client.end()
  assertClear(refusals, database.url)
  assert.deepEqual(twice(counts), [])
})

test('while PostgreSQL is unavailable every endpoint answers 503, including health, and SIGTERM still exits cleanly', async () => {
  await using receiver = await startCountingReceiver(demoApp.consumer_secret)
  const stage = await setStage({ environment: { POSTERN_DATABASE_URL: server.url } })
  const token = await stage.token()
  await server.halt('SIGINT')
  try {
    const calls = [
      stage.api('GET', '/2/webhooks', { token }),
      stage.api('POST', '/2/webhooks', { token, json: { url: receiver.callback('/new').url } }),
      stage.operator('POST', '/operator/events', { events: messages('101', 1) }),
      stage.operator('GET', '/operator/deliveries'),
      stage.api('GET', '/healthz'),
    ]
    assert.deepEqual(
      (await Promise.all(calls)).map(({ status }) => status),
      [503, 503, 503, 503, 503],
    )
    await stage.stop()
  } finally {
    await server.launch()
  }
})
