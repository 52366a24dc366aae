import { type ErrorDetail, invalidRequest } from '../../api/declare/problem.ts'
import type { EventTypeName } from '../../delivery/events/event-types.ts'
import { ADA, GRACE } from '../../endpoints/events/event-content.ts'
import type { Person } from '../../endpoints/events/event-payload.ts'
import { eventPayloads } from '../../endpoints/events/event-payloads.ts'
import { type NamedUsers, namedUser } from '../../endpoints/operator/users/named-user.ts'
import type { User } from '../../storage/users.ts'

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
  among?: readonly string[]
}

/** A user who was named; `found` is undefined for one whom the server does not have. */
export interface NamedPerson {
  person: Person
  found: User | undefined
}

/** Those who were named, by their part in the event. */
export interface Cast {
  /** Whom the event is about. */
  subject: NamedPerson | undefined
  other: NamedPerson | undefined
  /** Whether it is about the user to whom it was done. */
  aboutTarget: boolean
  /** Who is thought of first where nobody was named. */
  among: readonly User[]
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
async function personNamed(users: NamedUsers, parameter: string, given: string): Promise<NamedPerson> {
  const { id, found } = await namedUser(users, parameter, given)
  return { person: personOf(found ?? { id, name: `User ${id}`, username: `user${id}` }), found }
}

/** The users where nobody was named: `among`, those of the printed examples, where they exist, then the first ones. */
export async function usualUsers({ among }: Cast, users: NamedUsers, limit = FIRST_USERS): Promise<User[]> {
  const demo = (await Promise.all([ADA, GRACE].map(({ id }) => users.byId(id)))).filter((user) => user !== undefined)
  const all = [...among, ...demo, ...(await users.list({ after: null, limit }))]
  return [...new Map(all.map((user) => [user.id, user])).values()]
}

/** The users of a list of ids and usernames, without ids that the server does not have: a test may have deleted some of its users. */
const usersAmong = async (given: readonly string[], users: NamedUsers): Promise<User[]> =>
  (await Promise.all(given.map((one) => namedUser(users, 'among', one)))).flatMap(({ found }) => found ?? [])

/** Whether the event is about the user to whom it was done. */
function isAboutTarget(type: EventTypeName, { user, from, to, direction }: Named): boolean {
  const { subject } = eventPayloads[type]
  if (subject !== 'either') return subject === 'target'
  if (direction !== undefined) return direction === 'received'
  return user === undefined && from === undefined && to !== undefined
}

/**
 * The parts of those who were named in an event of a type. Throws `invalid-request` for a username that nobody has, and for `user` together
 * with a different name for the same user.
 */
export async function castOf(type: EventTypeName, named: Named, users: NamedUsers): Promise<Cast> {
  const aboutTarget = isAboutTarget(type, named)
  const [own, others] = aboutTarget ? (['to', 'from'] as const) : (['from', 'to'] as const)
  const find = (name: 'user' | 'from' | 'to') =>
    named[name] === undefined ? undefined : personNamed(users, name === 'user' ? named.userSentAs : name, named[name])
  const [user, same, other] = await Promise.all([find('user'), find(own), find(others)])
  if (user && same && user.person.id !== same.person.id)
    throw invalidRequest([
      mistake(
        own,
        named[own]!,
        `a ${type} event is about the user ${own === 'to' ? 'who received it' : 'who did it'}: leave user or ${own} away, and name the other with ${others}`,
      ),
    ])
  return { subject: user ?? same, other, aboutTarget, among: await usersAmong(named.among ?? [], users) }
}

/** The users of an example: those who were named, and the usual ones. */
export async function peopleOfExample(cast: Cast, users: NamedUsers): Promise<People> {
  const { subject: named, other: given, aboutTarget } = cast
  const usual: Person[] = [...(await usualUsers(cast, users)), ADA, GRACE]
  const subject = named?.person ?? usual.find(({ id }) => id !== given?.person.id)!
  const other = given?.person ?? usual.find(({ id }) => id !== subject.id)!
  return { subject: personOf(subject), other: personOf(other), direction: aboutTarget ? 'received' : 'sent' }
}

const personOf = ({ id, name, username }: Person): Person => ({ id, name, username })
