import { anyObject, object, optional, type TSchema } from '../../api/declare/words.ts'
import { type EventTypeName, eventTypeNames } from '../../delivery/events/event-types.ts'
import type { EventExample, Person } from './event-payload.ts'
import { eventPayloads } from './event-payloads.ts'
import { openSchema } from './open-schema.ts'

export const isEventTypeName = (name: string): name is EventTypeName => (eventTypeNames as readonly string[]).includes(name)

/** What the events of a type carry: their `payload`, and their `includes`. Members that are not declared are allowed at every depth. */
export function eventContent(name: EventTypeName): { payload: TSchema; includes: TSchema } {
  const { payload, includes = anyObject() } = eventPayloads[name]
  return { payload: openSchema(payload), includes: openSchema(includes) }
}

export const contentSchema = (name: EventTypeName): TSchema => {
  const { payload, includes } = eventContent(name)
  return openSchema(object({ payload, includes: optional(includes) }))
}

export interface ExampleOptions {
  /** The user whom the event is about. */
  subject: Person
  /** The other user. */
  other: Person
  /** Whether the subject did it, or it was done to them, where both are possible. */
  direction?: 'sent' | 'received'
  id: string
  atMs: number
}

/** An event of a type, as a producer sends it. */
export interface ExampleEvent extends EventExample {
  event_type: EventTypeName
  user_id: string
  direction?: 'sent' | 'received'
}

/** An example of a type, with these users and ids. */
export function exampleEvent(name: EventTypeName, { subject, other, direction = 'sent', id, atMs }: ExampleOptions): ExampleEvent {
  const { subject: role, example } = eventPayloads[name]
  const isTarget = role === 'target' || (role === 'either' && direction === 'received')
  const [source, target] = isTarget ? [other, subject] : [subject, other]
  return {
    event_type: name,
    user_id: subject.id,
    ...(role === 'either' && { direction }),
    ...example({ source, target, id, atMs }),
  }
}

/** The users of printed examples; both are in the demo seed. */
export const ADA: Person = { id: '101', name: 'Ada', username: 'ada' }
export const GRACE: Person = { id: '102', name: 'Grace', username: 'grace' }

/** An example of a type that is always the same, to print. */
export const printedExample = (name: EventTypeName): ExampleEvent =>
  exampleEvent(name, { subject: ADA, other: GRACE, id: '2234209271808086017', atMs: Date.UTC(2026, 2, 1, 12) })
