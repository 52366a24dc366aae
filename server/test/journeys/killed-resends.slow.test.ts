// Resend jobs of a process that is killed: a restart goes on with them, and so does another process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Origins } from '../../src/assemble.ts'
import { call } from '../stage/call.ts'
import { migratedDatabase } from '../stage/database.ts'
import { demo, demoToken, messages, publish, subscribe } from '../stage/demo-client.ts'
import { until } from '../stage/pause.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { answerWith, startReceiver, type TestReceiver } from '../stage/receiver.ts'
import { setTwoAtWork } from '../stage/two-at-work.ts'

const FAILED = 4000
const PAGE = 1000

const ask = ({ operator_url }: Origins, method: 'GET' | 'POST', path: string, json?: object) =>
  call(`${operator_url}/operator/${path}`, method, { token: OPERATOR_TOKEN, ...(json && { json }) })

/** 4,000 events that were not sent, and a job that sends them again, of which four hang. */
async function resendThatHangs(origins: Origins, receiver: TestReceiver) {
  const from = new Date(Date.now() - 60_000).toISOString()
  const webhookId = await subscribe(origins, receiver.url, '101')
  const validate = async () => call(`${origins.base_url}/2/webhooks/${webhookId}`, 'PUT', { token: await demoToken(origins) })
  receiver.intercept = (_request, response) => answerWith(response, 500)
  assert.equal((await validate()).status, 400)
  const uuids: string[] = []
  for (let sent = 0; sent < FAILED; sent += PAGE)
    for (const { event_uuid } of (await publish(origins, messages('101', PAGE))).body.data) uuids.push(event_uuid)
  receiver.intercept = undefined
  assert.equal((await validate()).status, 200)
  receiver.hold('POST')
  const job = await ask(origins, 'POST', 'resends', { from, to: new Date(Date.now() + 60_000).toISOString() })
  assert.equal(job.status, 200, job.text)
  await receiver.holding(4)
  return { uuids, jobId: job.body.data.job_id as string }
}

/** Waits until every event has come, and the job has ended. Only what was in flight came twice. */
async function arrivesWhole(origins: Origins, receiver: TestReceiver, uuids: readonly string[], jobId: string) {
  await receiver.when(() => receiver.posts >= FAILED)
  const came = () => new Set(receiver.events.map(({ data }) => data?.event_uuid))
  await receiver.when(() => came().size === FAILED)
  assert.deepEqual(came(), new Set(uuids))
  const job = async () => (await ask(origins, 'GET', `resends/${jobId}`)).body.data
  await until(async () => (await job()).state !== 'running')
  const data = await job()
  assert.deepEqual([data.state, data.refused], ['complete', 0])
  assert.ok(data.resent >= FAILED - PAGE && data.resent <= FAILED, `${data.resent} counted`)
  assert.ok(receiver.posts <= FAILED + 4, `${receiver.posts} posts`)
}

test('sqlite: a process that is killed in the middle of a resend job ends it after its restart, and repeats only what was in flight', async (t) => {
  await using database = await migratedDatabase('sqlite')
  await using receiver = await startReceiver([demo.secret])
  await using begun = new AsyncDisposableStack()
  const start = async () => {
    const postern = new PosternProcess({ POSTERN_DATABASE_URL: database.url }, '/tmp')
    begun.defer(async () => void (await postern.end('SIGKILL')))
    return { postern, origins: await postern.ready() }
  }
  const first = await start()
  const { uuids, jobId } = await resendThatHangs(first.origins, receiver)
  const { data } = (await ask(first.origins, 'GET', `resends/${jobId}`)).body
  t.diagnostic(`killed after ${data.resent}, ${data.state}`)
  await first.postern.end('SIGKILL')
  receiver.letGo()
  const second = await start()
  await arrivesWhole(second.origins, receiver, uuids, jobId)
})

const twoAtWork = setTwoAtWork()

test('postgres: when a process is killed in the middle of a resend job, the other ends it, and repeats only what was in flight', async (t) => {
  await using receiver = await startReceiver([demo.secret])
  await using two = await twoAtWork()
  const { uuids, jobId } = await resendThatHangs(two.origins, receiver)
  const { data } = (await ask(two.origins, 'GET', `resends/${jobId}`)).body
  t.diagnostic(`killed after ${data.resent}, ${data.state}`)
  await two.processes[0].end('SIGKILL')
  receiver.letGo()
  await arrivesWhole(two.otherOrigins, receiver, uuids, jobId)
})
