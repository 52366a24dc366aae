import { operator } from '../../access/operator.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { mutuallyExclusive } from '../../api/declare/rules.ts'
import { anyObject, boolean, defaulting, exactObject, id, integer, listOf, object, oneOf, optional, text } from '../../api/declare/words.ts'
import { directions } from '../../delivery/events/event-type.ts'
import { canonicalEventType, type EventTypeName } from '../../delivery/events/event-types.ts'
import type { Published, Publisher } from '../../delivery/publish.ts'
import { eventTypeName } from '../../endpoints/events/event-type-name.ts'
import { contentSpeller } from '../../endpoints/events/spell-content.ts'
import type { EventWarning } from '../../endpoints/operator/event-warnings.ts'
import { type WhyNobodyServices, whyNotDelivered } from '../../endpoints/operator/events/why-not-delivered.ts'
import { userName } from '../../endpoints/operator/users/named-user.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Semaphore } from '../../lib/mutex.ts'
import type { AppStore } from '../../storage/apps.ts'
import type { UserStore } from '../../storage/users.ts'
import type { Publications } from '../inboxes/publications.ts'
import { actions } from './actions.ts'
import type { CausedEvent, Causes } from './caused.ts'
import type { FirstAttempts } from './first-attempts.ts'
import { type Cast, castOf } from './people-of-event.ts'
import { type Performed, type PerformServices, performAction } from './perform-action.ts'
import { type Changes, publishExample, whyExample } from './publish-example.ts'
import { type TellServices, tellDeliveries, toldDeliverySchema } from './told-deliveries.ts'

const person = (description: string) => optional(userName({ description: `${description}: a user id or a username.` }))

/** A text of a payload fits where texts of posts and messages do. */
const MAX_TEXT = 25_000

interface Services extends Omit<WhyNobodyServices, 'apps' | 'dialect'>, Omit<PerformServices, 'users'>, Omit<TellServices, 'dialect'> {
  publisher: Publisher
  apps: AppStore
  users: UserStore
  ids: Ids
  dialect: Dialect
  causes: Causes
  attempts: FirstAttempts
  /** Says why an inbox got nothing. */
  publications: Pick<Publications, 'forNobody'>
  /** Of two at once one sees what the other has done. */
  oneAtATime: Semaphore
}

/** What is to happen. */
interface Triggering {
  type: EventTypeName
  cast: Cast
  /** Where either of two users may be meant. */
  direction: 'sent' | 'received'
  changes: Changes
}

/** What was done instead of an example, or what is wrong with the example. */
interface Done {
  performed?: Performed
  warnings: EventWarning[]
}

/** Performs the action of the type, or publishes an example where `why` says so. */
async function cause({ type, cast, changes }: Triggering, why: string | undefined, services: Services): Promise<Done> {
  const action = actions[type]
  if (action && why === undefined)
    return { performed: await performAction({ type, action, cast, text: changes.text }, services), warnings: [] }
  return { warnings: await publishExample(type, cast, changes, services) }
}

/** Whom the event is about that was asked for. */
const subjectOf = ({ cast }: Triggering, { source, target }: Performed) => (cast.aboutTarget ? target.id : source.id)

const isDirected = (event: CausedEvent['event'], direction: string) => event.direction === undefined || event.direction === direction

/** The event that was asked for, among those that the action caused; undefined if there was none. */
function wantedOf(triggering: Triggering, { performed }: Done, caused: readonly CausedEvent[]): CausedEvent | undefined {
  if (!performed) return caused.at(-1)
  const userId = subjectOf(triggering, performed)
  return caused.findLast(
    ({ event }) => event.eventType === triggering.type && event.userId === userId && isDirected(event, triggering.direction),
  )
}

const NOTHING: Published = { eventUuid: '', repeated: false, subscriptions: 0, deliveries: 0, keptBack: [] }

const MADE_NONE =
  'The action was performed and made no event of this type: there is none about what protected users do, between users of whom one blocks the other, or about what users do to themselves.'

