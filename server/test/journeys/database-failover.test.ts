// A primary with a synchronous standby dies. The address of the database leads to the standby, which is promoted a while later.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { startCountingReceiver } from '../stage/counting-receiver.ts'
import { messages } from '../stage/demo-client.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { startReplicatedPair, virtualAddress } from '../stage/postgres-pair.ts'
import type { PostgresServer } from '../stage/postgres-server.ts'

const EVENTS_A_REQUEST = 5
/** More than any pool has connections. */
const AT_ONCE = 16

/** Answers the rows of the last statement. */
async function administer({ url }: PostgresServer, ...statements: string[]) {
  const client = new Client(url)
  await client.connect()
  let rows: Record<string, unknown>[] = []
  for (const statement of statements) ({ rows } = await client.query(statement))
  await client.end()
  return rows
}

const promote = async (server: PostgresServer) =>
  assert.deepEqual(await administer(server, 'select pg_promote() as done'), [{ done: true }])

/** Writes of a user and of operators; answers the statuses that came. */
async function writes(stage: Stage, token: string, webhook_id: string): Promise<number[]> {
  const numbers = Array.from({ length: AT_ONCE }, (_, n) => 1_000 + n)
  const subscription = (n: number) => ({ event_type: 'post.create', filter: { user_id: String(n) }, webhook_id })
  const answers = await Promise.all([
    ...numbers.map((n) => stage.api('POST', '/2/activity/subscriptions', { token, json: subscription(n) })),
    ...numbers.map((n) => stage.operator('POST', '/operator/apps', { name: `App ${n}` })),
  ])
  return [...new Set(answers.map(({ status }) => status))]
}

test('a standby takes the place of a primary that was killed: nothing accepted is lost, /readyz is 503 until it is promoted, and after that every write succeeds', async () => {
  await using pair = await startReplicatedPair()
  const { primary, standby } = pair
  await using address = await virtualAddress(primary)
  await using receiver = await startCountingReceiver(demoApp.consumer_secret)
  const live = receiver.callback('/live')
  await using stage = await setStage({ environment: { POSTERN_DATABASE_URL: address.url, POSTERN_RATE_LIMITS: 'off' } })
  const { token, webhookId } = await stage.connect(live)
  const readiness = async () => (await stage.api('GET', '/readyz')).status

  const accepted: string[] = []
  let refusals = 0
  let isOver = false
  const publish = async () => {
    while (!isOver) {
      const answer = await stage.operator('POST', '/operator/events', { events: messages('101', EVENTS_A_REQUEST) })
      assert.ok(answer.status === 202 || answer.status === 503, answer.text)
      if (answer.status === 202) accepted.push(...answer.body.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid))
      else refusals += 1
    }
  }
  const publishing = Promise.all([publish(), publish()])
  await receiver.when(() => live.counts.size >= 200)

  await primary.halt('SIGKILL')
  address.leadTo(standby)
  await stage.until(() => refusals >= 20)
  assert.equal(await readiness(), 503)
  assert.deepEqual(await writes(stage, token, webhookId), [503])
  await promote(standby)
  await stage.until(async () => (await readiness()) === 200)
  assert.deepEqual(await writes(stage, token, webhookId), [200])

  const before = live.counts.size
  await receiver.when(() => live.counts.size >= before + 50)
  isOver = true
  await publishing
  await receiver.when(() => accepted.every((uuid) => live.counts.has(uuid)))
})

test('connections that stay open to a former primary, which takes no writes any more, are replaced by some to the new one, without a restart', async () => {
  await using pair = await startReplicatedPair()
  const { primary, standby } = pair
  await using address = await virtualAddress(primary)
  await using receiver = await startCountingReceiver(demoApp.consumer_secret)
  const live = receiver.callback('/live')
  await using stage = await setStage({ environment: { POSTERN_DATABASE_URL: address.url, POSTERN_RATE_LIMITS: 'off' } })
  const { token, webhookId } = await stage.connect(live)
  await administer(primary, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()')
  await stage.until(async () => (await stage.api('GET', '/readyz')).status === 503)
  await promote(standby)
  address.leadTo(standby)
  await stage.until(async () => (await stage.api('GET', '/readyz')).status === 200)
  assert.deepEqual(await writes(stage, token, webhookId), [200])
  const rows = await administer(standby, 'select count(*) as written from subscriptions')
  assert.equal(Number(rows[0]!.written), 1 + AT_ONCE)
})
