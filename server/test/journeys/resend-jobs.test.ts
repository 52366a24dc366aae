import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

/** The hour before now and the one after. */
const recent = (stage: Stage) => ({
  from: new Date(stage.clock.now() - 3_600_000).toISOString(),
  to: new Date(stage.clock.now() + 3_600_000).toISOString(),
})

const begin = async (stage: Stage, json: Record<string, unknown>) => {
  const answer = await stage.operator('POST', '/operator/resends', json)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const ended = (stage: Stage, jobId: string) =>
  stage.until(async () => {
    const { data } = (await stage.operator('GET', `/operator/resends/${jobId}`)).body
    return data.state !== 'running' && data
  })

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: a job sends again what failed of an app, a type and a time, says what it could not, and is in the audit log`, async () => {
    await using stage = await setStage({ flavour, environment: { POSTERN_RETRY_PLAN: '10ms' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await using broken = await startReceiver([demoApp.consumer_secret])
    const { token } = await stage.connect(receiver)
    const invalid = await stage.register(broken.url, token)
    await stage.subscribe(invalid, token)
    for (const each of [receiver, broken]) each.answerPosts(500)
    await stage.publish({ n: 1 }, { n: 2 })
    await stage.deliveriesWhen('state=given_up', (found) => found.length === 4)
    receiver.intercept = undefined
    broken.intercept = (_request, response) => answerWith(response, 500)
    assert.equal((await stage.api('PUT', `/2/webhooks/${invalid}`, { token })).status, 400)

    const window = recent(stage)
    for (const filter of [{ app_id: otherApp.id }, { event_type: 'follow.follow' }, { state: 'delivered' }]) {
      const { job_id } = await begin(stage, { ...window, ...filter })
      const { state, resent, refused } = await ended(stage, job_id)
      assert.deepEqual([state, resent, refused], ['complete', 0, 0])
    }
    const { job_id, to } = await begin(stage, { ...window, app_id: demoApp.id, event_type: 'dm.received' })
    assert.ok(Date.parse(to) <= stage.clock.now() + 1, 'what fails later is not meant')
    const job = await ended(stage, job_id)
    assert.deepEqual([job.state, job.resent, job.refused, job.states], ['complete', 2, 2, ['given_up', 'not_sent']])
    await receiver.received(2)
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 2)
    assert.equal(receiver.posts, 6)
    const list = (await stage.operator('GET', '/operator/resends?max_results=1')).body
    assert.deepEqual(list.data, [job])
    const older = (await stage.operator('GET', `/operator/resends?before=${list.meta.next_before}`)).body
    assert.equal(older.data.length, 3)
    const audit = await stage.until(async () => {
      const { data } = (await stage.operator('GET', '/operator/audit?action=createResend')).body
      return data.length === 4 && data
    })
    assert.deepEqual([audit[0].action, audit[0].status], ['createResend', 200])
  })

  test(`${flavour}: a job waits for a webhook that hangs, with a page of it due; live events of others arrive`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await using quick = await startReceiver([demoApp.consumer_secret])
    const { token } = await stage.connect(receiver)
    for (let page = 0; page < 3; page += 1) await stage.publish(...Array.from({ length: 1000 }, (_, n) => ({ n })))
    await receiver.received(3000)
    await stage.until(async () => (await stage.operator('GET', '/operator/webhooks')).body.data[0].backlog === 0)
    await stage.subscribe(await stage.register(quick.url, token), token)
    receiver.hold('POST')
    const { job_id } = await begin(stage, { ...recent(stage), state: 'delivered' })
    await receiver.holding(4)
    await stage.publish({ live: true })
    await quick.received(1)
    const { data } = (await stage.operator('GET', `/operator/resends/${job_id}`)).body
    assert.deepEqual([data.state, data.resent], ['running', 1000])
    receiver.letGo()
    const { state, resent } = await ended(stage, job_id)
    assert.deepEqual([state, resent], ['complete', 3000])
    assert.equal((await stage.operator('DELETE', `/operator/resends/${job_id}`)).body.data.state, 'complete')
    await receiver.when(() => receiver.posts === 6001)
  })
}

test('a resend job that cannot be is refused by name', async () => {
  await using stage = await setStage()
  const create = (json: object) => stage.operator('POST', '/operator/resends', json as Record<string, unknown>)
  const backwards = await create({ from: '2026-03-01T13:00:00Z', to: '2026-03-01T12:00:00Z' })
  assert.deepEqual([backwards.status, backwards.body.errors[0].message], [400, '$.from: must be before to, which is exclusive'])
  const noApp = await create({ ...recent(stage), app_id: '5' })
  assert.deepEqual([noApp.status, noApp.body.errors?.[0]?.message ?? noApp.body.detail], [404, 'There is no app 5.'])
  for (const method of ['GET', 'DELETE'] as const) {
    const unknown = await stage.operator(method, '/operator/resends/5')
    assert.equal(unknown.status, 404)
    assert.match(unknown.text, /There is no resend job 5\./)
  }
})
