// How many connections to its stream an app has, and how they end (§7).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { databasesOf } from '../stage/databases.ts'
import { PATIENCE_MS } from '../stage/pause.ts'
import { otherApp } from '../stage/postern.ts'
import { connectTo, type StreamClient } from '../stage/stream-client.ts'
import { open, reconnect, streaming, subscribeStream } from '../stage/streaming.ts'

const STREAM = '/2/activity/stream'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** The bytes of all buffers that are in use. */
function keptBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

const refusalOf = async (client: StreamClient) => {
  await client.when(() => client.hasEnded)
  return JSON.parse(client.text)
}

for (const flavour of databasesOf(import.meta))
  suite(`connections to streams on ${flavour}`, () => {
    test('a third connection is refused until one has ended', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      using first = await open(stage, token)
      using _second = await open(stage, token)
      const third = await connectTo(stage.origins.base_url, token)
      assert.equal(third.status, 429)
      assert.deepEqual(await refusalOf(third), {
        type: `${stage.origins.base_url}/2/problems/streaming-connection`,
        title: 'ConnectionException',
        detail: 'This stream is currently at the maximum allowed connection limit.',
        status: 429,
        connection_issue: 'TooManyConnections',
      })
      const listed = await stage.operator('GET', '/operator/streams?app_id=1')
      assert.deepEqual(
        listed.body.data.map(({ app_id, worker }: { app_id: string; worker: number }) => [app_id, worker]),
        [
          ['1', 0],
          ['1', 0],
        ],
      )
      first.close()
      using _again = await reconnect(stage, token)
    })

    test('of many that connect at once two are let in, and none counts once it has left', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      for (let round = 0; round < 3; round++) {
        const clients = await Promise.all(Array.from({ length: 12 }, () => connectTo(stage.origins.base_url, token)))
        const statuses = clients.map(({ status }) => status).sort()
        assert.deepEqual(statuses, [200, 200, ...Array.from({ length: 10 }, () => 429)])
        for (const client of clients) client.close()
        await stage.until(async () => {
          const { text } = await stage.operator('GET', '/metrics')
          return /^postern_streams 0$/m.test(text)
        })
      }
    })

    test('an app without a subscription is told so, and one whose last is deleted is disconnected', async () => {
      await using it = await streaming(flavour)
      const { stage, token, subscriptionId } = it
      const none = await stage.api('GET', STREAM, { token: await stage.token(otherApp) })
      assert.deepEqual(
        [none.status, none.body.type.split('/').at(-1), none.body.connection_issue],
        [409, 'streaming-connection', 'RuleConfigurationIssue'],
      )
      using client = await open(stage, token)
      const second = await subscribeStream(stage, token, { filter: { user_id: '102' } })
      await stage.api('DELETE', `/2/activity/subscriptions/${subscriptionId}`, { token })
      await stage.operator('POST', '/operator/events', { event_type: 'dm.received', user_id: '102', payload: {} })
      await client.received(1)
      await stage.api('DELETE', `/2/activity/subscriptions/${second}`, { token })
      assert.equal(await client.ended(), 'InvalidRules')
      assert.deepEqual(client.lines.at(-1)?.errors, [
        {
          title: 'operational-disconnect',
          disconnect_type: 'InvalidRules',
          detail: 'The app has no subscription any more. Create one and reconnect.',
          type: `${stage.origins.base_url}/2/problems/operational-disconnect`,
        },
      ])
    })

    test('a connection ends when its token is revoked, its app is suspended, is not enrolled any more, or is deleted', async () => {
      await using it = await streaming(flavour)
      const { stage } = it
      const cases = [
        ['ForceDisconnect', () => stage.operator('POST', '/operator/tokens/revoke', { app_id: '1' })],
        ['ClientApplicationStateDegraded', () => stage.operator('PATCH', '/operator/apps/1', { suspended: true })],
        ['ClientApplicationStateDegraded', () => stage.operator('PATCH', '/operator/apps/1', { activity_enrolled: false })],
        ['ForceDisconnect', () => stage.operator('DELETE', '/operator/apps/1')],
      ] as const
      for (const [type, change] of cases) {
        using client = await open(stage, await stage.token())
        assert.ok((await change()).status < 300)
        assert.equal(await client.ended(), type)
        await stage.operator('PATCH', '/operator/apps/1', { suspended: false, activity_enrolled: true })
      }
    })

    test('an empty line comes at least every 20 seconds, and none while events come', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      using client = await open(stage, token)
      for (let count = 1; count <= 3; count++) {
        stage.clock.advance(20_000)
        await client.when(() => client.keepAlives >= count)
      }
    })

    test('the events of a process that stops come on the next one', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      using client = await open(stage, token)
      const first = await stage.publish({ n: 1 })
      await client.received(1)
      await stage.restart()
      assert.equal(await client.ended(), 'OperationalDisconnect')
      const second = await stage.publish({ n: 2 })
      using again = await open(stage, token, '?backfill_minutes=1')
      await again.received(2)
      assert.deepEqual(again.uuids, [...first, ...second])
    })
  })

test('a client that does not read is disconnected, and keeps no memory beyond a bound', async () => {
  await using it = await streaming()
  const { stage, token } = it
  const slow = await connectTo(stage.origins.base_url, token, '', { isRead: false })
  const payload = { text: 'x'.repeat(200_000) }
  const before = keptBytes()
  for (let n = 0; n < 40; n++) await stage.publish(...Array.from({ length: 5 }, () => payload))
  // Of 40 MB of events. What is not kept is freed a while after it was collected.
  await stage.until(() => keptBytes() - before < 24 << 20)
  for (let n = 0; n < 60; n++) stage.clock.advance(1000)
  slow.read()
  await slow.ended()
  const { text } = await stage.operator('GET', '/metrics')
  assert.match(text, /^postern_stream_disconnects_total\{reason="SlowReader"\} 1$/m)
  assert.match(text, /^postern_streams 0$/m)
})

test('a connection that asks for more behind its stream is closed, so that nothing queues there', async () => {
  await using it = await streaming()
  const { stage, token } = it
  const { hostname, port } = new URL(stage.origins.base_url)
  const socket = connect(Number(port), hostname)
  try {
    const closed = once(socket, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) })
    closed.catch(() => {})
    socket.write(`GET /2/activity/stream HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\n\r\n`)
    const [head] = await once(socket, 'data')
    assert.match(String(head), /^HTTP\/1\.1 200 /)
    socket.write(`GET /2/activity/stream HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
    socket.resume()
    await closed
  } finally {
    socket.destroy()
  }
})

test('a client that reads slowly gets every event once it reads faster', async () => {
  await using it = await streaming()
  const { stage, token } = it
  using slow = await connectTo(stage.origins.base_url, token, '', { isRead: false })
  const uuids: string[] = []
  for (let n = 0; n < 20; n++) uuids.push(...(await stage.publish(...Array.from({ length: 10 }, () => ({ text: 'y'.repeat(100_000) })))))
  slow.read()
  await slow.when(() => new Set(slow.uuids).size === uuids.length)
  uuids.push(...(await stage.publish({ n: 1 })))
  await slow.when(() => new Set(slow.uuids).size === uuids.length)
})

test('a reset ends every connection', async () => {
  await using it = await streaming()
  const { stage, token } = it
  using client = await open(stage, token)
  await stage.operator('POST', '/operator/reset')
  assert.equal(await client.ended(), 'OperationalDisconnect')
})
