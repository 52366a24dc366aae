import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allEndpoints } from '../../scripts/all-endpoints.ts'
import { acceptedEventTypes, canonicalEventType, deprecationOf, eventTypeNames, eventTypes } from '../../src/delivery/events/event-types.ts'
import { CANONICAL, PRIVATE, PUBLIC } from '../stage/specified-events.ts'

/** §6, §9: deprecated since March 2026. */
const DEPRECATED: Record<string, string> = {
  ProfileBioUpdate: 'profile.update.bio',
  ProfilePictureUpdate: 'profile.update.profile_picture',
  ProfileBannerUpdate: 'profile.update.banner_picture',
  ProfileBannerPictureUpdate: 'profile.update.banner_picture',
  ProfileScreennameUpdate: 'profile.update.screenname',
  ProfileGeoUpdate: 'profile.update.geo',
  ProfileUrlUpdate: 'profile.update.url',
  ProfileVerifiedBadgeUpdate: 'profile.update.verified',
  ProfileAffiliateBadgeUpdate: 'profile.update.affiliate',
  ProfileHandleUpdate: 'profile.update.handle',
  NewsNew: 'news.new',
  FollowFollow: 'follow.follow',
  FollowUnfollow: 'follow.unfollow',
}

/** Public practice. */
const ALIASES: Record<string, string> = {
  'profile.update.verified_badge': 'profile.update.verified',
  'profile.update.affiliate_badge': 'profile.update.affiliate',
  'chat.conversation.join': 'chat.conversation_join',
}

test('every event type is accepted by its name and its other names, and has one canonical name', () => {
  assert.deepEqual([...eventTypeNames].sort(), [...CANONICAL].sort())
  for (const type of CANONICAL) assert.equal(canonicalEventType(type), type)
  const aliases = { ...ALIASES, ...DEPRECATED }
  for (const [alias, type] of Object.entries(aliases)) assert.equal(canonicalEventType(alias), type)
  assert.deepEqual([...acceptedEventTypes].sort(), [...CANONICAL, ...Object.keys(aliases)].sort())
})

test('the names in PascalCase, and no others, are deprecated since March 2026 in favour of the canonical ones', () => {
  for (const [name, successor] of Object.entries(DEPRECATED))
    assert.deepEqual(deprecationOf(name), { since: '2026-03-31T00:00:00Z', successor }, name)
  for (const name of [...CANONICAL, ...Object.keys(ALIASES), 'constructor', '']) assert.equal(deprecationOf(name), undefined, name)
})

test('private types name the access or the scopes that their user must have granted; public ones need none', () => {
  for (const type of PUBLIC) assert.equal(eventTypes[type]!.consent, null, type)
  for (const [types, access, scope] of PRIVATE)
    for (const type of types) assert.deepEqual(eventTypes[type]!.consent, { access, scopes: [scope] }, type)
})

test('every type but news says which user it is about', () => {
  for (const [name, { subject }] of Object.entries(eventTypes)) assert.equal(subject === undefined, name === 'news.new', name)
})

/** The event types that no call of the API makes: producers publish them. */
const ofProducers = [
  'broadcast.chat',
  'broadcast.end',
  'broadcast.start',
  'chat.conversation.admin_added',
  'chat.conversation.admin_removed',
  'chat.conversation.member_added',
  'chat.conversation.member_removed',
  'chat.conversation_join',
  'chat.received',
  'chat.sent',
  'chat.update.group_name',
  'chat.update.restrictions',
  'news.new',
  'oauth.revoke',
  'profile.update.affiliate',
  'profile.update.banner_picture',
  'profile.update.handle',
  'profile.update.profile_picture',
  'profile.update.verified',
]

test('every other event type names the endpoints whose calls make it, and they exist', () => {
  const routes = new Set(allEndpoints.map(({ method, path }) => `${method} ${path}`))
  const silent = Object.entries(eventTypes).filter(([, { madeBy = [] }]) => madeBy.length === 0)
  assert.deepEqual(silent.map(([name]) => name).sort(), ofProducers)
  for (const [name, { madeBy = [] }] of Object.entries(eventTypes))
    for (const route of madeBy) assert.ok(routes.has(route), `${name}: ${route}`)
})