/** Why no callback got the event that was asked for; undefined if one did. */
async function reasonsOf(triggering: Triggering, done: Done, wanted: CausedEvent | undefined, services: Services) {
  const { type, changes, direction } = triggering
  const unpublished = done.performed && {
    eventType: type,
    userId: subjectOf(triggering, done.performed),
    payload: {},
    text: changes.text,
    direction,
  }
  const event = wanted?.event ?? unpublished!
  const [undelivered] = await whyNotDelivered([event], [wanted?.accepted ?? NOTHING], services)
  const reasons = undelivered?.reasons
  const wasWanted = wanted === undefined && reasons?.some((reason) => / matches(?: and has no webhook.*)?$/.test(reason))
  if (!wanted) services.publications.forNobody(event.eventType, event.userId, wasWanted ? MADE_NONE : undefined)
  return wasWanted ? [MADE_NONE] : reasons
}

/** The event as it was published, in the words of the served dialect. */
function eventView({ event, accepted }: CausedEvent, dialect: Dialect) {
  const { eventType, userId, direction, text } = event
  const { payload, includes } = contentSpeller(dialect)(eventType, event)
  return {
    event_uuid: accepted.eventUuid,
    event: {
      event_type: eventType,
      user_id: userId,
      ...(direction !== undefined && { direction }),
      ...(text !== undefined && { text }),
      payload: payload as Record<string, unknown>,
      ...(includes !== undefined && { includes: includes as Record<string, unknown> }),
    },
  }
}

const performedView = ({ performed }: Done, { path, anything }: Dialect) => {
  if (!performed) return { example: true }
  const [method, route] = performed.route.split(' ') as [string, string]
  const { source, target, answer } = performed
  const to = target.id === source.id ? {} : { to: target.id }
  return {
    example: false,
    performed: `${method} ${path(route)}`,
    from: source.id,
    ...to,
    answer: anything(answer) as Record<string, unknown>,
  }
}

/** Causes the event; answers once what it caused was attempted, if `wait` says so. */
async function trigger(triggering: Triggering, wait: boolean, services: Services) {
  const { causes, attempts, oneAtATime, dialect } = services
  const why = whyExample(triggering.type, actions[triggering.type], triggering.cast, triggering.changes)
  const watch = attempts.watch()
  try {
    const { result: done, caused } = await oneAtATime(() => causes.during(() => cause(triggering, why, services)))
    const wanted = wantedOf(triggering, done, caused)
    const others = caused.filter((one) => one !== wanted)
    const deliveries = wait ? await tellDeliveries(wanted ? [wanted, ...others] : others, watch, services) : undefined
    const reasons = await reasonsOf(triggering, done, wanted, services)
    const { subscriptions, deliveries: count } = wanted?.accepted ?? NOTHING
    return {
      data: { ...(wanted && eventView(wanted, dialect)), ...performedView(done, dialect), ...(deliveries && { deliveries }) },
      meta: { subscriptions, deliveries: count, ...(reasons && { reasons }), ...(why !== undefined && { note: why }) },
      ...(done.warnings.length > 0 && { warnings: done.warnings.map(({ path, message }) => ({ path, message })) }),
    }
  } finally {
    watch.close()
  }
}

const eventSchema = object({
  event_type: text(),
  user_id: id(),
  direction: optional(oneOf(['sent', 'received'])),
  text: optional(text({ min: 0 })),
  payload: anyObject(),
  includes: optional(anyObject()),
})

const dataSchema = object({
  event_uuid: optional(text({ description: 'Absent, like `event`, if nobody has subscribed to an event of an action.' })),
  event: optional(eventSchema),
  example: boolean({ description: 'Whether it is an example. Otherwise an action was performed, and what the event tells of is there.' }),
  performed: optional(text({ description: 'The call that was made: `POST /2/posts`.' })),
  from: optional(id({ description: 'The user who made the call.' })),
  to: optional(id({ description: 'The other user.' })),
  answer: optional(anyObject({ description: 'What the call answered: the id of a post or message.' })),
  deliveries: optional(
    listOf(toldDeliverySchema, {
      description: 'With `wait`: all deliveries of what it caused, those of the event that was asked for first.',
    }),
  ),
})

