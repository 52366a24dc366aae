import assert from 'node:assert/strict'
import type { WireAnswer } from './raw-client.ts'

const LONE_SURROGATE = /\\ud[89a-f]/i

/** A page may do nothing by itself, and holds no tag but its own; what is sent as HTML and is none is the form of a token. */
function checkHtml(headers: Record<string, string>, text: string, isHead: boolean) {
  if (headers['content-security-policy'] === undefined) return assert.match(text, isHead ? /^$/ : /^oauth_token=\w+&/)
  assert.match(headers['content-security-policy'], /^default-src 'none'; /)
  if (isHead) return
  assert.doesNotMatch(
    text.replace(
      /<\/?(html|head|meta|title|link|style|body|main|h1|h2|p|ul|li|strong|div|form|input|label|button|a|h3|table|thead|tbody|tr|th|td|code|pre|span)\b|<!doctype/g,
      '',
    ),
    /<(?!\/?$)/,
  )
}

/** Beside data objects there may be problems of those that are missing (§7). */
function checkPartialErrors(errors: { type?: string; title?: string; detail?: string }[], text: string) {
  for (const { type, title, detail } of errors) assert.ok(type && title && detail, text)
}

/** An answer is well-formed: never a server error, and in the dress of the house: a problem, numeric errors (§7), an error of OAuth 2.0, or a page, or JSON where it succeeded. */
export function checkAnswer({ status, headers, body }: WireAnswer, isHead: boolean) {
  const text = body.toString()
  assert.ok(status >= 200 && status < 500, `${status}: ${text}`)
  const type = headers['content-type']
  if (type === 'text/html;charset=utf-8') return checkHtml(headers, text, isHead)
  if (status === 302) return assert.match(headers.location ?? '', /^[a-z][!-~]+$/)
  assert.ok(type === 'application/problem+json' || type === 'application/json; charset=utf-8', `${status} ${type}: ${text}`)
  if (isHead) return
  const value = JSON.parse(text)
  assert.doesNotMatch(JSON.stringify(value), LONE_SURROGATE)
  if (status < 400) return checkPartialErrors(value.errors ?? [], text)
  if (type === 'application/problem+json')
    return assert.ok(typeof value.type === 'string' && value.title && value.detail && value.status === status, text)
  if (typeof value.error === 'string') return assert.match(value.error_description, /^[ -!#-[\]-~]+$/)
  assert.ok(value.errors.length > 0, text)
  for (const { code, message } of value.errors) assert.ok(Number.isInteger(code) && typeof message === 'string' && message !== '', text)
}
