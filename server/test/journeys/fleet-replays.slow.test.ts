// Replays of one process that another ends; fleet.test.ts has the deliveries.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { Origins } from '../../src/assemble.ts'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { call } from '../stage/call.ts'
import { demo, demoToken, messages, publish, subscribe } from '../stage/demo-client.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { startReceiver, type TestReceiver } from '../stage/receiver.ts'
import { publishUntilAccepted, setTwoAtWork } from '../stage/two-at-work.ts'

const MINUTE_MS = 60_000

const twoAtWork = setTwoAtWork()

/** A replay of 350 events by the first process, of which some have come and four hang. */
async function replayThatHangs(origins: Origins, receiver: TestReceiver) {
  const webhook_id = await subscribe(origins, receiver.url, '101')
  const from_date = formatMinute(Date.now())
  await publish(origins, messages('101', 350))
  await receiver.received(350)
  const json = { webhook_id, from_date, to_date: formatMinute(Date.now() + MINUTE_MS) }
  const hanging: ServerResponse[] = []
  const enough = receiver.posts + 150
  receiver.intercept = (request, response) => request.method === 'POST' && receiver.posts > enough && hanging.push(response) > 0
  const replay = await call(`${origins.base_url}/2/webhooks/replay`, 'POST', { token: await demoToken(origins), json })
  assert.equal(replay.status, 200, replay.text)
  await receiver.when(() => hanging.length === 4)
  receiver.intercept = undefined
  const jobId: string = replay.body.job_id
  return { jobId, hanging }
}

test('when a process is killed during a replay, another ends it, with the right counts', async () => {
  await using receiver = await startReceiver([demo.secret])
  await using two = await twoAtWork()
  const { jobId } = await replayThatHangs(two.origins, receiver)
  await two.processes[0].end('SIGKILL')
  await receiver.when(() => receiver.events.some((event) => event.replay_job_status !== undefined))
  const { operator_url } = two.otherOrigins
  const job = await call(`${operator_url}/operator/replays/${jobId}`, 'GET', { token: OPERATOR_TOKEN })
  assert.deepEqual([job.body.data.state, job.body.data.delivered, job.body.data.failed], ['complete', 350, 0])
})

test('when a process is frozen during a replay, another ends it, and the frozen one goes on with nothing but what was in flight', async () => {
  await using receiver = await startReceiver([demo.secret])
  await using two = await twoAtWork()
  const { jobId, hanging } = await replayThatHangs(two.origins, receiver)
  two.processes[0].child.kill('SIGSTOP')
  const reports = () => receiver.events.filter((event) => event.replay_job_status !== undefined)
  await receiver.when(() => reports().length === 1)
  const { posts } = receiver
  two.processes[0].child.kill('SIGCONT')
  for (const response of hanging) response.destroy()
  const later = await publishUntilAccepted(two.origins, 1)
  await receiver.when(() => receiver.events.some(({ data }) => data?.event_uuid === later.body.data[0].event_uuid))
  const { operator_url } = two.otherOrigins
  const job = await call(`${operator_url}/operator/replays/${jobId}`, 'GET', { token: OPERATOR_TOKEN })
  assert.deepEqual([job.body.data.state, job.body.data.delivered, job.body.data.failed], ['complete', 350, 0])
  assert.equal(reports().length, 1)
  // What was in flight is sent once more when its connection breaks before an answer.
  assert.ok(receiver.posts - posts <= hanging.length + 1, `${receiver.posts - posts} POSTs after it woke`)
})
