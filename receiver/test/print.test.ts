import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatJson, formatText, readExactly } from '../scripts/print.ts'
import { eventText } from './stage/signed.ts'

test('in a terminal the type and id of an event are on its first line, its pretty JSON below', () => {
  const event = JSON.parse(eventText('-12'))
  assert.equal(formatText({ msg: 'event', event }), `event dm.received -12\n${JSON.stringify(event, undefined, 2)}`)
})

test('the headline of an event without data is its field', () => {
  assert.match(formatText({ msg: 'event', event: { replay_job_status: {} } }), /^event replay_job_status\n/)
})

test('in a terminal it prints the callback URL to register, and rejections with their reason', () => {
  const listening = formatText({ msg: 'listening', url: 'http://127.0.0.1:4100/webhook', secretSource: 'the demo seed' })
  assert.match(
    listening,
    /Listening on http:\/\/127\.0\.0\.1:4100,.*the demo seed[\s\S]*Register this callback URL: http:\/\/127\.0\.0\.1:4100\/webhook/,
  )
  assert.equal(formatText({ msg: 'rejected', status: 401, reason: 'No.' }), 'rejected (401): No.')
  assert.equal(formatText({ msg: 'duplicate dropped', event_uuid: '7' }), 'duplicate dropped 7')
  assert.equal(formatText({ msg: 'challenge answered' }), 'challenge answered')
})

test('an event cannot inject terminal commands or start a new line', () => {
  const event = JSON.parse(eventText('1\nchallenge answered', { event_type: '\u001b[2J', payload: '\u009b31m \u007f \r' }))
  const printed = formatText({ msg: 'event', event })
  assert.doesNotMatch(printed, /[^\P{Cc}\n]/u)
  assert.equal(printed.split('\n', 1)[0], 'event \\u001b[2J 1\\nchallenge answered')
  assert.doesNotMatch(printed, /^challenge answered/m)
})

test('an error is readable in a line of JSON', () => {
  const line = formatJson({ msg: 'failed', status: 500, reason: 'No.', error: new Error('disk full') })
  assert.match(JSON.parse(line).error, /^Error: disk full\n/)
  assert.doesNotMatch(line, /\n/)
})

test('numbers are printed with every digit', () => {
  const event = readExactly(Buffer.from('{"data":{"event_uuid":"7","payload":{"id":9007199254740993,"rate":1.0}}}'))
  assert.equal(
    formatJson({ msg: 'event', event }),
    '{"msg":"event","event":{"data":{"event_uuid":"7","payload":{"id":9007199254740993,"rate":1.0}}}}',
  )
  assert.match(formatText({ msg: 'event', event }), /"id": 9007199254740993,/)
})
