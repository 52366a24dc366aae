import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { createOutput, tableLines } from '../../src/cli/output.ts'

function outputTo(isJson: boolean) {
  const stdout = new PassThrough().setEncoding('utf8')
  return { output: createOutput(isJson, stdout as unknown as NodeJS.WriteStream), text: () => stdout.read() as string }
}

const HOSTILE = '\u001b[2J\u001b]0;owned\u0007\r\u009bA'

test('what strangers wrote does not steer the terminal: control characters are escaped, styles stay', () => {
  const lines = outputTo(false)
  lines.output.show({}, () => [HOSTILE, '\u001b[31mred\u001b[39m\ta\nb'])
  assert.equal(lines.text(), '\\u001b[2J\\u001b]0;owned\\u0007\\u000d\\u009bA\n\u001b[31mred\u001b[39m\ta\nb\n')
  const items = outputTo(false)
  items.output.item({}, () => HOSTILE)
  assert.equal(items.text(), '\\u001b[2J\\u001b]0;owned\\u0007\\u000d\\u009bA\n')
})

test('JSON has no control character, and is what was said', () => {
  const { output, text } = outputTo(true)
  output.item({ reason: HOSTILE }, () => '')
  const written = text()
  assert.doesNotMatch(written.trimEnd(), /\p{Cc}/u)
  assert.deepEqual(JSON.parse(written), { reason: HOSTILE })
})

test('a line break in a cell of a table makes no row', () => {
  assert.deepEqual(tableLines(['id', 'reason'], [['1', 'a\nid  2']]), ['id  reason', '1   a\\nid  2'])
})
