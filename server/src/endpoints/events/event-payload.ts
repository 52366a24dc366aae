import { object, type TSchema } from '../../api/declare/words.ts'
import { User } from '../objects/user.ts'

/** A user in an example. */
export interface Person {
  id: string
  name: string
  username: string
}

/** A user as payloads carry it: `{"data": …}`. */
export const wrappedUser = object({ data: User.schema })

/** The user object of an example. */
export const userObject = ({ id, name, username }: Person) => ({
  id,
  name,
  username,
  created_at: '2019-03-04T10:15:00.000Z',
  protected: false,
  verified: false,
  verified_type: 'none',
  public_metrics: { followers_count: 12, following_count: 8, post_count: 30, listed_count: 1, like_count: 40, media_count: 3 },
})

export const wrapped = (person: Person) => ({ data: userObject(person) })

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
