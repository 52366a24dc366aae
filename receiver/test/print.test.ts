import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asLine } from '../src/print-as-line.ts'
import { inWords } from '../src/print-in-words.ts'
import { eventText } from './stage/signed.ts'

test('in a terminal the type and id of an event are on its first line, its pretty JSON below', () => {
  const event = JSON.parse(eventText('-12'))
  assert.equal(inWords({ msg: 'event', event }), `event dm.received -12\n${JSON.stringify(event, undefined, 2)}`)
})

test('an event without data goes by its field', () => {
  assert.match(inWords({ msg: 'event', event: { replay_job_status: {} } }), /^event replay_job_status\n/)
})

test('in a terminal the callback URL to register is told, and refusals with their reason', () => {
  const listening = inWords({ msg: 'listening', url: 'http://127.0.0.1:4100/webhook', secretsFrom: 'the demo seed' })
  assert.match(listening, /Listening on http:\/\/127\.0\.0\.1:4100,.*the demo seed[\s\S]*register: http:\/\/127\.0\.0\.1:4100\/webhook/)
  assert.equal(inWords({ msg: 'refused', status: 401, reason: 'No.' }), 'refused (401): No.')
  assert.equal(inWords({ msg: 'duplicate dropped', event_uuid: '7' }), 'duplicate dropped 7')
  assert.equal(inWords({ msg: 'challenge answered' }), 'challenge answered')
})

test('no text of an event can command the terminal or start a line of its own', () => {
  const event = JSON.parse(eventText('1\nchallenge answered', { event_type: '\u001b[2J', payload: '\u009b31m \u007f \r' }))
  const printed = inWords({ msg: 'event', event })
  assert.doesNotMatch(printed, /[^\P{Cc}\n]/u)
  assert.equal(printed.split('\n', 1)[0], 'event \\u001b[2J 1\\nchallenge answered')
  assert.doesNotMatch(printed, /^challenge answered/m)
})

test('an error is readable in a line of JSON', () => {
  const line = asLine({ msg: 'failed', status: 500, reason: 'No.', error: new Error('disk full') })
  assert.match(JSON.parse(line).error, /^Error: disk full\n/)
  assert.doesNotMatch(line, /\n/)
})
