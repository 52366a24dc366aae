import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { adsCaller, dataOf } from '../stage/ads.ts'
import { POST, postsSeed } from '../stage/ads-posts.ts'
import { call } from '../stage/call.ts'
import { cases } from '../stage/cases.ts'
import { databasesOf } from '../stage/databases.ts'
import { countsOf, outboxOf } from '../stage/heard.ts'
import { authorization } from '../stage/oauth-client.ts'
import { holdLog, processesOn, subscribeTo } from '../stage/outbox-processes.ts'
import { demoApp, OPERATOR_TOKEN, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver, type TestReceiver } from '../stage/receiver.ts'
import { ada, signed } from '../stage/sign-in.ts'
import { adas } from '../stage/signed-calls.ts'
import { rawRows } from '../storage/samples.ts'

const flavours = databasesOf(import.meta)
/** While a producer publishes. */
const POSTS = cases(20, 60)

interface PostCreated {
  event_uuid: string
  event_type: string
  filter: object
  payload: { id: string; text: string; author_id: string; entities: { mentions: { id: string }[] }; referenced_posts?: object[] }
  includes: { users: Record<string, string>[]; posts: { id: string }[] }
}

const FILTER = { user_id: ada.id }

/** Posts in the name of Ada; answers the id. */
async function post(origin: string, json: object, nowMs?: number): Promise<string> {
  const url = `${origin}/2/posts`
  const answer = await call(url, 'POST', { headers: { authorization: authorization({ ...adas, method: 'POST', url, nowMs }) }, json })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.id
}

async function connected(stage: Stage, receiver: TestReceiver, filter: object = FILTER) {
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  await stage.subscribe(webhookId, token, { event_type: 'post.create', filter })
  return { token, webhookId }
}

