import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { callAs, usersSeed } from '../stage/content.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { setPair } from '../stage/pair.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { signed } from '../stage/sign-in.ts'
import { rawRows } from '../storage/samples.ts'

const users = usersSeed('101', '102', '103', '104')

/** Besides the users of the tests, a token of 101 that may write but not read or send direct messages. */
const seed: SeedDocument = {
  ...users,
  tokens: [
    ...users.tokens!,
    {
      consumer_key: demoApp.consumer_key,
      user_id: '101',
      oauth_token: '101-writes',
      oauth_token_secret: 'secret',
      permissions: 'read_write',
    },
  ],
}

const stageOf = (flavour: Flavour) => setStage({ flavour, seed, environment: { POSTERN_RATE_LIMITS: 'off' } })

const sendTo = (stage: Stage, from: string, to: string, json: object = { text: 'Hello' }) =>
  callAs(stage, from, 'POST', `/2/dm_conversations/with/${to}/messages`, { json })
const sendIn = (stage: Stage, from: string, conversation: string, json: object = { text: 'Hello' }) =>
  callAs(stage, from, 'POST', `/2/dm_conversations/${conversation}/messages`, { json })
const createGroup = (stage: Stage, from: string, participant_ids: string[], message: object = { text: 'Hello all' }) =>
  callAs(stage, from, 'POST', '/2/dm_conversations', { json: { conversation_type: 'Group', participant_ids, message } })
const get = (stage: Stage, userId: string, path: string) => callAs(stage, userId, 'GET', path)

async function sent(answer: Promise<{ status: number; text: string; body: { data: { dm_event_id: string } } }>): Promise<string> {
  const { status, text, body } = await answer
  assert.equal(status, 201, text)
  return body.data.dm_event_id
}

const idsOf = async (stage: Stage, userId: string, path: string): Promise<string[]> => {
  const { status, body, text } = await get(stage, userId, path)
  assert.equal(status, 200, text)
  assert.equal(body.meta.result_count, body.data?.length ?? 0)
  return (body.data ?? []).map(({ id }: { id: string }) => id)
}

const relate = (stage: Stage, relation: string, source: string, target: string) =>
  rawRows(
    stage.databaseUrl,
    `insert into relations (relation, source, target, position) values ('${relation}', '${source}', '${target}', 1)`,
  )

const insertMedia = (stage: Stage, key: string, owner: string, createdAtMs: number) =>
  rawRows(
    stage.databaseUrl,
    `insert into media (media_key, owner_id, type, created_at_ms, view_count) values ('${key}', '${owner}', 'photo', ${createdAtMs}, 0)`,
  )

const HOUR_MS = 3_600_000
const EVENT_FIELDS = 'dm_event.fields=attachments,created_at,dm_conversation_id,entities,participant_ids,referenced_posts,sender_id'

