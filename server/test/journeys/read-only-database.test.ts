// A primary that takes no writes for a while: before a failover, while it is a standby, or because somebody has said so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asAdministrator, migratedDatabase } from '../stage/database.ts'
import { messages } from '../stage/demo-client.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

/** More than any pool has connections. */
const AT_ONCE = 16

async function setReadOnly(url: string, value: 'on' | 'off') {
  const name = new URL(url).pathname.slice(1)
  await asAdministrator(`alter database ${name} set default_transaction_read_only = ${value}`)
  return name
}

/** Ends every session, as a server does that becomes a standby. */
const endSessions = (name: string) => asAdministrator(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)

/** Writes of every kind, each to a row of its own; answers their statuses. */
async function writes(stage: Stage, token: string, webhook_id: string, round: number): Promise<number[]> {
  const numbers = Array.from({ length: AT_ONCE }, (_, n) => round * AT_ONCE + n)
  const subscription = (n: number) => ({ event_type: 'post.create', filter: { user_id: String(1_000 + n) }, webhook_id })
  const answers = await Promise.all([
    ...numbers.map((n) => stage.api('POST', '/2/activity/subscriptions', { token, json: subscription(n) })),
    ...numbers.map((n) => stage.operator('POST', '/operator/apps', { name: `App ${n}` })),
    ...numbers.map(() => stage.operator('POST', '/operator/events', { events: messages('101', 1) })),
  ])
  return [...new Set(answers.map(({ status }) => status))].sort()
}

test('while PostgreSQL takes no writes they are answered 503 and /readyz says so; once it takes them again and /readyz says that, every write succeeds', async () => {
  await using database = await migratedDatabase('postgres', { unused: true })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using stage = await setStage({ environment: { POSTERN_DATABASE_URL: database.url } })
  const { token, webhookId } = await stage.connect(receiver)
  const readiness = async () => (await stage.api('GET', '/readyz')).status

  const name = await setReadOnly(database.url, 'on')
  await endSessions(name)
  for (const round of [0, 1, 2]) {
    assert.deepEqual(await writes(stage, token, webhookId, round), [503])
    const { status, body } = await stage.api('GET', '/readyz')
    assert.equal(status, 503)
    assert.ok(body.failed.includes('state'), JSON.stringify(body))
  }

  await setReadOnly(database.url, 'off')
  await stage.until(async () => (await readiness()) === 200)
  assert.deepEqual(await writes(stage, token, webhookId, 3), [200, 202])
  await receiver.received(AT_ONCE)
})
