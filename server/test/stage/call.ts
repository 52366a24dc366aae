import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { Agent, type Dispatcher, type FormData, request } from 'undici'
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
  body?: string | Buffer | FormData
}

const agent = new Agent()

/** What `fetch` of Node sends besides, but for the encodings that it takes. */
const OF_FETCH = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' }
const TEXT = { 'content-type': 'text/plain;charset=UTF-8' }

/** Calls as `fetch` does that follows no redirect: it takes a quarter of the time. */
async function exchange(url: string, method: string, given: Record<string, string>, body: CallOptions['body']) {
  const own = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])
  const headers = { ...OF_FETCH, ...(typeof body === 'string' && TEXT), ...Object.fromEntries(own) }
  const response = await request(url, { method: method as Dispatcher.HttpMethod, headers, body, dispatcher: agent })
  const isPacked = response.headers['content-encoding'] === 'gzip' && method !== 'HEAD'
  const text = isPacked ? gunzipSync(await response.body.bytes()).toString() : await response.body.text()
  return { status: response.statusCode, received: response.headers, text }
}

function headersOf(received: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(received)) for (const each of [value ?? ''].flat()) headers.append(name, each)
  return headers
}

export async function call(url: string, method: string, { token, headers = {}, json, body }: CallOptions = {}): Promise<Answer> {
  const sent = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  const { status, received, text } = await exchange(url, method, sent, json === undefined ? body : writeExactJson(json))
  const isJson = text !== '' && /\bjson\b/.test(String(received['content-type']))
  let known: Headers | undefined
  const answer: Answer = {
    status,
    /** Few tests look at them. */
    get headers() {
      known ??= headersOf(received)
      return known
    },
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
  if (status >= 400 && text !== '') checkRefusal(answer)
  return answer
}

/** Why a call about webhooks was refused (§7); the status when it was not. */
export const reasonOf = ({ status, body }: Answer): string | number => (status === 400 ? body.errors[0].message.split(':', 1)[0] : status)

/** Every refusal in every test is a problem or numeric errors (§7), in the right media type, an error of OAuth 2.0, the errors of the advertising hosts, or a page that may do nothing. */
function checkRefusal({ status, headers, text, body }: Answer) {
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
