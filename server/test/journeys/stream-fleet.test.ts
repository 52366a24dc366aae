// Streams over several processes, and over the end of one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Origins } from '../../src/assemble.ts'
import { call } from '../stage/call.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoToken, messages, publish } from '../stage/demo-client.ts'
import { setPair } from '../stage/pair.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { connectTo, openStream } from '../stage/stream-client.ts'
import { open, subscribeStream } from '../stage/streaming.ts'

const uuidsOf = ({ body }: { body: { data: { event_uuid: string }[] } }) => body.data.map(({ event_uuid }) => event_uuid)

test('events that either process accepts come on a stream of the other, while both accept many', async () => {
  await using pair = await setPair({ flavour: 'postgres', environment: { POSTERN_RATE_LIMITS: 'off' } })
  const token = await pair.one.token()
  await subscribeStream(pair.one, token)
  using first = await open(pair.one, token)
  using second = await open(pair.other, token)
  const published = await Promise.all(
    Array.from({ length: 80 }, (_, n) => (n % 2 === 0 ? pair.one : pair.other).publish({ n }, { n: n + 1000 })),
  )
  const uuids = published.flat().toSorted()
  for (const client of [first, second]) {
    await client.received(uuids.length)
    assert.deepEqual(client.uuids.toSorted(), uuids)
  }
})

test('connections count over all processes, and changes that one makes end those of the other', async () => {
  await using pair = await setPair({ flavour: 'postgres', environment: { POSTERN_RATE_LIMITS: 'off' } })
  const { one, other } = pair
  const token = await one.token()
  const id = await subscribeStream(one, token)
  using first = await open(one, token)
  using second = await open(other, token)
  for (const { origins } of [one, other]) assert.equal((await connectTo(origins.base_url, token)).status, 429)
  await one.api('DELETE', `/2/activity/subscriptions/${id}`, { token })
  for (const client of [first, second]) assert.equal(await client.ended(), 'InvalidRules')
})

async function subscribeDemo(origins: Origins): Promise<string> {
  const token = await demoToken(origins)
  const json = { event_type: 'dm.received', filter: { user_id: '101' } }
  const answer = await call(`${origins.base_url}/2/activity/subscriptions`, 'POST', { token, json })
  assert.equal(answer.status, 200, answer.text)
  return token
}

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: after kill -9 a client that resumes has every event that was accepted`, async () => {
    await using database = await migratedDatabase(flavour)
    const environment = { POSTERN_DATABASE_URL: database.url }
    const killed = new PosternProcess(environment, '/tmp')
    const origins = await killed.ready()
    const token = await subscribeDemo(origins)
    const clients = [await openStream(origins.base_url, token), await openStream(origins.base_url, token)]
    const accepted: string[] = []
    const publishing = (async () => {
      for (;;) accepted.push(...uuidsOf(await publish(origins, messages('101', 20))))
    })().catch(() => {})
    await clients[0]!.received(200)
    await killed.end('SIGKILL')
    await publishing
    const next = new PosternProcess(environment, '/tmp')
    try {
      const again = await next.ready()
      using resumed = await openStream(again.base_url, token, '?backfill_minutes=5')
      accepted.push(...uuidsOf(await publish(again, messages('101', 20))))
      await resumed.when(() => accepted.every((uuid) => resumed.uuids.includes(uuid)))
    } finally {
      await next.end('SIGTERM')
    }
  })
