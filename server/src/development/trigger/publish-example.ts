import { type ErrorDetail, invalidRequest } from '../../api/declare/problem.ts'
import type { EventTypeName } from '../../delivery/events/event-types.ts'
import type { PublishedEvent, Publisher } from '../../delivery/publish.ts'
import { type ExampleEvent, exampleEvent } from '../../endpoints/events/event-content.ts'
import { namesIn, setMember } from '../../endpoints/events/set-member.ts'
import { type EventWarning, eventWarnings } from '../../endpoints/operator/event-warnings.ts'
import type { NamedUsers } from '../../endpoints/operator/users/named-user.ts'
import type { Ids } from '../../lib/ids.ts'
import { writeExactJson } from '../../lib/numbers.ts'
import type { Action } from './actions.ts'
import { type Cast, peopleOfExample } from './people-of-event.ts'

/** What of an example is to be different. */
export interface Changes {
  text?: string
  payload?: Record<string, unknown>
  app_id?: string
}

interface ExampleServices {
  publisher: Publisher
  users: NamedUsers
  ids: Ids
  now: () => number
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

/** Why an event of a type is an example, as a sentence that says what of it is not real; undefined where its action can be performed. */
export function whyExample(
  type: EventTypeName,
  action: Action | undefined,
  { subject, other }: Cast,
  { payload }: Changes,
): string | undefined {
  const unreal = 'What the event tells of has not happened on this server, and cannot be looked up.'
  if (!action) return `No call makes a ${type} event, so an example was published. ${unreal}`
  if (payload !== undefined && Object.keys(payload).length > 0) return `With members of payload an example is published. ${unreal}`
  const stranger = [subject, other].find((named) => named && !named.found)
  return stranger && `The server has no user ${stranger.person.id}, so an example was published. ${unreal}`
}

/** Publishes an example of an event type; answers what is wrong with it. */
export async function publishExample(
  type: EventTypeName,
  cast: Cast,
  changes: Changes,
  services: ExampleServices,
): Promise<EventWarning[]> {
  const { publisher, users, ids, now } = services
  const people = await peopleOfExample(cast, users)
  // A copy: examples of a type share members that never change.
  const event = structuredClone(exampleEvent(type, { ...people, id: ids.next(), atMs: now() }))
  change(event, changes)
  const published = toPublished(event)
  const [accepted] = await publisher.publish([published])
  return eventWarnings([{ ...published, eventUuid: accepted!.eventUuid }], [Buffer.byteLength(writeExactJson(event))])
}
