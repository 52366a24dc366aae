// Events of actions whose process is killed between the commit and the publication.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Heard, outboxOf, subjectsOf, type Wanted } from '../stage/heard.ts'
import { authorization } from '../stage/oauth-client.ts'
import { holdLog, processesOn, subscribeTo } from '../stage/outbox-processes.ts'
import { adas, graces } from '../stage/signed-calls.ts'

async function callAs(origin: string, credentials: typeof adas, path: string, json: object) {
  const url = origin + path
  const header = authorization({ ...credentials, method: 'POST', url })
  const answer = await call(url, 'POST', { headers: { authorization: header }, json })
  assert.ok(answer.status < 300, answer.text)
  return answer.body.data
}

const ofBoth = (...types: string[]): Wanted[] =>
  types.flatMap((type): Wanted[] => [
    [type, '101'],
    [type, '102'],
  ])

const EVENTS = [
  ...['dm.received 102', 'dm.sent 101', 'follow.follow 101', 'follow.follow 102', 'like.create 101', 'like.create 102'],
  ...['post.mention.create 102'],
]

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: a like, a follow, a mention and a message whose process is killed before their publication are announced after the start, each once`, async () => {
    await using it = await processesOn(flavour)
    const { receiver } = it
    const first = await it.begin()
    const { base_url } = first.origins
    const wanted = ofBoth('like.create', 'follow.follow', 'dm.sent', 'dm.received', 'post.mention.create')
    await subscribeTo(base_url, receiver, ...wanted)
    const { id: post_id } = await callAs(base_url, graces, '/2/posts', { text: 'Hello' })
    const held = await holdLog(flavour, it.url)
    await callAs(base_url, adas, '/2/users/101/likes', { post_id })
    await callAs(base_url, adas, '/2/users/101/following', { target_user_id: '102' })
    await callAs(base_url, adas, '/2/dm_conversations/with/102/messages', { text: 'Hello' })
    await callAs(base_url, adas, '/2/posts', { text: 'For @grace' })
    const rows = await outboxOf(it.url)
    assert.deepEqual(rows.map(({ event_type, user_id }) => `${event_type} ${user_id}`).sort(), EVENTS)
    await first.postern.end('SIGKILL')
    await held.releaseAfterKill()
    assert.equal(receiver.posts, 0)

    const second = await it.begin()
    const events = await receiver.received(EVENTS.length)
    assert.deepEqual(subjectsOf(events.map(({ data }) => data as unknown as Heard)).sort(), EVENTS)
    assert.deepEqual(events.map(({ data }) => data!.event_uuid).sort(), rows.map(({ event_uuid }) => event_uuid).sort())
    assert.equal(await second.postern.end('SIGTERM'), 0)
    assert.deepEqual(await outboxOf(it.url), [])
    assert.equal(receiver.posts, EVENTS.length)
  })
