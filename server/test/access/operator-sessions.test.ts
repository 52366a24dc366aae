import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOperatorSessions } from '../../src/access/operator-sessions.ts'
import type { RawRequest } from '../../src/api/declare/raw-request.ts'
import { createSeal } from '../../src/lib/seal.ts'

const HOUR_MS = 60 * 60 * 1000
const token = { name: 'ops', role: 'operate', token: 'the operator token' } as const
const client = { scheme: 'https', address: '192.0.2.1', origins: [] } as const

const request = (cookie?: string): RawRequest => ({
  method: 'GET',
  target: '/operator/session',
  query: '',
  pathParams: {},
  headers: { host: 'console.example', ...(cookie !== undefined && { cookie }) },
  body: null,
  remoteAddress: '192.0.2.1',
})

/** Sessions of a server with these tokens, at a time of the machine. */
function sessions({
  secret = 'a secret',
  tokens = [token],
  takesHere = false,
}: {
  secret?: string
  tokens?: (typeof token)[]
  takesHere?: boolean
} = {}) {
  const time = { nowMs: 0 }
  return { time, ...createOperatorSessions({ seal: createSeal([secret]), tokens, machineNow: () => time.nowMs, takesHere }) }
}

const cookieOf = ({ setCookie }: { setCookie: string }) => setCookie.split(';', 1)[0]!

test('a session ends after twelve hours', () => {
  const { time, begin, of } = sessions()
  const cookie = cookieOf(begin(request(), token.token, client))
  time.nowMs = 12 * HOUR_MS - 1
  assert.deepEqual(of(request(cookie)), { operator: { name: 'ops', role: 'operate' }, untilMs: 12 * HOUR_MS })
  time.nowMs = 12 * HOUR_MS
  assert.equal(of(request(cookie)), undefined)
})

test('a session ends with its token and with the secret of the server, and one without a token counts in development alone', () => {
  const cookie = cookieOf(sessions().begin(request(), token.token, client))
  assert.equal(sessions({ tokens: [] }).of(request(cookie)), undefined)
  assert.equal(sessions({ secret: 'another secret' }).of(request(cookie)), undefined)
  const here = cookieOf(sessions({ takesHere: true }).beginHere(request(), client))
  assert.equal(sessions({ takesHere: true }).of(request(here))?.operator.role, 'operate')
  assert.equal(sessions().of(request(here)), undefined)
})

test('with TLS the cookie is sent with TLS alone, and a cookie that is no session is none', () => {
  const { begin, of } = sessions()
  assert.match(
    begin(request(), token.token, client).setCookie,
    /^postern_operator=[\w-]+; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
  )
  for (const value of ['', 'x', 'eyJvZiI6InRoaXMgbWFjaGluZSJ9']) assert.equal(of(request(`postern_operator=${value}`)), undefined)
})
