import { iso, listOf, matching, moment, object, objectId, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import { includesSchema } from '../../api/objects/data-object.ts'
import type { EventTypeName } from '../../delivery/events/event-types.ts'
import { Post } from '../objects/post.ts'
import { User } from '../objects/user.ts'
import { chatPayloads } from './chat.ts'
import { directMessagePayloads } from './direct-messages.ts'
import { type EventPayload, payloadsOf, userObject, wrapped, wrappedUser } from './event-payload.ts'
import { postPayloads } from './posts.ts'

const NO_SAMPLE_OF_RELATION = 'No sample is published: it is that of `follow.follow`.'

const between = (more: Pick<EventPayload, 'subject' | 'byAnalogy'>): EventPayload => ({
  payload: object({ source: wrappedUser, target: wrappedUser }),
  sourceAt: 'payload.source.data.id',
  targetAt: 'payload.target.data.id',
  ...more,
  example: ({ source, target }) => ({ payload: { source: wrapped(source), target: wrapped(target) } }),
})

const follow = between({ subject: 'either' })
const relation = between({ subject: 'source', byAnalogy: NO_SAMPLE_OF_RELATION })

/** What a user does to another (§6.8). */
const userPayloads = payloadsOf({
  'follow.follow': follow,
  'follow.unfollow': follow,
  'mute.mute': relation,
  'mute.unmute': relation,
  'block.block': relation,
  'block.unblock': relation,
  'like.create': {
    payload: object({
      id: text({ description: 'The id of the like.' }),
      liked_post_id: objectId(),
      liked_post_author_id: objectId({ example: '101' }),
      created_at: text({ description: 'A time in ISO 8601.' }),
      timestamp_ms: matching('^[0-9]{1,19}$', { description: 'The same time, in milliseconds since 1970.', mustBe: 'digits' }),
    }),
    includes: includesSchema([User, Post]),
    subject: 'either',
    targetAt: 'payload.liked_post_author_id',
    example: ({ source, target, id, atMs }) => ({
      payload: {
        id,
        liked_post_id: '2234209271808086016',
        liked_post_author_id: target.id,
        created_at: iso(atMs),
        timestamp_ms: String(atMs),
      },
      includes: { users: [userObject(source), userObject(target)] },
    }),
  },
})

const BROADCAST_ID = '1zqKVXPQhvZJB'
const ofSpace = 'No sample is published: it follows that of `spaces.start`.'

const broadcastId = matching('^[a-zA-Z0-9]{1,13}$', { example: BROADCAST_ID })

const live = (eventType: string, byAnalogy?: string): EventPayload => ({
  payload: object({ user: wrappedUser, broadcast_id: broadcastId, event_type: oneOf([eventType]) }),
  subject: 'source',
  sourceAt: 'payload.user.data.id',
  ...(byAnalogy && { byAnalogy }),
  example: ({ source }) => ({ payload: { user: wrapped(source), broadcast_id: BROADCAST_ID, event_type: eventType } }),
})

/** Spaces and broadcasts (§6.8). */
const spacePayloads = payloadsOf({
  'spaces.start': live('spaces_start'),
  'spaces.end': live('spaces_end'),
  'broadcast.start': live('broadcast_start', ofSpace),
  'broadcast.end': live('broadcast_end', ofSpace),
  'broadcast.chat': {
    payload: object({
      user: wrappedUser,
      broadcast_id: broadcastId,
      event_type: oneOf(['broadcast_chat']),
      sender: wrappedUser,
      text: text(),
    }),
    subject: 'source',
    sourceAt: 'payload.user.data.id',
    byAnalogy: ofSpace,
    example: ({ source, target }) => ({
      payload: {
        user: wrapped(source),
        broadcast_id: BROADCAST_ID,
        event_type: 'broadcast_chat',
        sender: wrapped(target),
        text: 'Ahoy',
      },
    }),
  },
})

const names = optional(listOf(text()))

const contexts = object({
  entities: optional(object({ events: names, organizations: names, people: names, places: names, products: names })),
  topics: names,
  finance: optional(object({ tickers: names })),
  sports: optional(object({ teams: names })),
})

/** News stories (§6.8). */
const newsPayloads = payloadsOf({
  'news.new': {
    payload: object({
      id: text(),
      name: text(),
      category: optional(text()),
      hook: optional(text()),
      summary: optional(text()),
      contexts: optional(contexts),
      cluster_posts_results: optional(listOf(object({ post_id: objectId() }))),
      updated_at: optional(timestamp()),
      disclaimer: optional(text()),
    }),
    example: ({ id, atMs }) => ({
      payload: {
        id,
        name: 'The old lighthouse is lit again',
        category: 'News',
        hook: 'After thirty dark years.',
        summary: 'The lighthouse of Saltmere was lit on Sunday.',
        contexts: { entities: { places: ['Saltmere'] }, topics: ['Harbours'] },
        cluster_posts_results: [{ post_id: '2234209271808086016' }],
        updated_at: iso(atMs),
        disclaimer: 'This story is a summary of posts.',
      },
      text: 'The old lighthouse is lit again. The lighthouse of Saltmere was lit on Sunday.',
    }),
  },
})

const value = text({ min: 0 })

const change = (before: string, after: string): EventPayload => ({
  payload: object({ before: value, after: value }),
  subject: 'source',
  example: () => ({ payload: { before, after } }),
})

/** Changes of profiles (§6.8). Pictures are given by their URLs. */
const profilePayloads = payloadsOf({
  'profile.update.bio': change('Keeps tide tables.', 'Keeps the tide tables of Saltmere harbour.'),
  'profile.update.profile_picture': change('https://example.com/avatars/1.png', 'https://example.com/avatars/2.png'),
  'profile.update.banner_picture': change('https://example.com/banners/1.png', 'https://example.com/banners/2.png'),
  'profile.update.screenname': change('Ada', 'Ada of Saltmere'),
  'profile.update.geo': change('', 'Saltmere'),
  'profile.update.url': change('', 'https://example.com/ada'),
  'profile.update.verified': change('none', 'blue'),
  'profile.update.affiliate': change('', 'saltmere_news'),
  'profile.update.handle': change('ada', 'ada_of_saltmere'),
})

const dateTime = moment('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)$', {
  example: '2026-03-01T12:00:00.000Z',
  mustBe: 'a time in ISO 8601',
})

/** Authorizations of apps (§6.8). */
const oauthPayloads = payloadsOf({
  'oauth.revoke': {
    payload: object({ date_time: dateTime, user_id: objectId({ example: '101' }), app_id: text({ example: '1' }) }),
    subject: 'source',
    sourceAt: 'payload.user_id',
    example: ({ source, atMs }) => ({ payload: { date_time: iso(atMs), user_id: source.id, app_id: '1' } }),
  },
})

/** The payload of every event type. */
export const eventPayloads: Readonly<Record<EventTypeName, EventPayload>> = {
  ...profilePayloads,
  ...newsPayloads,
  ...userPayloads,
  ...spacePayloads,
  ...directMessagePayloads,
  ...chatPayloads,
  ...postPayloads,
  ...oauthPayloads,
}
