// What producers put into an event comes to its receivers to the digit: many parsers of JSON round a number beyond 2^53.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, OPERATOR_TOKEN, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { open, subscribeStream } from '../stage/streaming.ts'

const PAYLOAD = '{"id":9007199254740993,"users":[{"id":-1997712707928100865}],"beyond_64_bits":123456789012345678901,"rate":0.5,"n":1}'
const INCLUDES = '{"media":[{"id":9007199254740995}]}'
const CONTENT = `"payload":${PAYLOAD},"includes":${INCLUDES}`
const EVENT = `{"event_type":"dm.received","user_id":"101",${CONTENT}}`

const publish = (stage: Stage, body: string, path = '/operator/events') =>
  call(stage.origins.operator_url + path, 'POST', {
    token: OPERATOR_TOKEN,
    headers: { 'content-type': 'application/json' },
    body,
  })

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: integers beyond 2^53 keep their digits at a callback, on the stream and for operators`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token } = await stage.connect(receiver)
    await subscribeStream(stage, token)
    using client = await open(stage, token)
    const bodies: Promise<string>[] = []
    receiver.intercept = (request, response) => {
      if (request.method !== 'POST') return false
      bodies.push(request.setEncoding('utf8').reduce((text, piece) => text + piece, ''))
      receiver.changed()
      response.end()
      return true
    }
    const one = await publish(stage, EVENT)
    assert.equal(one.status, 202, one.text)
    const several = await publish(stage, `{"events":[${EVENT},${EVENT}]}`)
    assert.equal(several.status, 202, several.text)
    await receiver.when(() => bodies.length >= 3)
    for (const body of await Promise.all(bodies)) assert.ok(body.includes(CONTENT), body)
    await client.received(3)
    for (const line of client.texts) assert.ok(line.includes(CONTENT), line)
    const told = await stage.operator('GET', `/operator/events/${one.body.data[0].event_uuid}`)
    assert.ok(told.text.includes(CONTENT), told.text)
  })

test('integers beyond 2^53 in a batch of several hundred kilobytes keep their digits', async () => {
  await using stage = await setStage()
  const count = 300
  const large = `{"event_type":"dm.received","user_id":"101","payload":{"id":9007199254740993,"text":"${'x'.repeat(2000)}"}}`
  const { status, body } = await publish(stage, `{"events":[${Array(count).fill(large).join()}]}`)
  assert.equal(status, 202)
  for (const place of [0, count - 1]) {
    const { text } = await stage.operator('GET', `/operator/events/${body.data[place].event_uuid}`)
    assert.match(text, /"id":9007199254740993,/)
  }
})

test('an example with such a member is published with its digits', async () => {
  await using stage = await setStage()
  const body = '{"event_type":"dm.received","payload":{"direct_message_events":[{"id":9007199254740993}]},"wait":false}'
  const { status, text } = await publish(stage, body, '/operator/trigger')
  assert.equal(status, 202, text)
  assert.match(text, /"direct_message_events":\[\{"id":9007199254740993\}\]/)
})
