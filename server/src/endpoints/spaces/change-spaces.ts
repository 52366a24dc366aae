import { userWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { forbidden, invalidRequest } from '../../api/declare/problem.ts'
import { atLeastOneOf } from '../../api/declare/rules.ts'
import { boolean, defaulting, matching, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import type { Announcement, Outbox } from '../../delivery/outbox.ts'
import type { Ids } from '../../lib/ids.ts'
import { spaces } from '../../storage/content-tables.ts'
import { unknownObject } from '../objects/not-found.ts'
import { publicUsers } from '../objects/public-objects.ts'
import { Space } from '../objects/space.ts'
import { lockActingUser } from '../posts/acting-user.ts'
import { spaceId } from './spaces.ts'

interface SpaceChange {
  id: string
  creatorId: string
  atMs: number
}

/** The event that a space began or ended, about its creator. Its `event_type` inside is spelled as in the published samples (§6.8). */
const ofSpace =
  (eventType: string, inner: string) =>
  ({ id, creatorId, atMs }: SpaceChange): Announcement => ({
    eventType,
    userId: creatorId,
    async say(transaction) {
      const users = await publicUsers(transaction, [creatorId], atMs)
      return { payload: { user: { data: users.get(creatorId) }, broadcast_id: id, event_type: inner } }
    },
  })

const spaceStarted = ofSpace('spaces.start', 'spaces_start')
const spaceEnded = ofSpace('spaces.end', 'spaces_end')

/** The characters of an id after the first, `1`. */
const LENGTH = 12

/** The id of a new space: 13 characters, all different in whichever case. */
const newSpaceId = (ids: Pick<Ids, 'nextBase36'>): string => `1${ids.nextBase36().padStart(LENGTH, '0')}`

interface WriteServices {
  outbox: Outbox
  ids: Ids
  now: () => number
}

type State = 'scheduled' | 'live' | 'ended'

/** Public practice has no scope for writing spaces: who may post for the user may. */
const WRITES_SPACES = ['post.read', 'post.write', 'space.read', 'users.read'] as const

const write = { section: '§2.9', auth: userWith('read_write'), scopes: WRITES_SPACES, rateLimit: 50, problems: ['forbidden'] } as const
const answer = object({ data: object({ id: spaceId(), state: oneOf(['scheduled', 'live', 'ended']) }) })
const title = () => text({ max: 70, example: 'Astronomy at night' })

const invalid = (name: string, message: string, value: string) =>
  invalidRequest([{ message: `$.${name}: ${message}`, parameters: { [name]: [value] } }])

/** A user has no more live and scheduled spaces at a time. */
const MOST_OPEN = 10

export const createSpace = endpoint({
  ...write,
  name: 'createSpace',
  route: 'POST /2/spaces',
  summary: "Create a space: a live one, or with `scheduled_start` a scheduled one. Postern's own: the public API cannot create spaces.",
  description: `An OAuth 2.0 access token needs \`post.write\` beside \`space.read\`. A user has up to ${MOST_OPEN} live and scheduled spaces at a time. \`spaces.start\` is published for a live one.`,
  params: {
    title: title(),
    lang: optional(matching('^[a-z]{2,3}$', { example: 'en', mustBe: 'the code of a language, like en' })),
    is_ticketed: defaulting(boolean(), false),
    scheduled_start: optional(timestamp({ description: 'A time to come.' })),
  },
  answer,
  example: { title: 'Astronomy at night' },
  async handle({ params: { scheduled_start, lang = '', ...sent }, caller: { user } }, { outbox, ids, now }: WriteServices) {
    const nowMs = now()
    const startMs = scheduled_start === undefined ? undefined : Date.parse(scheduled_start)
    if (startMs !== undefined && startMs <= nowMs) throw invalid('scheduled_start', 'must be a time to come', scheduled_start!)
    const state: State = startMs === undefined ? 'live' : 'scheduled'
    const space = {
      id: newSpaceId(ids),
      creator_id: user.id,
      state,
      lang,
      ...sent,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      scheduled_start_ms: startMs,
      started_at_ms: state === 'live' ? nowMs : undefined,
      participant_count: 0,
      subscriber_count: 0,
      host_ids: JSON.stringify([user.id]),
    }
    const events = state === 'live' ? [spaceStarted({ id: space.id, creatorId: user.id, atMs: nowMs })] : []
    await outbox.change(events, async (transaction, announce) => {
      // Of two spaces at once one sees the other.
      await lockActingUser(transaction, user.id)
      if ((await transaction.openSpaces(user.id)) >= MOST_OPEN)
        throw forbidden(`You have ${MOST_OPEN} live and scheduled spaces, the most at a time: end one first.`)
      await transaction.insert(spaces, space)
      await announce(events)
    })
    return { data: { id: space.id, state } }
  },
})

/** The state that may follow each state. */
const following: Record<State, State | undefined> = { scheduled: 'live', live: 'ended', ended: undefined }

/** The columns that a space in a state gets with another one. Throws `invalid-request` for a state that cannot follow. */
function changeOf(from: State, to: State | undefined, nowMs: number) {
  if (to === undefined || to === from) return {}
  if (following[from] !== to) throw invalid('state', `a space that is ${from} cannot become ${to}`, to)
  return { state: to, ...(to === 'live' ? { started_at_ms: nowMs } : { ended_at_ms: nowMs }) }
}

/** The event of a space that gets a state. */
const eventOf: Record<State, ((change: Parameters<typeof spaceStarted>[0]) => Announcement) | undefined> = {
  scheduled: undefined,
  live: spaceStarted,
  ended: spaceEnded,
}

export const updateSpace = endpoint({
  ...write,
  name: 'updateSpace',
  route: 'PUT /2/spaces/:id',
  summary: "Start or end a space of the authenticated user, or change its title. Postern's own: the public API cannot change spaces.",
  description:
    'A scheduled space becomes live, and a live one ends. An ended space stays so. `spaces.start` or `spaces.end` is published for a change of the state.',
  params: { id: spaceId(), state: optional(oneOf(['live', 'ended'])), title: optional(title()) },
  rules: [atLeastOneOf('state', 'title')],
  answer,
  problems: ['resource-not-found', 'forbidden'],
  example: { state: 'ended' },
  async handle({ params: { id, state, title }, caller: { user } }, { outbox, now }: WriteServices) {
    const nowMs = now()
    const event = state && eventOf[state]?.({ id, creatorId: user.id, atMs: nowMs })
    const events = event ? [event] : []
    const after = await outbox.change(events, async (transaction, announce) => {
      const space = await transaction.get(spaces, id, ['creator_id', 'state'])
      if (!space) throw unknownObject({ object: Space, value: id, parameter: 'id' })
      if (space.creator_id !== user.id) throw forbidden('You are not allowed to change a space of another user.')
      const before = space.state as State
      const changes = { ...changeOf(before, state, nowMs), ...(title !== undefined && { title }), updated_at_ms: nowMs }
      await transaction.update(spaces, id, changes)
      if (state !== before) await announce(events)
      return state ?? before
    })
    return { data: { id, state: after } }
  },
})
