import type { TSchema } from '../../api/declare/words.ts'
import type { Person } from './person.ts'

/** What an example is made of. */
export interface Cast {
  /** Who did it. */
  source: Person
  /** To whom it was done. */
  target: Person
  /** The id of what was made: a post, a message. */
  id: string
  atMs: number
}

export interface EventExample {
  payload: Record<string, unknown>
  includes?: Record<string, unknown>
  /** What keyword filters match. */
  text?: string
}

/** What an event of a type carries. */
export interface EventPayload {
  payload: TSchema
  includes?: TSchema
  /** Says that no sample of the payload is published, and what it follows instead. */
  byAnalogy?: string
  /** Which of the two the event is about; `either` where its direction decides (`sent`: the source). Absent for an event that is not about a user. */
  subject?: 'source' | 'target' | 'either'
  /** Where the ids of the two stand, from the event on: `payload.sender_id`; `*` stands for every item or member. */
  sourceAt?: string
  targetAt?: string
  example(cast: Cast): EventExample
}

/** Declares the payloads of a family of event types. */
export const payloadsOf = <Name extends string>(payloads: Record<Name, EventPayload>): Readonly<Record<Name, EventPayload>> => payloads
