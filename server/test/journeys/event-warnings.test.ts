import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoApp, SECRET, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const LOGGED = 'published events are not as their types declare'

const right = { event_type: 'profile.update.bio', user_id: '101', payload: { before: 'a', after: 'b' } }
const wrong = { event_type: 'ProfileBioUpdate', user_id: '101', payload: { before: 'a', later: 'b' }, event_uuid: '7' }
const warning = {
  event_uuid: '7',
  event_type: 'profile.update.bio',
  path: 'payload.after',
  message: '$.payload.after: is missing but it is required',
}

test('in development an event that is not as its type declares is delivered all the same; the answer and one log line say what is wrong', async () => {
  await using stage = await setStage({ environment: { POSTERN_EVENT_WARNINGS: 'on' } })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  await stage.subscribe(await stage.register(receiver.url, token), token, { event_type: 'profile.update.bio' })
  const answer = await stage.operator('POST', '/operator/events', { events: [right, wrong] })
  assert.equal(answer.status, 202)
  assert.equal(answer.body.data[1].event_uuid, '7')
  assert.deepEqual(answer.body.warnings, [warning])
  assert.equal((await receiver.received(2)).length, 2)
  const lines = await stage.logged(LOGGED, 1)
  assert.deepEqual(
    lines.map(({ warnings, first }) => [warnings, first]),
    [[1, warning]],
  )
  const { body } = await stage.operator('POST', '/operator/events', right)
  assert.deepEqual(Object.keys(body), ['data', 'meta'])
  assert.equal(stage.log.filter(({ msg }) => msg === LOGGED).length, 1)
})

test('an answer has at most 10 warnings of an event, and 100 in all', async () => {
  await using stage = await setStage({ environment: { POSTERN_EVENT_WARNINGS: 'on' } })
  const users = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [String(index), {}]))
  const event = { event_type: 'dm.received', user_id: '101', payload: { direct_message_events: [], users } }
  assert.equal((await stage.operator('POST', '/operator/events', event)).body.warnings.length, 10)
  const { status, body } = await stage.operator('POST', '/operator/events', { events: Array.from({ length: 1000 }, () => event) })
  assert.deepEqual([status, body.data.length, body.warnings.length], [202, 1000, 100])
})

test('in production events are not checked', async () => {
  const environment = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
  await using stage = await setStage({ environment, seed: {} })
  const { status, body } = await stage.operator('POST', '/operator/events', wrong)
  assert.deepEqual([status, body], [202, { data: [{ event_uuid: '7' }], meta: { subscriptions: 0, deliveries: 0 } }])
  assert.deepEqual(
    stage.log.filter(({ msg }) => msg === LOGGED),
    [],
  )
})
