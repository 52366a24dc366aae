import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../src/api/declare/problem.ts'
import { eventTypeNames } from '../../src/delivery/events/event-types.ts'
import { checkFilter } from '../../src/endpoints/activity/check-filter.ts'

/** §6 and public practice: the members that the filter of each event type may have. */
const MEMBERS: readonly [types: readonly string[], members: readonly string[]][] = [
  [
    [
      ...['dm.received', 'dm.sent', 'dm.read', 'dm.indicate_typing', 'chat.received', 'chat.sent', 'chat.conversation_join'],
      ...['chat.conversation.member_added', 'chat.conversation.member_removed', 'chat.conversation.admin_added'],
      ...['chat.conversation.admin_removed', 'chat.update.group_name', 'chat.update.restrictions'],
    ],
    ['user_id', 'direction'],
  ],
  [
    ['follow.follow', 'follow.unfollow', 'like.create'],
    ['user_id', 'direction'],
  ],
  [
    ['post.create', 'post.mention.create', 'post.reply.create', 'post.quote.create', 'post.repost.create'],
    ['user_id', 'keyword'],
  ],
  [['news.new'], ['keyword']],
  [
    [
      ...['profile.update.bio', 'profile.update.profile_picture', 'profile.update.banner_picture', 'profile.update.screenname'],
      ...['profile.update.geo', 'profile.update.url', 'profile.update.verified', 'profile.update.affiliate', 'profile.update.handle'],
      ...['spaces.start', 'spaces.end', 'broadcast.start', 'broadcast.end', 'broadcast.chat'],
      ...['post.delete', 'mute.mute', 'mute.unmute', 'block.block', 'block.unblock', 'oauth.revoke'],
    ],
    ['user_id'],
  ],
]

const VALUES: Record<string, string> = { user_id: '101', keyword: 'word', direction: 'sent' }

/** The problem of a filter; undefined if it is right. */
function problemOf(type: string, filter: Record<string, unknown>): string | undefined {
  try {
    checkFilter(type, filter)
    return undefined
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return error.kind
  }
}

test('each event type may be filtered by its members, and by no other', () => {
  const written = MEMBERS.flatMap(([types]) => types)
  assert.deepEqual(written.toSorted(), eventTypeNames.toSorted(), 'the members of each filter are written out in MEMBERS of this file')
  for (const [types, members] of MEMBERS)
    for (const type of types) {
      const needed = members.includes('user_id') ? { user_id: '101' } : { keyword: 'word' }
      for (const [name, value] of Object.entries(VALUES)) {
        const expected = members.includes(name) ? undefined : 'noncompliant-rules'
        assert.equal(problemOf(type, { ...needed, [name]: value }), expected, `${type} by ${name}`)
      }
      assert.equal(problemOf(type, {}), type === 'oauth.revoke' ? undefined : 'noncompliant-rules', `${type} without a filter`)
    }
})

test('a direction does not suffice, and needs one of its values', () => {
  assert.equal(problemOf('dm.received', { direction: 'sent' }), 'noncompliant-rules')
  for (const direction of ['sent', 'received', 'inbound', 'outbound'])
    assert.equal(problemOf('dm.received', { user_id: '1', direction }), undefined, direction)
  for (const direction of ['both', '', 1, null, 'constructor'])
    assert.equal(problemOf('dm.received', { user_id: '1', direction }), 'invalid-rules', String(direction))
  assert.equal(checkFilter('dm.received', { user_id: '1', direction: 'inbound' }).direction, 'received')
  assert.equal(checkFilter('dm.received', { user_id: '1', direction: 'outbound' }).direction, 'sent')
})

test('a user id has 1 to 19 digits, a keyword 1 to 150 characters, and there is no other member', () => {
  for (const user_id of ['1', '9'.repeat(19)]) assert.equal(problemOf('follow.follow', { user_id }), undefined)
  for (const user_id of ['', '9'.repeat(20), 'a', 1])
    assert.equal(problemOf('follow.follow', { user_id }), 'invalid-rules', String(user_id))
  for (const keyword of ['k', 'k'.repeat(150), '😀'.repeat(150)]) assert.equal(problemOf('news.new', { keyword }), undefined)
  for (const keyword of ['', ' ', 'k'.repeat(151), 1]) assert.equal(problemOf('news.new', { keyword }), 'invalid-rules', String(keyword))
  assert.equal(problemOf('follow.follow', { user_id: '1', other: 'x' }), 'invalid-rules')
})
