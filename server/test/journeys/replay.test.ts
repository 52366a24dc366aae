import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver, type TestReceiver } from '../stage/receiver.ts'

const flavours = databasesOf(import.meta)

const MINUTE_MS = 60_000

/** The running minute and the two before it. */
const recent = (stage: Stage) => ({
  from_date: formatMinute(stage.clock.now() - 2 * MINUTE_MS),
  to_date: formatMinute(stage.clock.now() + MINUTE_MS),
})

const replay = (stage: Stage, token: string, webhook_id: string, dates = recent(stage)) =>
  stage.api('POST', '/2/webhooks/replay', { token, json: { webhook_id, ...dates } })

const jobState = async (stage: Stage, jobId: string) => (await stage.operator('GET', `/operator/replays/${jobId}`)).body.data

const untilReported = (stage: Stage, jobId: string) =>
  stage.until(async () => {
    const job = await jobState(stage, jobId)
    return job.reported && job
  })

/** A second receiver at the same place would drop duplicates: this counts every signed POST by event id. */
function countByUuid(receiver: TestReceiver) {
  const counts = new Map<string, number>()
  receiver.intercept = (request, response) => {
    if (request.method !== 'POST') return false
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString())
      if (data) counts.set(data.event_uuid, (counts.get(data.event_uuid) ?? 0) + 1)
      response.writeHead(200).end()
      receiver.changed()
    })
    return true
  }
  return counts
}

for (const flavour of flavours) {
  test(`${flavour}: a replay delivers the events of its window again, signed, and ends with a signed status event`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await stage.connect(receiver)
    stage.clock.advance(MINUTE_MS - (stage.clock.now() % MINUTE_MS) + 1)
    const [early] = await stage.publish({ early: true })
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 1)
    stage.clock.advance(10 * MINUTE_MS)
    const uuids = await stage.publish(...Array.from({ length: 250 }, (_, n) => ({ n })))
    await receiver.received(251)
    const counts = countByUuid(receiver)
    const answer = await replay(stage, token, webhookId)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(Object.keys(answer.body), ['job_id', 'created_at'])
    const job = await untilReported(stage, answer.body.job_id)
    assert.deepEqual([job.state, job.delivered, job.failed], ['complete', 250, 0])
    assert.deepEqual([...counts.keys()].sort(), [...uuids].sort())
    assert.ok(!counts.has(early!))
    const [report] = (await stage.operator('GET', `/operator/deliveries?event_uuid=${uuids[0]}`)).body.data
    assert.equal(report.state, 'delivered')
    assert.equal(report.attempts.at(-1).replay_job_id, answer.body.job_id)
  })

  test(`${flavour}: a replay that was interrupted by a stop continues where it was`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await stage.connect(receiver)
    const uuids = await stage.publish(...Array.from({ length: 350 }, (_, n) => ({ n })))
    await receiver.received(350)
    const counts = countByUuid(receiver)
    const { job_id } = (await replay(stage, token, webhookId)).body
    await receiver.when(() => counts.size >= 150)
    await stage.stop()
    const stopped = counts.size
    await stage.start()
    const job = await untilReported(stage, job_id)
    assert.equal(job.state, 'complete')
    assert.deepEqual([...counts.keys()].sort(), [...uuids].sort())
    const again = [...counts.values()].filter((count) => count > 1).length
    assert.ok(again <= 100, `${again} of ${stopped} were sent twice: at most one page may be`)
  })
}

test('each event of a replay is tried twice, and one that fails both times makes the job incomplete', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token, webhookId } = await stage.connect(receiver)
  const [uuid] = await stage.publish({})
  await receiver.received(1)
  const bodies: string[] = []
  receiver.intercept = (request, response) => {
    if (request.method !== 'POST') return false
    request.on('data', (chunk) => bodies.push(String(chunk)))
    return answerWith(response, bodies.length < 2 ? 500 : 200)
  }
  const { job_id } = (await replay(stage, token, webhookId)).body
  const job = await untilReported(stage, job_id)
  assert.deepEqual([job.state, job.delivered, job.failed], ['incomplete', 0, 1])
  assert.deepEqual(
    bodies.slice(0, 2).map((body) => JSON.parse(body).data.event_uuid),
    [uuid, uuid],
  )
  assert.deepEqual(JSON.parse(bodies[2]!), {
    replay_job_status: {
      webhook_id: webhookId,
      job_state: 'Incomplete',
      job_state_description: 'Job failed to deliver all events, please retry your replay job',
      job_id,
    },
  })
})

test('live events continue during a replay, a second replay is a conflict, and deleting the webhook cancels it', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token, webhookId } = await stage.connect(receiver)
  await stage.publish(...Array.from({ length: 20 }, (_, n) => ({ n })))
  await receiver.received(20)
  const held: (() => void)[] = []
  receiver.intercept = (request, response) => {
    if (request.method !== 'POST' || held.length >= 3) return false
    held.push(() => answerWith(response, 200))
    return true
  }
  const { job_id } = (await replay(stage, token, webhookId)).body
  await receiver.when(() => held.length === 3)
  const second = await replay(stage, token, webhookId)
  assert.equal(second.status, 409)
  assert.match(second.body.type, /\/conflict$/)
  await stage.publish({ live: true })
  await receiver.received(21)
  await stage.api('DELETE', `/2/webhooks/${webhookId}`, { token })
  for (const release of held) release()
  assert.equal((await jobState(stage, job_id)).state, 'cancelled')
})

