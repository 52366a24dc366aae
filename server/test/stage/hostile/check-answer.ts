import assert from 'node:assert/strict'
import type { WireAnswer } from './raw-client.ts'

const LONE_SURROGATE = /\\ud[89a-f]/i

/** An answer is well-formed: never a server error, and in the dress of the house: a problem, or numeric errors (§7), or JSON where it succeeded. */
export function checkAnswer({ status, headers, body }: WireAnswer, isHead: boolean) {
  const text = body.toString()
  assert.ok(status >= 200 && status < 500, `${status}: ${text}`)
  const type = headers['content-type']
  assert.ok(type === 'application/problem+json' || type === 'application/json; charset=utf-8', `${status} ${type}: ${text}`)
  if (isHead) return
  const value = JSON.parse(text)
  assert.doesNotMatch(JSON.stringify(value), LONE_SURROGATE)
  if (status < 400) return assert.ok(!('errors' in value), text)
  if (type === 'application/problem+json')
    return assert.ok(typeof value.type === 'string' && value.title && value.detail && value.status === status, text)
  assert.ok(value.errors.length > 0, text)
  for (const { code, message } of value.errors) assert.ok(Number.isInteger(code) && typeof message === 'string' && message !== '', text)
}
