import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayReceive, needsConsent } from '../../src/delivery/consent.ts'
import { userOfMatch } from '../../src/delivery/envelope.ts'
import { acceptedEventTypes, canonicalEventType } from '../../src/delivery/events/event-types.ts'
import type { UserConsent } from '../../src/storage/consents.ts'

/** The private event types (§5.6 and public practice), with the access and the scope that they need. */
const PRIVATE: readonly [types: readonly string[], access: 'read' | 'read_write_dm', scope: string][] = [
  [
    [
      ...['dm.received', 'dm.sent', 'dm.read', 'dm.indicate_typing', 'chat.received', 'chat.sent', 'chat.conversation_join'],
      ...['chat.conversation.member_added', 'chat.conversation.member_removed', 'chat.conversation.admin_added'],
      ...['chat.conversation.admin_removed', 'chat.update.group_name', 'chat.update.restrictions'],
    ],
    'read_write_dm',
    'dm.read',
  ],
  [['like.create'], 'read', 'like.read'],
  [['mute.mute', 'mute.unmute'], 'read', 'mute.read'],
  [['block.block', 'block.unblock'], 'read', 'block.read'],
  [['post.mention.create', 'post.reply.create', 'post.quote.create', 'post.repost.create'], 'read', 'post.read'],
]

const NOW = 1_700_000_000_000
const ACCESSES = ['read', 'read_write', 'read_write_dm'] as const
const nothing: UserConsent = { access: null, grants: [] }
const granted = (scopes: readonly string[], untilMs = NOW + 1): UserConsent => ({ access: null, grants: [{ scopes, untilMs }] })

test('an access of OAuth 1.0a suffices for a private type from the access that the type needs', () => {
  for (const [types, needed] of PRIVATE)
    for (const type of types)
      for (const access of ACCESSES) {
        const expected = needed === 'read' || access === 'read_write_dm'
        assert.equal(mayReceive(type, { access, grants: [] }, NOW), expected, `${type} with ${access}`)
      }
})

test('a live grant of OAuth 2.0 suffices with the scope of the type, and with no other', () => {
  const scopes = ['dm.read', 'like.read', 'mute.read', 'block.read', 'post.read', 'users.read', 'dm.write', 'like.write']
  for (const [types, , needed] of PRIVATE)
    for (const type of types) {
      for (const scope of scopes) assert.equal(mayReceive(type, granted([scope]), NOW), scope === needed, `${type} with ${scope}`)
      assert.equal(mayReceive(type, granted(scopes), NOW), true)
      assert.equal(mayReceive(type, granted([]), NOW), false)
      assert.equal(mayReceive(type, granted([needed], NOW), NOW), false, 'expired')
      const several: UserConsent = { access: null, grants: [{ scopes: [needed], untilMs: NOW - 1 }, ...granted([needed]).grants] }
      assert.equal(mayReceive(type, several, NOW), true, 'one of several is live')
    }
})

test('where there is an access of OAuth 1.0a, scopes are not looked at', () => {
  assert.equal(mayReceive('dm.received', { ...granted(['dm.read']), access: 'read_write' }, NOW), false)
  assert.equal(mayReceive('like.create', { ...granted(['dm.read']), access: 'read' }, NOW), true)
})

test('without consent there is nothing private, and everything public', () => {
  const isPrivate = new Set(PRIVATE.flatMap(([types]) => types))
  for (const type of acceptedEventTypes.map(canonicalEventType)) {
    assert.equal(needsConsent(type), isPrivate.has(type), type)
    for (const consent of [nothing, null]) assert.equal(mayReceive(type, consent, NOW), !isPrivate.has(type), type)
  }
})

test('the user of a delivery is that of its filter, and nothing in a tag or a keyword is taken for one', () => {
  assert.equal(userOfMatch('"filter":{"user_id":"101"},"tag":"x"'), '101')
  assert.equal(userOfMatch('"filter":{"user_id":"101","direction":"sent"}'), '101')
  assert.equal(userOfMatch('"filter":{"keyword":"\\"user_id\\":\\"7\\""},"tag":"\\"filter\\":{\\"user_id\\":\\"7\\""'), undefined)
  assert.equal(userOfMatch('"filter":{}'), undefined)
})
