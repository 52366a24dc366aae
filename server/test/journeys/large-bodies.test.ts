import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWith, untilClosed } from '../stage/hostile/bare-host.ts'
import { OPERATOR_TOKEN, setStage } from '../stage/postern.ts'

const LARGE_BYTES = 60_000_000

const head = (token: string | undefined, length: string) =>
  `POST /operator/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${token ? `Authorization: Bearer ${token}\r\n` : ''}${length}\r\n\r\n`

const lengths = { 'a large': `Content-Length: ${LARGE_BYTES}`, 'an endless': 'Transfer-Encoding: chunked' }

for (const [name, length] of Object.entries(lengths))
  test(`${name} body of a stranger is refused before any of it is taken in`, async () => {
    await using stage = await setStage()
    for (const token of [undefined, 'a wrong token']) {
      const [answer, ...more] = await untilClosed(openWith(stage.origins.operator_url, head(token, length)))
      assert.deepEqual([answer?.status, answer?.headers.connection, more.length], [401, 'close', 0])
      assert.equal(answer!.headers['content-type'], 'application/problem+json')
    }
  })

test('a large body of the operator is taken in, and a small one of a stranger is refused as ever', async () => {
  await using stage = await setStage()
  const events = Array.from({ length: 300 }, () => ({ event_type: 'dm.received', user_id: '101', payload: { text: 'x'.repeat(1000) } }))
  const taken = await stage.api('POST', '/operator/events', { token: OPERATOR_TOKEN, json: { events } })
  assert.equal(taken.status, 202, taken.text)
  const refused = await stage.api('POST', '/operator/events', { token: 'a wrong token', json: { events: events.slice(0, 1) } })
  assert.deepEqual([refused.status, refused.headers.get('connection')], [401, 'keep-alive'])
})
