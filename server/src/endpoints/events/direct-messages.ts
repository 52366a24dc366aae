import { anyObject, listOf, mapOf, matching, object, objectId, oneOf, optional, text } from '../../api/declare/words.ts'
import { type EventPayload, type Person, payloadsOf, wrapped, wrappedUser } from './event-payload.ts'

const userId = objectId({ example: '101' })
const target = object({ recipient_id: userId })
const milliseconds = matching('^[0-9]{1,19}$', { example: '1772366400000', description: 'Milliseconds since 1970.', mustBe: 'digits' })
const users = mapOf(wrappedUser, { description: 'The users whom the event names, by their ids.' })

const directMessage = object({
  type: oneOf(['message_create']),
  id: objectId(),
  created_timestamp: milliseconds,
  message_create: object({
    target,
    sender_id: userId,
    message_data: object({
      text: text({ min: 0 }),
      entities: optional(anyObject({ description: '`hashtags`, `symbols`, `user_mentions` and `urls`.' })),
    }),
  }),
})

const bothUsers = (...people: Person[]) => Object.fromEntries(people.map((person) => [person.id, wrapped(person)]))

const NO_ENTITIES = { hashtags: [], symbols: [], user_mentions: [], urls: [] }

const message = (subject: EventPayload['subject']): EventPayload => ({
  payload: object({ direct_message_events: listOf(directMessage, { min: 1 }), users }),
  subject,
  sourceAt: 'payload.direct_message_events.*.message_create.sender_id',
  targetAt: 'payload.direct_message_events.*.message_create.target.recipient_id',
  example: ({ source, target, id, atMs }) => ({
    payload: {
      direct_message_events: [
        {
          type: 'message_create',
          id,
          created_timestamp: String(atMs),
          message_create: {
            target: { recipient_id: target.id },
            sender_id: source.id,
            message_data: { text: 'Ahoy', entities: NO_ENTITIES },
          },
        },
      ],
      users: bothUsers(source, target),
    },
  }),
})

const ofAccountActivity = (name: string) => `No sample is published: it follows \`${name}\` of the older account activity.`

const sign = { created_timestamp: milliseconds, sender_id: userId, target }

/** What a user lets another know beside messages. */
const signal = (
  name: string,
  more: Record<string, typeof milliseconds>,
  exampleOf: (id: string) => Record<string, string>,
): EventPayload => ({
  payload: object({ [name]: listOf(object({ ...sign, ...more }), { min: 1 }), users }),
  byAnalogy: ofAccountActivity(name),
  subject: 'either',
  sourceAt: `payload.${name}.*.sender_id`,
  targetAt: `payload.${name}.*.target.recipient_id`,
  example: ({ source, target, id, atMs }) => ({
    payload: {
      [name]: [{ created_timestamp: String(atMs), sender_id: source.id, target: { recipient_id: target.id }, ...exampleOf(id) }],
      users: bothUsers(source, target),
    },
  }),
})

/** Direct messages, in the form of the older account activity (§6.8). */
export const directMessagePayloads = payloadsOf({
  'dm.received': message('target'),
  'dm.sent': message('source'),
  'dm.read': signal('direct_message_mark_read_events', { last_read_event_id: objectId() }, (id) => ({ last_read_event_id: id })),
  'dm.indicate_typing': signal('direct_message_indicate_typing_events', {}, () => ({})),
})
