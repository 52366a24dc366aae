import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

const isValid = async (stage: Stage, token: string): Promise<boolean> =>
  (await stage.api('GET', '/2/webhooks', { token })).body.data[0].valid

const untilInvalid = (stage: Stage, token: string) => stage.until(async () => !(await isValid(stage, token)))

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: a webhook that fails the hourly challenge receives nothing until a PUT passes`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await stage.connect(receiver)
    assert.equal(receiver.challenges, 1)

    receiver.intercept = (_request, response) => answerWith(response, 503)
    stage.clock.advance(3_600_000)
    await untilInvalid(stage, token)
    const [uuid] = await stage.publish({ missed: true })
    const [kept] = await stage.deliveriesWhen(`event_uuid=${uuid}`, (found) => found.length === 1)
    assert.equal(kept.state, 'not_sent')
    assert.equal(kept.attempts[0].error, 'webhook invalid')

    const refused = await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })
    assert.equal(refused.status, 400)
    assert.match(refused.body.errors[0].message, /^CrcValidationFailed: .*503/)

    receiver.intercept = undefined
    assert.deepEqual((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).body, { data: { valid: true } })
    const [after] = await stage.publish({ after: true })
    const events = await receiver.received(1)
    assert.equal(events[0]?.data?.event_uuid, after)
  })

  test(`${flavour}: due challenges survive a restart`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const token = await stage.token()
    await stage.register(receiver.url, token)
    await stage.stop()
    stage.clock.advance(3_600_000)
    await stage.start()
    await receiver.when(() => receiver.challenges === 2)
  })
}

test('every valid webhook is challenged once in each hour', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await stage.register(receiver.url, await stage.token())
  for (let hour = 1; hour <= 3; hour += 1) {
    stage.clock.advance(3_600_000)
    await receiver.when(() => receiver.challenges === 1 + hour)
    await stage.logged('challenge', hour)
  }
})