for (const flavour of flavours)
  suite(`post.create on ${flavour}`, () => {
    test('is not lost while a producer publishes events in the same process', async () => {
      await using stage = await setStage({ flavour, seed: postsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      await connected(stage, receiver)
      const events = Array.from({ length: cases(200, 1000) }, () => ({ event_type: 'dm.received', user_id: '999', payload: {} }))
      let isPosting = true
      const produce = async () => {
        while (isPosting) {
          const { status } = await call(`${stage.origins.operator_url}/operator/events`, 'POST', {
            token: OPERATOR_TOKEN,
            json: { events },
          })
          assert.equal(status, 202)
        }
      }
      const producing = produce()
      const ids: string[] = []
      for (let place = 0; place < POSTS; place += 1)
        ids.push(await post(stage.origins.base_url, { text: `post ${place}` }, stage.clock.now()))
      isPosting = false
      await producing
      const received = await receiver.received(POSTS)
      assert.deepEqual(received.map(({ data }) => (data as unknown as PostCreated).payload.id).sort(), ids.sort())
    })

    test('arrives signed, once, with the post as v2 has it, and the users in it', async () => {
      await using stage = await setStage({ flavour, seed: postsSeed })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      await connected(stage, receiver)
      const id = await post(stage.origins.base_url, { text: 'Hello @grace #tide' }, stage.clock.now())
      const [event] = await receiver.received(1)
      const { event_uuid, filter, event_type, payload, includes } = event!.data as unknown as PostCreated
      assert.match(event_uuid, /^[0-9]{1,19}$/)
      assert.deepEqual([filter, event_type], [FILTER, 'post.create'])
      const fields =
        'post.fields=author_id,conversation_id,created_at,display_text_range,edit_controls,edit_history_post_ids,entities,lang,possibly_sensitive,public_metrics,reply_settings,source'
      const read = await signed(stage, 'GET', `/2/posts/${id}?${fields}`, adas)
      const { public_metrics, ...shown } = read.body.data
      assert.deepEqual(payload, { ...shown, public_metrics: countsOf(public_metrics) })
      assert.deepEqual([payload.text, payload.author_id, payload.entities.mentions[0]!.id], ['Hello @grace #tide', '101', '102'])
      assert.deepEqual(
        includes.users.map(({ id, username }: Record<string, string>) => [id, username]),
        [
          ['101', 'ada'],
          ['102', 'grace'],
        ],
      )
      assert.ok(!('confirmed_email' in includes.users[0]!) && !('non_public_metrics' in payload))
      await stage.until(async () => (await outboxOf(stage.databaseUrl)).length === 0)
      assert.equal(receiver.posts, 1)
    })

    test('comes of every way to make a post but seeds; posts for promotion only and of protected authors are not announced', async () => {
      await using stage = await setStage({ flavour, seed: postsSeed })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const { token, webhookId } = await connected(stage, receiver, { keyword: 'tide' })
      const ads = adsCaller(stage)
      const base = stage.origins.base_url
      dataOf(await ads('POST', POST, { as_user_id: ada.id, text: 'A promoted tide' }))
      await post(base, { text: 'A promoted tide of v2', nullcast: true }, stage.clock.now())
      await post(base, { text: 'No water' }, stage.clock.now())
      const organic = dataOf(await ads('POST', POST, { as_user_id: ada.id, text: 'An organic tide', nullcast: false })).id_str
      const [first] = await receiver.received(1)
      assert.equal((first!.data!.payload as { id: string }).id, organic)
      const quoting = await post(base, { text: 'A tide quoted', quote_post_id: organic }, stage.clock.now())
      const [, second] = await receiver.received(2)
      const { payload, includes } = second!.data as unknown as PostCreated
      assert.deepEqual([payload.id, payload.referenced_posts, includes.posts[0]!.id], [quoting, [{ type: 'quoted', id: organic }], organic])

      await rawRows(stage.databaseUrl, "update profiles set protected = true where user_id = '101'")
      await post(base, { text: 'A protected tide' }, stage.clock.now())
      await rawRows(stage.databaseUrl, "update profiles set protected = false where user_id = '101'")
      const last = await post(base, { text: 'The last tide' }, stage.clock.now())
      const events = await receiver.received(3)
      assert.deepEqual(
        events.map(({ data }) => (data!.payload as { id: string }).id),
        [organic, quoting, last],
      )
      assert.ok(token && webhookId)
      await stage.until(async () => (await outboxOf(stage.databaseUrl)).length === 0)
    })

    test('leaves nothing behind where nobody has subscribed, and where a post is refused', async () => {
      await using stage = await setStage({ flavour, seed: postsSeed })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      await post(stage.origins.base_url, { text: 'Before' }, stage.clock.now())
      await connected(stage, receiver)
      const url = `${stage.origins.base_url}/2/posts`
      const sign = () => authorization({ ...adas, method: 'POST', url, nowMs: stage.clock.now() })
      const again = await call(url, 'POST', { headers: { authorization: sign() }, json: { text: 'Before' } })
      assert.equal(again.status, 403)
      assert.deepEqual(await outboxOf(stage.databaseUrl), [])
      const id = await post(stage.origins.base_url, { text: 'After' }, stage.clock.now())
      const events = await receiver.received(1)
      assert.deepEqual(
        events.map(({ data }) => (data!.payload as { id: string }).id),
        [id],
      )
    })
  })

const subscribe = (base: string, receiver: TestReceiver) => subscribeTo(base, receiver, ['post.create', ada.id])

const idsIn = (events: readonly { data?: object }[]) => events.map(({ data }) => (data as PostCreated).payload.id)

for (const flavour of flavours) {
  test(`${flavour}: a post.create whose process is killed between the post and its publication is delivered after the start, once`, async () => {
    await using it = await processesOn(flavour)
    const { receiver } = it
    const first = await it.begin()
    await subscribe(first.origins.base_url, receiver)
    const held = await holdLog(flavour, it.url)
    const id = await post(first.origins.base_url, { text: 'Hello' })
    const [row] = await outboxOf(it.url)
    assert.deepEqual([row!.event_type, row!.user_id], ['post.create', '101'])
    await first.postern.end('SIGKILL')
    await held.releaseAfterKill()
    assert.equal(receiver.posts, 0)

    const second = await it.begin()
    const [event] = await receiver.received(1)
    assert.deepEqual([event!.data!.event_uuid, ...idsIn([event!])], [row!.event_uuid, id])
    const next = await post(second.origins.base_url, { text: 'Hello again' })
    assert.deepEqual(idsIn(await receiver.received(2)), [id, next])
    assert.equal(await second.postern.end('SIGTERM'), 0)
    assert.deepEqual(await outboxOf(it.url), [])
    assert.equal(receiver.posts, 2)
  })

  test(`${flavour}: while the event log cannot be written posts are answered, and their events come once it can`, async () => {
    await using stage = await setStage({ flavour, seed: postsSeed })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await connected(stage, receiver)
    const held = await holdLog(flavour, stage.databaseUrl)
    const write = (text: string) => post(stage.origins.base_url, { text }, stage.clock.now())
    const ids = [await write('One'), await write('Two')]
    assert.equal((await outboxOf(stage.databaseUrl)).length, 2)
    await held.release()
    assert.deepEqual(idsIn(await receiver.received(2)).sort(), ids.sort())
    await stage.stop()
    assert.deepEqual(await outboxOf(stage.databaseUrl), [])
    assert.equal(receiver.posts, 2)
  })
}

test('in a fleet another process publishes what a killed one left, without a start', async () => {
  await using it = await processesOn('postgres')
  const { receiver } = it
  const [first, second] = [await it.begin(), await it.begin()]
  await subscribe(first.origins.base_url, receiver)
  const held = await holdLog('postgres', it.url)
  const id = await post(first.origins.base_url, { text: 'Hello' })
  await first.postern.end('SIGKILL')
  await held.releaseAfterKill()
  assert.deepEqual(idsIn(await receiver.received(1)), [id])
  const next = await post(second.origins.base_url, { text: 'Hello again' })
  assert.deepEqual(idsIn(await receiver.received(2)), [id, next])
  assert.equal(await second.postern.end('SIGTERM'), 0)
  assert.deepEqual(await outboxOf(it.url), [])
})
