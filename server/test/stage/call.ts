import assert from 'node:assert/strict'
import { writeExactJson } from '../../src/lib/numbers.ts'

/** An answer as a client sees it. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any
}

export interface CallOptions {
  token?: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is. */
  body?: string | Buffer
}

export async function call(url: string, method: string, { token, headers = {}, json, body }: CallOptions = {}): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: json === undefined ? (body as string | undefined) : writeExactJson(json),
    redirect: 'manual',
  })
  const text = await response.text()
  const isJson = text !== '' && /\bjson\b/.test(response.headers.get('content-type') ?? '')
  const answer = { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  checkRefusal(answer)
  return answer
}

/** Why a call about webhooks was refused (§7); the status when it was not. */
export const reasonOf = ({ status, body }: Answer): string | number => (status === 400 ? body.errors[0].message.split(':', 1)[0] : status)

/** Every refusal in every test is a problem or numeric errors (§7), in the right media type, an error of OAuth 2.0, the errors of the advertising hosts, or a page that may do nothing. */
function checkRefusal({ status, headers, text, body }: Answer) {
  if (status < 400 || text === '') return
  const type = headers.get('content-type')
  if (type === 'text/html;charset=utf-8') assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/)
  else if (type === 'application/problem+json')
    assert.ok(typeof body.type === 'string' && typeof body.title === 'string' && body.status === status, text)
  else if (typeof body?.error === 'string') assert.match(body.error_description, /^[ -!#-[\]-~]+$/)
  else if (body?.request !== undefined)
    assert.ok(
      (typeof body.request.params === 'object' || Array.isArray(body.request)) &&
        (body.errors ?? body.operation_errors.flat()).every(
          ({ code, message }: { code: unknown; message: unknown }) => /^[A-Z_]+$/.test(String(code)) && message,
        ),
      text,
    )
  else if (body?.ready === undefined)
    assert.ok(
      body.errors.length > 0 &&
        body.errors.every(({ code, message }: { code: unknown; message: unknown }) => Number.isInteger(code) && message),
      text,
    )
}
