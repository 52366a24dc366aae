import { type ErrorDetail, invalidRequest } from '../../api/declare/problem.ts'
import type { EventTypeName } from '../../delivery/events/event-types.ts'
import { ADA, GRACE } from '../../endpoints/events/event-content.ts'
import type { Person } from '../../endpoints/events/event-payload.ts'
import { eventPayloads } from '../../endpoints/events/event-payloads.ts'
import { type NamedUsers, namedUser } from '../../endpoints/operator/users/named-user.ts'

/** Who takes part in an event, each as a user id or a username. */
export interface Named {
  /** Whom the event is about. */
  user?: string
  /** The name that `user` was sent under. */
  userSentAs: 'user' | 'user_id'
  /** Who did it. */
  from?: string
  /** To whom it was done. */
  to?: string
  direction?: 'sent' | 'received'
}

export interface People {
  subject: Person
  other: Person
  direction: 'sent' | 'received'
}

const FIRST_USERS = 3

const mistake = (name: string, value: string, rule: string): ErrorDetail => ({
  message: `$.${name}: ${rule}`,
  parameters: { [name]: [value] },
})

/** A user by id or username. One with an unknown id is made up: a producer may publish events about users whom Postern does not have. */
async function personNamed(users: NamedUsers, parameter: string, given: string): Promise<Person> {
  const { id, found } = await namedUser(users, parameter, given)
  return found ?? { id, name: `User ${id}`, username: `user${id}` }
}

/** The users of an event where nobody was named: those of the printed examples, where they exist, else the first ones. */
async function usualPeople(users: NamedUsers): Promise<Person[]> {
  const demo = (await Promise.all([ADA, GRACE].map(({ id }) => users.byId(id)))).filter((user) => user !== undefined)
  const first = await users.list({ after: null, limit: FIRST_USERS })
  return [...demo, ...first, ADA, GRACE]
}

/** Whether the event is about the user to whom it was done. */
function isAboutTarget(type: EventTypeName, { user, from, to, direction }: Named): boolean {
  const { subject } = eventPayloads[type]
  if (subject !== 'either') return subject === 'target'
  if (direction !== undefined) return direction === 'received'
  return user === undefined && from === undefined && to !== undefined
}

/**
 * The users that an event of a type is about, from those that were named. Throws `invalid-request` for a username that nobody has, and for
 * `user` together with a different name for the same user.
 */
export async function peopleOfEvent(type: EventTypeName, named: Named, users: NamedUsers): Promise<People> {
  const aboutTarget = isAboutTarget(type, named)
  const [own, others] = aboutTarget ? (['to', 'from'] as const) : (['from', 'to'] as const)
  const find = (name: 'user' | 'from' | 'to') =>
    named[name] === undefined ? undefined : personNamed(users, name === 'user' ? named.userSentAs : name, named[name])
  const [user, same, given] = await Promise.all([find('user'), find(own), find(others)])
  if (user && same && user.id !== same.id)
    throw invalidRequest([
      mistake(
        own,
        named[own]!,
        `a ${type} event is about the user ${own === 'to' ? 'who received it' : 'who did it'}: leave user or ${own} away, and name the other with ${others}`,
      ),
    ])
  const usual = await usualPeople(users)
  const subject = user ?? same ?? usual.find(({ id }) => id !== given?.id)!
  const other = given ?? usual.find(({ id }) => id !== subject.id)!
  return { subject: personOf(subject), other: personOf(other), direction: aboutTarget ? 'received' : 'sent' }
}

const personOf = ({ id, name, username }: Person): Person => ({ id, name, username })
