import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

/** The running minute and the hour before it. */
const recent = (stage: Stage) => ({
  from_date: formatMinute(stage.clock.now() - 3_600_000),
  to_date: formatMinute(stage.clock.now() + 60_000),
})

const replay = (stage: Stage, webhook_id: string, dates = recent(stage)) =>
  stage.operator('POST', '/operator/replays', { webhook_id, ...dates })

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: an operator replays on behalf of an app, after the checks of the app's own replay, one job at a time`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await stage.connect(receiver)
    const uuids = await stage.publish({ n: 1 }, { n: 2 }, { n: 3 })
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 3)
    const { challenges, posts } = receiver
    receiver.hold('POST')
    const answer = await replay(stage, webhookId)
    assert.equal(answer.status, 200, answer.text)
    const { job_id } = answer.body.data
    await receiver.holding(3)
    assert.equal(receiver.challenges, challenges + 1)
    assert.equal((await replay(stage, webhookId)).status, 409)
    const own = await stage.api('POST', '/2/webhooks/replay', { token, json: { webhook_id: webhookId, ...recent(stage) } })
    assert.equal(own.status, 409)
    receiver.letGo()
    const job = await stage.until(async () => {
      const { data } = (await stage.operator('GET', `/operator/replays/${job_id}`)).body
      return data.reported && data
    })
    assert.deepEqual([job.state, job.delivered, job.webhook_id], ['complete', 3, webhookId])
    assert.equal(receiver.posts, posts + 4)
    const { data } = (await stage.operator('GET', `/operator/deliveries?webhook_id=${webhookId}`)).body
    assert.deepEqual(new Set(data.map(({ event_uuid }: { event_uuid: string }) => event_uuid)), new Set(uuids))
    for (const { attempts } of data) assert.equal(attempts.at(-1).replay_job_id, job_id)

    const ofApp = await stage.api('POST', '/2/webhooks/replay', { token, json: { webhook_id: webhookId, ...recent(stage) } })
    assert.equal(ofApp.status, 200, ofApp.text)
    const list = async (query: string) => (await stage.operator('GET', `/operator/replays?max_results=1${query}`)).body
    const newest = await stage.until(async () => {
      const page = await list('')
      return page.data[0].reported && page
    })
    assert.deepEqual([newest.data[0].job_id, newest.data[0].created_by], [ofApp.body.job_id, 'app'])
    const older = await list(`&before=${newest.meta.next_before}`)
    assert.deepEqual(older.data, [{ ...job, app_id: demoApp.id, webhook_id: webhookId, created_by: 'operator' }])
    assert.deepEqual((await list(`&before=${older.meta.next_before}`)).data, [])
  })

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: a dry run says how many events a replay would send, and one that is cancelled ends after its page, unreported`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { webhookId } = await stage.connect(receiver)
    await stage.publish(...Array.from({ length: 150 }, (_, n) => ({ n })))
    await receiver.received(150)
    await stage.until(async () => (await stage.operator('GET', '/operator/webhooks')).body.data[0].backlog === 0)
    const { challenges, posts } = receiver
    const dry = await stage.operator('POST', '/operator/replays', { webhook_id: webhookId, ...recent(stage), dry_run: true })
    assert.deepEqual(dry.body, { data: { would_replay: 150 } })
    const earlier = { from_date: formatMinute(stage.clock.now() - 7_200_000), to_date: recent(stage).from_date }
    const none = await stage.operator('POST', '/operator/replays', { webhook_id: webhookId, ...earlier, dry_run: true })
    assert.deepEqual(none.body, { data: { would_replay: 0 } })
    assert.deepEqual([receiver.challenges, receiver.posts], [challenges, posts])

    receiver.hold('POST')
    const { job_id } = (await replay(stage, webhookId)).body.data
    await receiver.holding(1)
    const cancelled = await stage.operator('DELETE', `/operator/replays/${job_id}`)
    assert.deepEqual([cancelled.status, cancelled.body.data.state, cancelled.body.data.reported], [200, 'cancelled', true])
    receiver.letGo()
    await receiver.when(() => receiver.posts === posts + 100)
    const next = (await replay(stage, webhookId)).body.data
    await stage.until(async () => (await stage.operator('GET', `/operator/replays/${next.job_id}`)).body.data.reported)
    assert.equal(receiver.posts, posts + 100 + 150 + 1, 'the second page of the cancelled job and its report were not sent')
    const again = await stage.operator('DELETE', `/operator/replays/${next.job_id}`)
    assert.equal(again.body.data.state, 'complete')
    assert.equal((await stage.operator('DELETE', '/operator/replays/5')).status, 404)
  })

test('a replay that cannot be is refused by name', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { webhookId } = await stage.connect(receiver)
  assert.equal((await replay(stage, '1')).status, 404)
  const minute = formatMinute(stage.clock.now())
  const empty = await replay(stage, webhookId, { from_date: minute, to_date: minute })
  assert.deepEqual([empty.status, /must be before to_date/.test(empty.text)], [400, true])
  receiver.intercept = (_request, response) => answerWith(response, 500)
  const failed = await replay(stage, webhookId)
  assert.equal(failed.status, 400)
  assert.match(failed.body.errors[0].message, /^CrcValidationFailed: /)
  await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { suspended: true })
  const suspended = await replay(stage, webhookId)
  assert.deepEqual([suspended.status, /suspended/.test(suspended.text)], [409, true])
})
