// What direct messages, typing and reading announce: to whom, and what.
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import type { Answer } from '../stage/call.ts'
import { callAs } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { listening, outboxOf, subjectsOf, userJson, type Wanted } from '../stage/heard.ts'
import type { Stage } from '../stage/postern.ts'
import { rawRows } from '../storage/samples.ts'

const USERS = ['101', '102', '103']
const everybody = (...types: string[]): Wanted[] => types.flatMap((type) => USERS.map((id): Wanted => [type, id]))

const NO_ENTITIES = { hashtags: [], symbols: [], user_mentions: [], urls: [] }

const sentAs = (answer: Answer): { dm_conversation_id: string; dm_event_id: string } => {
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}
const sendTo = async (stage: Stage, from: string, to: string, json: object = { text: 'Hello' }) =>
  sentAs(await callAs(stage, from, 'POST', `/2/dm_conversations/with/${to}/messages`, { json }))
const sendIn = async (stage: Stage, from: string, conversation: string, json: object = { text: 'Hello' }) =>
  sentAs(await callAs(stage, from, 'POST', `/2/dm_conversations/${conversation}/messages`, { json }))
const createGroup = async (stage: Stage, from: string, participant_ids: string[]) =>
  sentAs(
    await callAs(stage, from, 'POST', '/2/dm_conversations', {
      json: { conversation_type: 'Group', participant_ids, message: { text: 'Hello all' } },
    }),
  )

const signal = (stage: Stage, from: string, name: string, form: Record<string, string>) =>
  callAs(stage, from, 'POST', `/1.1/direct_messages/${name}.json`, { form })

const usersOf = async (stage: Stage, ...ids: string[]) =>
  Object.fromEntries(
    await Promise.all(
      ids.map(async (id) => {
        const { created_at } = (await callAs(stage, id, 'GET', `/2/users/${id}?user.fields=created_at`)).body.data
        return [id, { data: userJson(id, created_at) }]
      }),
    ),
  )

const createdMs = async (stage: Stage, id: string): Promise<string> => {
  const [row] = await rawRows(stage.databaseUrl, `select created_at_ms from dm_events where id = ${id}`)
  return String(row!.created_at_ms)
}