for (const flavour of flavours)
  test(`${flavour}: a replay to an invalid webhook is refused without a challenge until a PUT has validated it, and then brings what was not sent`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await stage.connect(receiver)
    receiver.intercept = (_request, response) => answerWith(response, 500)
    assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 400)
    receiver.intercept = undefined
    const [uuid] = await stage.publish({ missed: true })
    const { challenges } = receiver
    const refused = await replay(stage, token, webhookId)
    assert.deepEqual(
      [refused.status, refused.body.errors],
      [
        400,
        [
          {
            message: `CrcValidationFailed: webhook ${webhookId} is invalid and receives nothing; validate it first with PUT /2/webhooks/${webhookId}`,
          },
        ],
      ],
    )
    assert.deepEqual([receiver.challenges, receiver.posts], [challenges, 0])
    assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 200)
    const { job_id } = (await replay(stage, token, webhookId)).body
    assert.equal((await receiver.received(1))[0]?.data?.event_uuid, uuid)
    assert.equal((await untilReported(stage, job_id)).state, 'complete')
  })

test('a replay to a valid webhook whose challenge fails makes no job and leaves the webhook valid', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token, webhookId } = await stage.connect(receiver)
  receiver.intercept = (_request, response) => answerWith(response, 500)
  const refused = await replay(stage, token, webhookId)
  assert.equal(refused.status, 400)
  assert.match(refused.body.errors[0].message, /^CrcValidationFailed: .*500/)
  receiver.intercept = undefined
  assert.equal((await stage.api('GET', '/2/webhooks', { token })).body.data[0].valid, true)
  assert.equal((await replay(stage, token, webhookId)).status, 200)
})

test('a webhook that turns invalid during its replay receives nothing more, and the job ends incomplete', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token, webhookId } = await stage.connect(receiver)
  await stage.publish(...Array.from({ length: 20 }, (_, n) => ({ n })))
  await receiver.received(20)
  receiver.hold('POST')
  const { job_id } = (await replay(stage, token, webhookId)).body
  await receiver.holding(4)
  receiver.intercept = (request, response) => request.method === 'GET' && answerWith(response, 500)
  assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 400)
  receiver.letGo()
  const job = await untilReported(stage, job_id)
  assert.deepEqual([job.state, job.delivered, job.failed], ['incomplete', 4, 16])
  assert.equal(receiver.posts, 20 + 4)
})

test('every invalid pair of dates is rejected with a message that names the rule', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  // A second into a minute, because the clock goes on in fractions of a millisecond.
  stage.clock.advance(MINUTE_MS - (stage.clock.now() % MINUTE_MS) + 1000)
  const at = (minutes: number) => formatMinute(stage.clock.now() + minutes * MINUTE_MS)
  const cases: [from: string, to: string, rule: RegExp][] = [
    [at(-1), at(-1), /before to_date/],
    [at(-1), at(-2), /before to_date/],
    [at(-1441), at(-1), /\$\.from_date: must be within the past 24 hours/],
    [at(-2000), at(-1500), /\$\.from_date: .*24 hours[\s\S]*\$\.to_date: .*24 hours/],
    [at(-1), at(2), /\$\.to_date: must not be in the future/],
    [at(3), at(4), /\$\.from_date: must not be in the future/],
    ['202602301200', at(0), /\$\.from_date: must be a valid minute in UTC/],
    ['202613011200', at(0), /\$\.from_date: must be a valid minute in UTC/],
    ['202601012460', at(0), /\$\.from_date: must be a valid minute in UTC/],
    ['20260101', at(0), /^from_date must be a UTC minute like 202603011200 \(yyyymmddhhmm\)$/],
  ]
  for (const [from_date, to_date, rule] of cases) {
    const answer = await replay(stage, token, webhookId, { from_date, to_date })
    assert.equal(answer.status, 400, `${from_date} to ${to_date}: ${answer.text}`)
    assert.match(answer.body.errors.map(({ message }: { message: string }) => message).join('\n'), rule)
  }
  const good = await replay(stage, token, webhookId, { from_date: at(-1440), to_date: at(1) })
  assert.equal(good.status, 200, good.text)
})

test("unknown, malformed and another app's webhooks get the same error", async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([otherApp.consumer_secret])
  const foreign = await stage.register(receiver.url, await stage.token(otherApp))
  const token = await stage.token()
  const answers = [await replay(stage, token, foreign), await replay(stage, token, '999'), await replay(stage, token, 'not an id')]
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.match(answers[0]!.body.errors[0].message, /^WebhookIdInvalid: /)
})
