// The stream of an app: which events it brings, on how many connections, and how connections end (§6, §7).
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import type { Answer } from '../stage/call.ts'
import { flavours } from '../stage/database.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { connectTo, openStream, type StreamClient } from '../stage/stream-client.ts'

const STREAM = '/2/activity/stream'

/** A subscription without a webhook; answers its id. */
async function subscribe(stage: Stage, token: string, more: Record<string, unknown> = {}): Promise<string> {
  const json = { event_type: 'dm.received', filter: { user_id: '101' }, ...more }
  const answer = await stage.api('POST', '/2/activity/subscriptions', { token, json })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.subscription.subscription_id
}

const open = (stage: Stage, token: string, query = '') => openStream(stage.origins.base_url, token, query)

/** A stage with an app that has a subscription of its stream. */
async function streaming(flavour: (typeof flavours)[number] = 'sqlite') {
  const stage = await setStage({ flavour, environment: { POSTERN_RATE_LIMITS: 'off' } })
  const token = await stage.token()
  const subscriptionId = await subscribe(stage, token, { tag: 'mine' })
  return { stage, token, subscriptionId, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

const numbered = (from: number, count: number) => Array.from({ length: count }, (_, place) => ({ n: from + place }))

const refusalOf = async (client: StreamClient) => {
  await client.when(() => client.hasEnded)
  return JSON.parse(client.text)
}

/** Connects as soon as a former connection has ceased to count. */
const reconnect = (stage: Stage, token: string) =>
  stage.until(async () => {
    const client = await connectTo(stage.origins.base_url, token)
    return client.status === 200 && client
  })

for (const flavour of flavours)
  suite(`streams on ${flavour}`, () => {
    test('an event of a subscription without a webhook comes on the stream, in the envelope of webhooks', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      using client = await open(stage, token)
      assert.equal(client.headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(client.headers['transfer-encoding'], 'chunked')
      assert.equal(client.headers['x-rate-limit-limit'], undefined)
      const [event_uuid] = await stage.publish({ text: 'hé' })
      const [event] = await client.received(1)
      assert.deepEqual(event, {
        ...{ event_uuid, filter: { user_id: '101' }, tag: 'mine', event_type: 'dm.received', payload: { text: 'hé' } },
      })
    })

    test('an event of a subscription with a webhook goes to both; one without a webhook to the stream alone', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const webhookId = await stage.register(receiver.url, token)
      await stage.subscribe(webhookId, token, { filter: { user_id: '102' } })
      using client = await open(stage, token)
      const events = ['101', '102'].map((user_id) => ({ event_type: 'dm.received', user_id, payload: { user_id } }))
      const answer = await stage.operator('POST', '/operator/events', { events })
      const uuids = answer.body.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid)
      await client.received(2)
      assert.deepEqual(client.uuids.toSorted(), uuids.toSorted())
      const [delivered] = await receiver.received(1)
      assert.deepEqual(
        delivered?.data,
        client.events.find(({ event_uuid }) => event_uuid === uuids[1]),
      )
      assert.equal(receiver.events.length, 1)
    })

    test('an event that several subscriptions match comes once, with filter and tag of the oldest', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      stage.clock.advance(1000)
      await subscribe(stage, token, { filter: { user_id: '101', direction: 'received' }, tag: 'younger' })
      using client = await open(stage, token)
      await stage.publish({ n: 1 }, { n: 2 })
      const events = await client.received(2)
      assert.deepEqual(
        events.map(({ tag, payload }) => [tag, payload.n]),
        [
          ['mine', 1],
          ['mine', 2],
        ],
      )
    })

    test('the events of an app come on its own stream alone, on both of its connections', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      const othersToken = await stage.token(otherApp)
      await subscribe(stage, othersToken, { filter: { user_id: '102' } })
      using first = await open(stage, token)
      using second = await open(stage, token)
      using others = await open(stage, othersToken)
      await stage.publish({ n: 1 })
      await stage.operator('POST', '/operator/events', { event_type: 'dm.received', user_id: '102', payload: { n: 2 } })
      const [[one], [two], [three]] = await Promise.all([first.received(1), second.received(1), others.received(1)])
      assert.deepEqual([one?.payload, two?.payload, three?.payload], [{ n: 1 }, { n: 1 }, { n: 2 }])
      assert.deepEqual([first.events.length, second.events.length, others.events.length], [1, 1, 1])
    })

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
      const second = await subscribe(stage, token, { filter: { user_id: '102' } })
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

    test('with backfill_minutes the events of the last minutes come first, and then those that follow', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      const [old] = await stage.publish({ n: 0 })
      stage.clock.advance(10 * 60_000)
      const missed = await stage.publish(...numbered(1, 500))
      stage.clock.advance(4 * 60_000)
      using client = await open(stage, token, '?backfill_minutes=5')
      await client.received(500)
      const [next] = await stage.publish({ n: 501 })
      await client.received(501)
      assert.deepEqual(client.uuids, [...missed, next])
      assert.ok(!client.uuids.includes(old!))
    })

    test('a recovery brings the events from start_time up to end_time and ends', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      const at = () => new Date(stage.clock.now()).toISOString()
      await stage.publish({ n: 0 })
      stage.clock.advance(60_000)
      const start = at()
      const meant = await stage.publish(...numbered(1, 700))
      stage.clock.advance(60_000)
      const end = at()
      await stage.publish({ n: 701 })
      stage.clock.advance(60_000)
      using client = await open(stage, token, `?start_time=${start}&end_time=${end}`)
      assert.equal(await client.ended(), 'UpstreamOperationalDisconnect')
      assert.deepEqual(client.uuids, meant)
    })

    test('a client that is cut at random and resumes has every event', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      const seen = new Set<string>()
      const published: string[] = []
      let isPublishing = true
      const publishing = (async () => {
        for (let n = 0; n < 60; n++) published.push(...(await stage.publish(...numbered(n * 10, 10))))
        isPublishing = false
      })()
      let client = await open(stage, token)
      while (isPublishing) {
        await client.received(1 + Math.floor(Math.random() * 60)).catch(() => {})
        client.close()
        for (const uuid of client.uuids) seen.add(uuid)
        client = await reconnectWith(stage, token, '?backfill_minutes=5')
        if (published.length === 0) break
      }
      await publishing
      await client.when(() => {
        for (const uuid of client.uuids) seen.add(uuid)
        return seen.size >= published.length
      })
      client.close()
      assert.deepEqual([...seen].toSorted(), published.toSorted())
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

const reconnectWith = (stage: Stage, token: string, query: string) =>
  stage.until(async () => {
    const client = await connectTo(stage.origins.base_url, token, query)
    return client.status === 200 && client
  })

test('times that lie too far back, in the future or in the wrong order are refused', async () => {
  await using it = await streaming()
  const { stage, token } = it
  const at = (ms: number) => new Date(stage.clock.now() + ms).toISOString()
  const hour = 3_600_000
  for (const [query, name] of [
    ['backfill_minutes=6', 'backfill_minutes'],
    ['backfill_minutes=-1', 'backfill_minutes'],
    [`start_time=${at(-25 * hour)}`, 'start_time'],
    [`start_time=${at(hour)}`, 'start_time'],
    [`start_time=${at(-hour)}&end_time=${at(hour)}`, 'end_time'],
    [`start_time=${at(-hour)}&end_time=${at(-2 * hour)}`, 'end_time'],
    [`end_time=${at(-hour)}`, 'start_time'],
    [`start_time=${at(-hour)}&backfill_minutes=1`, 'backfill_minutes'],
    ['fields=id', 'fields'],
  ]) {
    const answer: Answer = await stage.api('GET', `${STREAM}?${query}`, { token })
    assert.equal(answer.status, 400, `${query}: ${answer.text}`)
    assert.ok(
      answer.body.errors.some(({ parameters }: { parameters: object }) => Object.keys(parameters).includes(name!)),
      answer.text,
    )
  }
})

test('HEAD gets the headers, and takes no connection', async () => {
  await using it = await streaming()
  const { stage, token } = it
  for (let n = 0; n < 4; n++) {
    const client = await connectTo(stage.origins.base_url, token, '', { method: 'HEAD' })
    assert.equal(client.status, 200)
    assert.equal(client.headers['content-type'], 'application/json; charset=utf-8')
    await client.when(() => client.hasEnded)
  }
  using _one = await open(stage, token)
  using _other = await open(stage, token)
})

test('a client of HTTP/1.0 gets lines without chunks', async () => {
  await using it = await streaming()
  const { stage, token } = it
  const { port } = new URL(stage.origins.base_url)
  const socket = connect(Number(port), '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (piece) => (text += piece))
  socket.write(`GET ${STREAM} HTTP/1.0\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`)
  await stage.until(() => text.includes('\r\n\r\n'))
  await stage.publish({ n: 1 })
  await stage.until(() => text.endsWith('\r\n') && text.includes('"n":1'))
  const [, body] = text.split('\r\n\r\n')
  assert.deepEqual(JSON.parse(body!).data.payload, { n: 1 })
  socket.destroy()
})

test('a client that does not read is disconnected, and keeps no memory beyond a bound', async () => {
  await using it = await streaming()
  const { stage, token } = it
  const slow = await connectTo(stage.origins.base_url, token, '', { isRead: false })
  const payload = { text: 'x'.repeat(200_000) }
  const before = process.memoryUsage().arrayBuffers
  for (let n = 0; n < 40; n++) await stage.publish(...Array.from({ length: 5 }, () => payload))
  const grown = process.memoryUsage().arrayBuffers - before
  assert.ok(grown < 24 << 20, `${grown} bytes for 40 MB of events`)
  for (let n = 0; n < 60; n++) stage.clock.advance(1000)
  slow.read()
  await slow.ended()
  const { text } = await stage.operator('GET', '/metrics')
  assert.match(text, /^postern_stream_disconnects_total\{reason="SlowReader"\} 1$/m)
  assert.match(text, /^postern_streams 0$/m)
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

test('an event on the stream counts once towards the usage cap of its app', async () => {
  await using it = await streaming()
  const { stage, token } = it
  await stage.operator('PATCH', '/operator/apps/1', { usage_cap: 3 })
  using _one = await open(stage, token)
  using two = await open(stage, token)
  const json = { event_type: 'dm.received', filter: { user_id: '103' } }
  await stage.publish({ n: 1 }, { n: 2 })
  await two.received(2)
  const before = await stage.api('POST', '/2/activity/subscriptions', { token, json })
  assert.equal(before.status, 200, before.text)
  await stage.publish({ n: 3 })
  await stage.until(async () => {
    const after = await stage.api('POST', '/2/activity/subscriptions', { token, json: { ...json, filter: { user_id: '104' } } })
    return after.body.type?.endsWith('usage-capped')
  })
})

test('a reset ends every connection', async () => {
  await using it = await streaming()
  const { stage, token } = it
  using client = await open(stage, token)
  await stage.operator('POST', '/operator/reset')
  assert.equal(await client.ended(), 'OperationalDisconnect')
})
