import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Chunk } from '../../src/api/declare/endless-answer.ts'
import { createOperatorFeed } from '../../src/delivery/operator-feed/feed.ts'
import { createClock } from '../../src/lib/clock.ts'
import { call } from '../stage/call.ts'
import { follow } from '../stage/feed-client.ts'
import { demoApp, OPERATOR_TOKEN, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

test('the feed tells calls, events, attempts and challenges with their ids and states, as they happen', async () => {
  await using stage = await setStage({ fresh: true })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using feed = await follow(stage)
  assert.equal(feed.answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const { webhookId } = await stage.connect(receiver)
  const [uuid] = await stage.publish({ text: 'Hello' })
  const attempt = await stage.until(() => feed.updates().find(({ kind }) => kind === 'attempt'))
  const [hello] = feed.messages
  assert.deepEqual([hello!.event, hello!.data.worker, hello!.data.processes], ['hello', 0, 1])
  assert.deepEqual(
    [attempt.event_uuid, attempt.webhook_id, attempt.n, attempt.status, attempt.state, attempt.next_try_at],
    [uuid, webhookId, 1, 200, 'delivered', null],
  )
  const event = feed.updates().find(({ kind }) => kind === 'event')
  assert.deepEqual([event.event_uuid, event.event_type, event.webhook_ids, event.kept_back], [uuid, 'dm.received', [webhookId], []])
  const calls = feed.updates().filter(({ kind }) => kind === 'call')
  assert.deepEqual(
    calls.map(({ method, path, status }) => [method, path, status]),
    [
      ['POST', '/oauth2/token', 200],
      ['POST', '/2/webhooks', 200],
      ['POST', '/2/activity/subscriptions', 200],
    ],
  )
  assert.equal(feed.updates().find(({ kind }) => kind === 'challenge').passed, true)
})

test('a client that comes back gets what it has missed, and is told to read anew where that is gone', async () => {
  await using stage = await setStage({ fresh: true })
  const first = await follow(stage)
  await stage.publish({ n: 1 })
  const seen = await stage.until(() => first.messages.find(({ event }) => event === 'updates'))
  await first[Symbol.asyncDispose]()
  const [missed] = await stage.publish({ n: 2 })
  await using again = await follow(stage, seen.id)
  const event = await stage.until(() => again.updates()[0])
  assert.equal(event.event_uuid, missed)
  await using stranger = await follow(stage, 'another-process.7')
  await stage.until(() => stranger.messages.find(({ event }) => event === 'resync'))
  assert.deepEqual(stranger.updates(), [])
})

test('of a burst one message has 200 updates and the number of the others, and the 65th feed is refused', async () => {
  await using stage = await setStage({ fresh: true })
  await using feed = await follow(stage)
  await stage.publish(...Array.from({ length: 500 }, (_, n) => ({ n })))
  const burst = await stage.until(() => feed.messages.find(({ event }) => event === 'updates'))
  assert.deepEqual([burst.data.updates.length, burst.data.skipped], [200, 300])
  await using others = new AsyncDisposableStack()
  for (let count = 1; count < 64; count++) others.use(await follow(stage))
  const refused = await call(`${stage.origins.operator_url}/operator/feed`, 'GET', { token: OPERATOR_TOKEN })
  assert.equal(refused.status, 503)
  assert.match(refused.body.detail, /64 feeds/)
})

test('a feed that is attached once the server stops is ended at once', () => {
  const feed = createOperatorFeed(createClock())
  const attach = feed.open(undefined)!
  feed.stop()
  const ends: string[] = []
  const write = () => assert.fail('nothing is told any more')
  const end = ({ bytes }: Chunk) => void ends.push(String(bytes))
  attach({ write, end } as never, {}).closed()
  assert.deepEqual(ends, [': the server stops\n\n'])
  assert.equal(feed.isWatched(), false)
})
