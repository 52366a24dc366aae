import { operator } from '../../access/operator.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { type ErrorDetail, invalidRequest } from '../../api/declare/problem.ts'
import { mutuallyExclusive } from '../../api/declare/rules.ts'
import { anyObject, id, integer, listOf, object, oneOf, optional, text } from '../../api/declare/words.ts'
import { directions } from '../../delivery/events/event-type.ts'
import { canonicalEventType, type EventTypeName } from '../../delivery/events/event-types.ts'
import type { PublishedEvent, Publisher } from '../../delivery/publish.ts'
import { type ExampleEvent, exampleEvent } from '../../endpoints/events/event-content.ts'
import { namesIn, setMember } from '../../endpoints/events/set-member.ts'
import { contentSpeller } from '../../endpoints/events/spell-content.ts'
import { eventWarnings } from '../../endpoints/operator/event-warnings.ts'
import { eventTypeName } from '../../endpoints/operator/events/event-type-name.ts'
import { type WhyNobodyServices, whyNotDelivered } from '../../endpoints/operator/events/why-not-delivered.ts'
import { userName } from '../../endpoints/operator/users/named-user.ts'
import type { Ids } from '../../lib/ids.ts'
import type { UserStore } from '../../storage/users.ts'
import { peopleOfEvent } from './people-of-event.ts'

const person = (description: string) => optional(userName({ description: `${description}: a user id or a username.` }))

/** A text of a payload fits where texts of posts and messages do. */
const MAX_TEXT = 25_000

interface Changes {
  text?: string
  payload?: Record<string, unknown>
  app_id?: string
}

/** Puts what was given into an example. Throws `invalid-request` with every member that its payload does not have. */
function change(event: ExampleEvent, { text, payload = {}, app_id }: Changes) {
  const mistakes: ErrorDetail[] = []
  const names = namesIn(event.payload).join(', ')
  for (const [name, value] of Object.entries(payload))
    if (!setMember(event.payload, name, value))
      mistakes.push({
        message: `$.payload.${name}: the payload of ${event.event_type} has no member ${name}, but ${names}`,
        parameters: { [`payload.${name}`]: [] },
      })
  if (typeof payload.text === 'string') event.text = payload.text
  const carriesText = text !== undefined && setMember(event.payload, 'text', text)
  if (text !== undefined && !carriesText && event.text === undefined)
    mistakes.push({ message: `$.text: events of the type ${event.event_type} have no text`, parameters: { text: [text] } })
  if (text !== undefined) event.text = text
  if (app_id !== undefined && event.event_type === 'oauth.revoke') setMember(event.payload, 'app_id', app_id)
  if (mistakes.length > 0) throw invalidRequest(mistakes)
}

const toPublished = ({ event_type, user_id, payload, includes, text, direction }: ExampleEvent): PublishedEvent => ({
  eventType: event_type,
  userId: user_id,
  payload,
  includes,
  text,
  ...(direction && { direction }),
})

interface Services extends WhyNobodyServices {
  publisher: Publisher
  users: UserStore
  ids: Ids
  dialect: Dialect
}

const eventSchema = object({
  event_type: text(),
  user_id: id(),
  direction: optional(oneOf(['sent', 'received'])),
  text: optional(text({ min: 0 })),
  payload: anyObject(),
  includes: optional(anyObject()),
})

export const triggerEvent = endpoint({
  name: 'triggerEvent',
  route: 'POST /operator/trigger',
  section: '§6',
  summary: 'Publish an example of an event.',
  description:
    'Development only. The event is as its type declares (`docs/events.md`), about the users that are named; without any, about the first users that there are. `to` is to whom it was done and `from` is who did it: whom the event is about follows from its type, and where either is possible from `direction`. `text` and the members of `payload` replace those of the example: a member that stands deeper in the payload is found by its name.',
  auth: operator,
  success: 202,
  params: {
    event_type: eventTypeName({ example: 'dm.received' }),
    user_id: person('The user whom the event is about'),
    user: person('The same as `user_id`'),
    to: person('To whom it was done'),
    from: person('Who did it'),
    direction: optional(
      oneOf(Object.keys(directions) as (keyof typeof directions)[], {
        description: 'Where its user may have done it or had it done to them.',
      }),
    ),
    text: optional(text({ min: 0, max: MAX_TEXT, example: 'Ahoy', description: 'The text of the post or message.' })),
    payload: optional(anyObject({ example: {}, description: 'Members of the payload, by name.' })),
    app_id: optional(id({ description: 'The app that `oauth.revoke` names.' })),
  },
  rules: [mutuallyExclusive('user', 'user_id')],
  answer: object({
    data: object({ event_uuid: text(), event: eventSchema }),
    meta: object({
      subscriptions: integer({ min: 0, description: 'The subscriptions that bring it to a webhook or a stream.' }),
      deliveries: integer({ min: 0, description: 'Deliveries to webhooks, those that are kept back included.' }),
      reasons: optional(listOf(text(), { description: 'Why no callback got it.' })),
    }),
    warnings: optional(listOf(object({ path: text({ min: 0 }), message: text() }))),
  }),
  async handle({ params: { event_type, user_id, user = user_id, from, to, direction, ...changes } }, services: Services) {
    const { publisher, users, ids, dialect, now } = services
    const type = canonicalEventType(event_type) as EventTypeName
    const userSentAs = user_id === undefined ? 'user' : 'user_id'
    const people = await peopleOfEvent(type, { user, userSentAs, from, to, direction: direction && directions[direction] }, users)
    // A copy: examples of a type share members that never change.
    const event = structuredClone(exampleEvent(type, { ...people, id: ids.next(), atMs: now() }))
    change(event, changes)
    const published = toPublished(event)
    const [accepted] = await publisher.publish([published])
    const { eventUuid, subscriptions, deliveries } = accepted!
    const [undelivered] = await whyNotDelivered([published], [accepted!], services)
    const warnings = await eventWarnings([{ ...published, eventUuid }], [Buffer.byteLength(JSON.stringify(event))])
    const spelled = contentSpeller(dialect)(type, event) as Pick<ExampleEvent, 'payload' | 'includes'>
    return {
      data: {
        event_uuid: eventUuid,
        event: { ...event, payload: spelled.payload, ...(spelled.includes && { includes: spelled.includes }) },
      },
      meta: { subscriptions, deliveries, ...(undelivered && { reasons: undelivered.reasons }) },
      ...(warnings.length > 0 && { warnings: warnings.map(({ path, message }) => ({ path, message })) }),
    }
  },
})
