// The stream of an app: which events it brings (§6).
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import type { Answer } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, otherApp } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { connectTo } from '../stage/stream-client.ts'
import { numbered, open, reconnect, streaming, subscribeStream } from '../stage/streaming.ts'

const STREAM = '/2/activity/stream'

for (const flavour of databasesOf(import.meta))
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
        event_uuid,
        filter: { user_id: '101' },
        tag: 'mine',
        event_type: 'dm.received',
        payload: { text: 'hé' },
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
      await subscribeStream(stage, token, { filter: { user_id: '101', direction: 'received' }, tag: 'younger' })
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
      await subscribeStream(stage, othersToken, { filter: { user_id: '102' } })
      using first = await open(stage, token)
      using second = await open(stage, token)
      using others = await open(stage, othersToken)
      await stage.publish({ n: 1 })
      await stage.operator('POST', '/operator/events', { event_type: 'dm.received', user_id: '102', payload: { n: 2 } })
      const [[one], [two], [three]] = await Promise.all([first.received(1), second.received(1), others.received(1)])
      assert.deepEqual([one?.payload, two?.payload, three?.payload], [{ n: 1 }, { n: 1 }, { n: 2 }])
      assert.deepEqual([first.events.length, second.events.length, others.events.length], [1, 1, 1])
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

    test('a recovery ends within two seconds of end_time, with every event before it', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      const start = new Date(stage.clock.now() - 60_000).toISOString()
      const meant = await stage.publish({ n: 1 })
      const end = new Date(stage.clock.now() + 30_000).toISOString()
      using client = await open(stage, token, `?start_time=${start}&end_time=${end}`)
      await client.received(1)
      const [last] = await stage.publish({ n: 2 })
      stage.clock.advance(32_000)
      assert.equal(await client.ended(), 'UpstreamOperationalDisconnect')
      assert.deepEqual(client.uuids, [...meant, last])
    })

    test('private events of a user who has revoked the consent are not read back, those of others are', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      await subscribeStream(stage, token, { filter: { user_id: '102' } })
      await subscribeStream(stage, token, { event_type: 'news.new', filter: { keyword: 'sea' } })
      const news = { event_type: 'news.new', user_id: '9', text: 'the sea', payload: {} }
      const events = [...['101', '102'].map((user_id) => ({ event_type: 'dm.received', user_id, payload: {} })), news]
      const answer = await stage.operator('POST', '/operator/events', { events })
      const uuids = answer.body.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid)
      using before = await open(stage, token, '?backfill_minutes=5')
      await before.received(3)
      const revoked = await stage.operator('POST', '/operator/tokens/revoke', { app_id: '1', user_id: '101' })
      assert.equal(revoked.status, 200, revoked.text)
      using after = await open(stage, token, '?backfill_minutes=5')
      const next = await stage.operator('POST', '/operator/events', { event_type: 'dm.received', user_id: '102', payload: {} })
      const last = next.body.data[0].event_uuid
      await after.when(() => after.uuids.includes(last))
      // What comes while a client catches up may come twice.
      assert.deepEqual([...new Set(after.uuids)], [uuids[1], uuids[2], last])
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
        client = await reconnect(stage, token, '?backfill_minutes=5')
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

test('an event on the stream counts once towards the usage cap of its app', async () => {
  await using it = await streaming()
  const { stage, token } = it
  await stage.operator('PATCH', '/operator/apps/1', { usage_cap: 3 })
  using _one = await open(stage, token)
  using two = await open(stage, token)
  const json = { event_type: 'dm.received', filter: { user_id: '102' } }
  await stage.publish({ n: 1 }, { n: 2 })
  await two.received(2)
  const before = await stage.api('POST', '/2/activity/subscriptions', { token, json })
  assert.equal(before.status, 200, before.text)
  await stage.publish({ n: 3 })
  await stage.until(async () => {
    const after = await stage.api('POST', '/2/activity/subscriptions', {
      token,
      json: { ...json, filter: { user_id: '102', direction: 'received' } },
    })
    return after.body.type?.endsWith('usage-capped')
  })
})