export const triggerEvent = endpoint({
  name: 'triggerEvent',
  route: 'POST /operator/trigger',
  section: '§6',
  summary: 'Cause an event of a type, and wait until it was delivered.',
  description:
    'Development only. A type that actions of users cause (`docs/events.md`: made by) is caused by that action: the call is made on behalf of `from`, through the oldest app, without its rate limit, past the faults of calls and not in GET /operator/requests, and the event follows as from a client. So the post, message or relation of which it tells is there. `to` is to whom it is done; `user` is whom the event is about, which follows from the type, and where either is possible from `direction`. Who is not named is somebody who may. What must be there before is made: a post to reply to, a space to end. `text` is the text of the post or message, the bio, name, location, URL or title. The refusal of an action is answered as it is, with the user in its `detail`. All other types are published as examples, and so is any type with members of `payload`, which replace those of the example by their names, or with a user whom the server does not have: `data.example` is true then, and `meta.note` says why. With `wait` the answer comes once each delivery was attempted, and says what the callback answered; one that a fault or a backlog keeps back is told with the `reason` instead. An attempt at a callback that does not answer ends with `POSTERN_CALLBACK_TIMEOUT`.',
  auth: operator,
  success: 202,
  params: {
    event_type: eventTypeName({ example: 'dm.received' }),
    user_id: person('The user whom the event is about'),
    user: person('The same as `user_id`'),
    to: person('To whom it is done'),
    from: person('Who does it'),
    among: optional(
      listOf(userName(), {
        max: 50,
        description: 'User ids or usernames: who is not named is one of these, if one of them may. Ids of nobody are left out.',
      }),
    ),
    direction: optional(
      oneOf(Object.keys(directions) as (keyof typeof directions)[], {
        description: 'Where its user may have done it or had it done to them.',
      }),
    ),
    text: optional(
      text({ min: 0, max: MAX_TEXT, example: 'Ahoy', description: 'The text of the post or message, or what the profile says.' }),
    ),
    payload: optional(exactObject({ example: {}, description: 'Members of the payload of an example, by name.' })),
    app_id: optional(id({ description: 'The app that `oauth.revoke` names.' })),
    wait: defaulting(
      boolean({ description: 'Answer once all deliveries were attempted. False: as soon as the event is published.' }),
      true,
    ),
  },
  rules: [mutuallyExclusive('user', 'user_id')],
  answer: object({
    data: dataSchema,
    meta: object({
      subscriptions: integer({ min: 0, description: 'The subscriptions that bring the event to a webhook or a stream.' }),
      deliveries: integer({ min: 0, description: 'Deliveries of the event to webhooks, those that are kept back included.' }),
      reasons: optional(listOf(text(), { description: 'Why no callback got it.' })),
      note: optional(text({ description: 'Of an example: why it is one, and what of it is not real.' })),
    }),
    warnings: optional(listOf(object({ path: text({ min: 0 }), message: text() }))),
  }),
  problems: ['forbidden', 'not-found', 'resource-not-found', 'conflict'],
  async handle(
    { params: { event_type, user_id, user = user_id, from, to, among, direction: sent, wait, ...changes } },
    services: Services,
  ) {
    const type = canonicalEventType(event_type) as EventTypeName
    const userSentAs = user_id === undefined ? 'user' : 'user_id'
    const direction = sent && directions[sent]
    const cast = await castOf(type, { user, userSentAs, from, to, direction, among }, services.users)
    return trigger({ type, cast, direction: cast.aboutTarget ? 'received' : 'sent', changes }, wait, services)
  },
})