for (const flavour of databasesOf(import.meta))
  suite(`direct messages on ${flavour}`, () => {
    test('a page token of one user is refused to the other of the same conversation', async () => {
      await using stage = await stageOf(flavour)
      for (const text of ['One', 'Two', 'Three']) await sent(sendTo(stage, '101', '102', { text }))
      for (const [own, foreign] of [
        ['/2/dm_events', '/2/dm_events'],
        ['/2/dm_conversations/with/102/dm_events', '/2/dm_conversations/with/101/dm_events'],
      ] as const) {
        const { next_token } = (await get(stage, '101', `${own}?max_results=1`)).body.meta
        assert.equal((await get(stage, '101', `${own}?max_results=1&pagination_token=${next_token}`)).status, 200)
        const { status, body } = await get(stage, '102', `${foreign}?max_results=1&pagination_token=${next_token}`)
        assert.deepEqual([status, Object.keys(body.errors[0].parameters)], [400, ['pagination_token']], foreign)
      }
    })

    test('a message is in the conversation of both, whose id is the smaller and the larger id', async () => {
      await using stage = await stageOf(flavour)
      const answer = await sendTo(stage, '102', '101', { text: 'Hello @user101 #stars' })
      const { dm_event_id: id } = answer.body.data
      assert.deepEqual([answer.status, answer.body], [201, { data: { dm_conversation_id: '101-102', dm_event_id: id } }])
      const path = `/2/dm_events/${id}?${EVENT_FIELDS}&expansions=sender_id,participant_ids`
      for (const reader of ['101', '102']) {
        const { body } = await get(stage, reader, path)
        const { created_at, ...shown } = body.data
        assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        assert.deepEqual(shown, {
          id,
          event_type: 'MessageCreate',
          text: 'Hello @user101 #stars',
          dm_conversation_id: '101-102',
          sender_id: '102',
          entities: { mentions: [{ start: 6, end: 14, username: 'user101', id: '101' }], hashtags: [{ start: 15, end: 21, tag: 'stars' }] },
        })
        assert.deepEqual(body.includes, { users: [{ id: '102', name: 'User 102', username: 'user102' }] })
      }
      const second = await sent(sendTo(stage, '101', '102'))
      const third = await sent(sendIn(stage, '102', '101-102'))
      for (const read of ['/2/dm_events', '/2/dm_conversations/101-102/dm_events', '/2/dm_conversations/with/102/dm_events'])
        assert.deepEqual(await idsOf(stage, '101', read), [third, second, id], read)
      const plain = await get(stage, '101', '/2/dm_conversations/with/102/dm_events?max_results=1')
      assert.deepEqual(plain.body.data, [{ id: third, event_type: 'MessageCreate', text: 'Hello' }])
    })

    test('events of all conversations are read in pages, newest first, and back', async () => {
      await using stage = await stageOf(flavour)
      const ids: string[] = []
      for (const other of ['102', '103', '102', '104', '103']) ids.unshift(await sent(sendTo(stage, '101', other)))
      await sent(sendTo(stage, '102', '103'))
      const [first, second] = [
        await get(stage, '101', '/2/dm_events?max_results=2'),
        async (token: string) => get(stage, '101', `/2/dm_events?max_results=2&pagination_token=${token}`),
      ] as const
      const idsIn = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)
      const next = await second(first.body.meta.next_token)
      const last = await second(next.body.meta.next_token)
      assert.deepEqual([idsIn(first), idsIn(next), idsIn(last)], [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
      assert.equal(last.body.meta.next_token, undefined)
      assert.deepEqual(idsIn(await second(last.body.meta.previous_token)), ids.slice(2, 4))
    })

    test('a group has its creator and 2 to 49 others, who join and all read and write', async () => {
      await using stage = await stageOf(flavour)
      const answer = await createGroup(stage, '101', ['103', '102'])
      const { dm_conversation_id: group, dm_event_id: id } = answer.body.data
      assert.equal(answer.status, 201)
      assert.match(group, /^[0-9]{15,19}$/)
      const reply = await sent(sendIn(stage, '103', group, { text: 'Hi' }))
      const events = await get(stage, '102', `/2/dm_conversations/${group}/dm_events?dm_event.fields=participant_ids,sender_id`)
      const [third, second, first] = events.body.data
      assert.deepEqual(third, { id: reply, event_type: 'MessageCreate', text: 'Hi', sender_id: '103' })
      assert.deepEqual(second, { id, event_type: 'MessageCreate', text: 'Hello all', sender_id: '101' })
      const { id: join, ...joined } = first
      assert.deepEqual(joined, { event_type: 'ParticipantsJoin', participant_ids: ['101', '103', '102'], sender_id: '101' })
      const path = `/2/dm_conversations/${group}/dm_events?event_types=`
      assert.deepEqual(await idsOf(stage, '102', `${path}MessageCreate`), [reply, id])
      assert.deepEqual(await idsOf(stage, '102', `${path}ParticipantsJoin,ParticipantsLeave`), [join])
      assert.deepEqual(await idsOf(stage, '102', '/2/dm_events?event_types=ParticipantsJoin'), [join])
      assert.equal((await get(stage, '102', `${path}Typing`)).status, 400)
      const many = (count: number) => Array.from({ length: count }, (_, place) => String(1001 + place))
      for (const wrong of [['102'], ['101', '102'], ['102', '102'], many(50)])
        assert.equal((await createGroup(stage, '101', wrong)).status, 400, String(wrong.length))
      assert.equal((await createGroup(stage, '101', ['102', '103'], {})).status, 400)
      assert.equal((await createGroup(stage, '101', ['102', '999'])).status, 404)
    })

    test('a message has text or one attachment of the sender, uploaded in the last 24 hours', async () => {
      await using stage = await stageOf(flavour)
      const now = stage.clock.now()
      await insertMedia(stage, '3_2001', '101', now - 23 * HOUR_MS)
      await insertMedia(stage, '3_2002', '101', now - 25 * HOUR_MS)
      await insertMedia(stage, '3_2003', '102', now)
      const attach = (...ids: string[]) => ({ attachments: ids.map((media_id) => ({ media_id })) })
      const id = await sent(sendTo(stage, '101', '102', attach('2001')))
      const shown = await get(stage, '102', `/2/dm_events/${id}?expansions=attachments.media_keys`)
      assert.deepEqual(shown.body, {
        data: { id, event_type: 'MessageCreate', attachments: { media_keys: ['3_2001'] } },
        includes: { media: [{ media_key: '3_2001', type: 'photo' }] },
      })
      const wrong = [{}, { text: '' }, { attachments: [] }, attach('2002'), attach('2003'), attach('2009'), attach('2001', '2001')]
      for (const json of [...wrong, { text: 'x'.repeat(10_001) }])
        assert.equal((await sendTo(stage, '101', '102', json)).status, 400, JSON.stringify(json).slice(0, 80))
    })

    test('who is closed to others, blocks, is blocked, suspended or unknown does not receive', async () => {
      await using stage = await stageOf(flavour)
      await rawRows(stage.databaseUrl, `update profiles set receives_dms = false where user_id = '102'`)
      const refused = async (to: string, status: number, detail: string) => {
        for (const answer of [
          await sendTo(stage, '101', to),
          await sendIn(stage, '101', `101-${to}`),
          await createGroup(stage, '101', [to, '104']),
        ])
          assert.deepEqual([answer.status, answer.body.detail.replace(/with \w+/, 'with')], [status, detail])
      }
      const CLOSED = 'You cannot send messages to a user who does not follow you and does not receive messages from everyone.'
      await refused('102', 403, CLOSED)
      await relate(stage, 'follow', '101', '102')
      await refused('102', 403, CLOSED)
      await relate(stage, 'follow', '102', '101')
      await sent(sendTo(stage, '101', '102'))
      await relate(stage, 'block', '103', '101')
      await refused('103', 403, 'You cannot send messages to this user.')
      const blocking = await sendTo(stage, '103', '101')
      assert.deepEqual([blocking.status, blocking.body.detail], [403, 'You cannot send messages to a user whom you block.'])
      await refused('999', 404, 'Could not find user with: [999].')
      await stage.operator('PATCH', '/operator/users/103', { disabled: true })
      await rawRows(stage.databaseUrl, `delete from relations where relation = 'block'`)
      await refused('103', 403, 'You cannot send messages to a suspended user.')
    })

    test('only participants read and write; a conversation and an event of others are answered as unknown ones', async () => {
      await using stage = await stageOf(flavour)
      const event = await sent(sendTo(stage, '101', '102'))
      const { dm_conversation_id: group, dm_event_id: inGroup } = (await createGroup(stage, '101', ['102', '103'])).body.data
      const [unknown, unknownPair] = ['1111111111111111111', '101-999']
      const same = async (answerOf: (id: string) => ReturnType<typeof get>, id: string, unknownId: string) => {
        const [foreign, none] = [await answerOf(id), await answerOf(unknownId)]
        assert.equal(foreign.status, 404)
        assert.equal(foreign.text.replaceAll(id, unknownId), none.text)
      }
      for (const id of [event, inGroup]) {
        await same((one) => get(stage, '104', `/2/dm_events/${one}`), id, unknown)
        await same((one) => callAs(stage, '104', 'DELETE', `/2/dm_events/${one}`), id, unknown)
      }
      for (const [id, unknownId] of [
        [group, unknown],
        ['101-102', unknownPair],
      ] as const) {
        await same((one) => get(stage, '104', `/2/dm_conversations/${one}/dm_events`), id, unknownId)
        await same((one) => sendIn(stage, '104', one), id, unknownId)
      }
      const { body } = await get(stage, '104', `/2/dm_conversations/${group}/dm_events`)
      const detail = `Could not find a conversation with id: [${group}].`
      assert.deepEqual(body, { type: 'about:blank', title: 'Not Found', status: 404, detail })
      assert.deepEqual(await idsOf(stage, '104', '/2/dm_events'), [])
      assert.deepEqual(await idsOf(stage, '104', '/2/dm_conversations/with/101/dm_events'), [])
    })

    test('a deleted event is gone for the user alone', async () => {
      await using stage = await stageOf(flavour)
      const [kept, deleted] = [await sent(sendTo(stage, '101', '102')), await sent(sendTo(stage, '101', '102'))]
      const answer = await callAs(stage, '102', 'DELETE', `/2/dm_events/${deleted}`)
      assert.deepEqual([answer.status, answer.body], [200, { data: { deleted: true } }])
      for (const path of ['/2/dm_events', '/2/dm_conversations/101-102/dm_events', '/2/dm_conversations/with/101/dm_events'])
        assert.deepEqual(await idsOf(stage, '102', path), [kept], path)
      assert.equal((await get(stage, '102', `/2/dm_events/${deleted}`)).status, 404)
      assert.equal((await callAs(stage, '102', 'DELETE', `/2/dm_events/${deleted}`)).status, 404)
      assert.deepEqual(await idsOf(stage, '101', '/2/dm_events'), [deleted, kept])
      assert.equal((await get(stage, '101', `/2/dm_events/${deleted}`)).body.data.id, deleted)
    })

    test('events are shown for 30 days', async () => {
      await using stage = await stageOf(flavour)
      const old = await sent(sendTo(stage, '101', '102'))
      stage.clock.advance(HOUR_MS)
      const newer = await sent(sendTo(stage, '101', '102'))
      stage.clock.advance(30 * 24 * HOUR_MS - HOUR_MS / 2)
      for (const path of ['/2/dm_events', '/2/dm_conversations/101-102/dm_events', '/2/dm_conversations/with/102/dm_events'])
        assert.deepEqual(await idsOf(stage, '101', path), [newer], path)
      assert.equal((await get(stage, '101', `/2/dm_events/${old}`)).status, 404)
      assert.equal((await get(stage, '101', `/2/dm_events/${newer}`)).body.data.id, newer)
    })

    test('an app alone, and a token without the permission for direct messages, are refused', async () => {
      await using stage = await stageOf(flavour)
      const event = await sent(sendTo(stage, '101', '102'))
      const calls = [
        ...['/2/dm_events', `/2/dm_events/${event}`, '/2/dm_conversations/101-102/dm_events', '/2/dm_conversations/with/102/dm_events'].map(
          (path) => ['GET', path] as const,
        ),
        ...['with/102/messages', '101-102/messages'].map((path) => ['POST', `/2/dm_conversations/${path}`] as const),
        ['POST', '/2/dm_conversations'] as const,
        ['DELETE', `/2/dm_events/${event}`] as const,
      ]
      const token = await stage.token()
      for (const [method, path] of calls) {
        const alone = await stage.api(method, path, { token })
        assert.equal(alone.status, 403)
        assert.match(alone.body.type, /\/unsupported-authentication$/)
        const writes = await signed(stage, method, path, { ...demoApp, oauth_token: '101-writes', oauth_token_secret: 'secret' })
        const { type, ...problem } = writes.body
        assert.match(type, /\/oauth1-permissions$/)
        assert.deepEqual(problem, {
          title: 'Forbidden',
          status: 403,
          detail: 'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
          errors: [{ code: 93, message: 'This application is not allowed to access or delete your direct messages.' }],
        })
      }
      assert.deepEqual(await idsOf(stage, '101', '/2/dm_events'), [event])
    })

    test('a token that may send messages sends none once its app may not, and again once it may', async () => {
      await using stage = await setStage({ flavour, seed })
      const permissions = async (level: string) =>
        assert.equal((await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { permissions: level })).status, 200)
      await permissions('read_write_dm')
      await sent(sendTo(stage, '101', '102'))
      for (const level of ['read_write', 'read']) {
        await permissions(level)
        const refused = await sendTo(stage, '101', '102')
        assert.deepEqual([refused.status, refused.body.errors[0].code], [403, 93], level)
      }
      await permissions('read_write_dm')
      await sent(sendTo(stage, '101', '102'))
    })

    test('two who write to each other for the first time at once share one conversation', async () => {
      await using pair = await setPair({ flavour, seed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const ids = await Promise.all(
        Array.from({ length: 10 }, (_, place) =>
          place % 2 ? sent(sendTo(pair.one, '101', '102')) : sent(sendTo(pair.other, '102', '101')),
        ),
      )
      assert.deepEqual((await idsOf(pair.one, '101', '/2/dm_events')).sort(), ids.sort())
      assert.deepEqual((await idsOf(pair.other, '102', '/2/dm_conversations/101-102/dm_events')).sort(), ids)
    })
  })