for (const flavour of databasesOf(import.meta))
  suite(`events of direct messages on ${flavour}`, () => {
    test('a message is announced to its sender as sent and to the other user as received, in the v1.1 form', async () => {
      await using they = await listening(flavour, USERS, everybody('dm.sent', 'dm.received'))
      const { stage } = they
      const { dm_event_id: id } = await sendTo(stage, '101', '102', { text: 'Hi @user102 #stars $ABC' })
      const events = await they.heard()
      assert.deepEqual(subjectsOf(events), ['dm.received 102', 'dm.sent 101'])
      const message_create = {
        target: { recipient_id: '102' },
        sender_id: '101',
        message_data: {
          text: 'Hi @user102 #stars $ABC',
          entities: {
            hashtags: [{ text: 'stars', indices: [12, 18] }],
            symbols: [{ text: 'ABC', indices: [19, 23] }],
            user_mentions: [{ screen_name: 'user102', name: 'User 102', id: 102, id_str: '102', indices: [3, 11] }],
            urls: [],
          },
        },
      }
      const created_timestamp = await createdMs(stage, id)
      const payload = {
        direct_message_events: [{ type: 'message_create', id, created_timestamp, message_create }],
        users: await usersOf(stage, '101', '102'),
      }
      assert.deepEqual(events[0]!.payload, payload)
      assert.deepEqual(events[1]!.payload, payload)
      assert.deepEqual([events[0]!.includes, events[1]!.includes], [undefined, undefined])
    })

    test('a message in a conversation that exists is announced alike; one to oneself only as sent; a deleted one not at all', async () => {
      await using they = await listening(flavour, USERS, everybody('dm.sent', 'dm.received'))
      const { stage } = they
      const { dm_event_id } = await sendIn(stage, '102', '101-102')
      await sendTo(stage, '103', '103')
      assert.equal((await callAs(stage, '101', 'DELETE', `/2/dm_events/${dm_event_id}`)).status, 200)
      assert.deepEqual(subjectsOf(await they.heard()), ['dm.received 101', 'dm.sent 102', 'dm.sent 103'])
    })

    test('messages of a group are announced once to the sender and to each other participant', async () => {
      await using they = await listening(flavour, USERS, everybody('dm.sent', 'dm.received'))
      const { stage } = they
      const { dm_conversation_id: group } = await createGroup(stage, '101', ['102', '103'])
      assert.deepEqual(subjectsOf(await they.heard()), ['dm.received 102', 'dm.received 103', 'dm.sent 101'])
      await sendIn(stage, '103', group, { text: 'Hi' })
      const events = (await they.heard()).filter(({ payload }) => payload.direct_message_events[0].message_create.sender_id === '103')
      assert.deepEqual(subjectsOf(events), ['dm.received 101', 'dm.received 102', 'dm.sent 103'])
      const saidOf = ({ payload }: (typeof events)[number]) => {
        const [{ message_create }] = payload.direct_message_events
        return [message_create.target.recipient_id, message_create.message_data, Object.keys(payload.users)]
      }
      const data = { text: 'Hi', entities: NO_ENTITIES }
      assert.deepEqual(events.map(saidOf), [
        ['101', data, ['101', '103']],
        ['102', data, ['102', '103']],
        [group, data, ['101', '102', '103']],
      ])
    })

    test('a message with media has it as an attachment', async () => {
      await using they = await listening(flavour, USERS, [['dm.received', '102']])
      const { stage } = they
      await rawRows(
        stage.databaseUrl,
        `insert into media (media_key, owner_id, type, url, created_at_ms, view_count)
          values ('3_2001', '101', 'photo', 'https://media.example/1.png', ${stage.clock.now()}, 0)`,
      )
      await sendTo(stage, '101', '102', { attachments: [{ media_id: '2001' }] })
      const [event] = await they.heard()
      const media = {
        id: 2001,
        id_str: '2001',
        media_key: '3_2001',
        type: 'photo',
        indices: [0, 0],
        media_url: 'https://media.example/1.png',
        media_url_https: 'https://media.example/1.png',
      }
      const { message_data } = event!.payload.direct_message_events[0].message_create
      assert.deepEqual(message_data, { text: '', entities: NO_ENTITIES, attachment: { type: 'media', media } })
    })

    test('a numeric id beyond 2^53 keeps all its digits', async () => {
      const media = '1997712707928100867'
      await using they = await listening(flavour, USERS, [['dm.received', '102']])
      const { stage } = they
      await rawRows(
        stage.databaseUrl,
        `insert into media (media_key, owner_id, type, url, created_at_ms, view_count)
          values ('3_${media}', '101', 'photo', 'https://media.example/1.png', ${stage.clock.now()}, 0)`,
      )
      const { promise, resolve } = Promise.withResolvers<string>()
      they.receiver.intercept = (request, response) => {
        void text(request).then((body) => {
          response.end()
          resolve(body)
        })
        return true
      }
      await sendTo(stage, '101', '102', { attachments: [{ media_id: media }] })
      const body = await promise
      assert.match(body, /"attachment":\{"type":"media","media":\{"id":1997712707928100867,"id_str":"1997712707928100867"/)
    })

    test('who types shows it to the other user, and nobody else; both are told of', async () => {
      await using they = await listening(flavour, USERS, everybody('dm.indicate_typing'))
      const { stage } = they
      const before = stage.clock.now()
      const answer = await signal(stage, '101', 'indicate_typing', { recipient_id: '102' })
      assert.deepEqual([answer.status, answer.text, answer.headers.get('content-length')], [204, '', null])
      const [sent, event, ...more] = await they.heard()
      assert.deepEqual([more, sent!.filter, event!.filter], [[], { user_id: '101' }, { user_id: '102' }])
      assert.deepEqual(sent!.payload, event!.payload)
      const [{ created_timestamp, ...said }] = event!.payload.direct_message_indicate_typing_events
      assert.ok(Number(created_timestamp) >= before && typeof created_timestamp === 'string')
      assert.deepEqual(said, { sender_id: '101', target: { recipient_id: '102' } })
      assert.deepEqual(event!.payload.users, await usersOf(stage, '101', '102'))
    })

    test('who has read a conversation shows it to the other user, up to an event; both are told of', async () => {
      await using they = await listening(flavour, USERS, everybody('dm.read'))
      const { stage } = they
      const { dm_event_id } = await sendTo(stage, '102', '101')
      const { dm_event_id: foreign } = await sendTo(stage, '102', '103')
      const answer = await signal(stage, '101', 'mark_read', { recipient_id: '102', last_read_event_id: dm_event_id })
      assert.deepEqual([answer.status, answer.text], [204, ''])
      for (const wrong of [
        { recipient_id: '103', last_read_event_id: dm_event_id },
        { recipient_id: '102', last_read_event_id: foreign },
        { recipient_id: '102', last_read_event_id: '1' },
      ]) {
        const refused = await signal(stage, '101', 'mark_read', wrong)
        assert.deepEqual([refused.status, refused.body.errors[0].code], [404, 34], JSON.stringify(wrong))
      }
      const [sent, event, ...more] = await they.heard()
      assert.deepEqual([more, sent!.filter, event!.filter], [[], { user_id: '101' }, { user_id: '102' }])
      assert.deepEqual(sent!.payload, event!.payload)
      const [{ created_timestamp, ...said }] = event!.payload.direct_message_mark_read_events
      assert.match(created_timestamp, /^\d{13}$/)
      assert.deepEqual(said, { sender_id: '101', target: { recipient_id: '102' }, last_read_event_id: dm_event_id })
      assert.deepEqual(event!.payload.users, await usersOf(stage, '101', '102'))
    })

    test('who types or reads has sent it, and the other user has received it', async () => {
      const directions = ['sent', 'received'] as const
      const wanted = ['dm.indicate_typing', 'dm.read'].flatMap((type) =>
        ['101', '102'].flatMap((id) => directions.map((direction): Wanted => [type, id, direction])),
      )
      await using they = await listening(flavour, USERS, wanted)
      const { stage } = they
      const { dm_event_id } = await sendTo(stage, '102', '101')
      await signal(stage, '101', 'indicate_typing', { recipient_id: '102' })
      await signal(stage, '101', 'mark_read', { recipient_id: '102', last_read_event_id: dm_event_id })
      const heard = (await they.heard()).map(({ event_type, filter }) => [event_type, filter.user_id, filter.direction])
      assert.deepEqual(heard, [
        ['dm.indicate_typing', '101', 'sent'],
        ['dm.indicate_typing', '102', 'received'],
        ['dm.read', '101', 'sent'],
        ['dm.read', '102', 'received'],
      ])
    })

    test('what was received may be read although its sender receives no messages of the reader; typing to the sender is refused with code 150', async () => {
      await using they = await listening(flavour, USERS, everybody('dm.read', 'dm.indicate_typing'))
      const { stage } = they
      const { dm_event_id } = await sendTo(stage, '102', '101')
      await rawRows(stage.databaseUrl, "update profiles set receives_dms = false where user_id = '102'")
      const typed = await signal(stage, '101', 'indicate_typing', { recipient_id: '102' })
      const message = 'You cannot send messages to users who are not following you.'
      assert.deepEqual([typed.status, typed.body.errors], [403, [{ code: 150, message }]])
      const read = await signal(stage, '101', 'mark_read', { recipient_id: '102', last_read_event_id: dm_event_id })
      assert.deepEqual([read.status, read.text], [204, ''])
      assert.deepEqual(subjectsOf(await they.heard()), ['dm.read 101', 'dm.read 102'])
    })

    test('reading is refused across a block', async () => {
      await using they = await listening(flavour, USERS, everybody('dm.read'))
      const { stage } = they
      const { dm_event_id } = await sendTo(stage, '102', '101')
      await callAs(stage, '102', 'POST', '/2/users/102/blocking', { json: { target_user_id: '101' } })
      const { status, body } = await signal(stage, '101', 'mark_read', { recipient_id: '102', last_read_event_id: dm_event_id })
      assert.deepEqual([status, body.errors[0].code], [403, 349])
      assert.deepEqual(await they.heard(), [])
    })

    test('messages of a group are not announced to who blocks their sender, nor to the suspended', async () => {
      const members = [...USERS, '104']
      await using they = await listening(
        flavour,
        members,
        members.map((id): Wanted => ['dm.received', id]),
      )
      const { stage } = they
      const { dm_conversation_id: group } = await createGroup(stage, '101', ['102', '103', '104'])
      assert.deepEqual(subjectsOf(await they.heard()), ['dm.received 102', 'dm.received 103', 'dm.received 104'])
      await callAs(stage, '102', 'POST', '/2/users/102/blocking', { json: { target_user_id: '101' } })
      const suspended = await stage.operator('PATCH', '/operator/users/104', { disabled: true })
      assert.equal(suspended.status, 200, suspended.text)
      await sendIn(stage, '101', group, { text: 'Hi' })
      const hi = (await they.heard()).filter(({ payload }) => payload.direct_message_events[0].message_create.message_data.text === 'Hi')
      assert.deepEqual(subjectsOf(hi), ['dm.received 103'])
    })

    test('typing is refused to who blocks, to nobody and without the permission, and announces nothing', async () => {
      await using they = await listening(flavour, USERS, everybody('dm.indicate_typing'))
      const { stage } = they
      await callAs(stage, '102', 'POST', '/2/users/102/blocking', { json: { target_user_id: '101' } })
      const refusalOf = ({ status, body }: Answer) => [status, body.errors]
      const blocked = await signal(stage, '101', 'indicate_typing', { recipient_id: '102' })
      assert.deepEqual(refusalOf(blocked), [403, [{ code: 349, message: 'You cannot send messages to this user.' }]])
      const unknown = await signal(stage, '101', 'indicate_typing', { recipient_id: '999' })
      assert.deepEqual([unknown.status, unknown.body.errors[0].code], [404, 34])
      await rawRows(stage.databaseUrl, "update user_tokens set access = 'read_write' where user_id = '103'")
      await stage.restart()
      const unpermitted = await signal(stage, '103', 'indicate_typing', { recipient_id: '101' })
      const message = 'This application is not allowed to access or delete your direct messages.'
      assert.deepEqual(refusalOf(unpermitted), [403, [{ code: 93, message }]])
      assert.deepEqual(await outboxOf(stage.databaseUrl), [])
      assert.deepEqual(await they.heard(), [])
    })
  })
