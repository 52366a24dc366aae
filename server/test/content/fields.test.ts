// Every object and every field: an answer holds the defaults and exactly what was asked for, with the value that was seeded.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { asUser, fullWorld } from '../stage/full-world.ts'
import { type Stage, setStage } from '../stage/postern.ts'

interface Case {
  parameter: string
  path: string
  /** Who asks; the app alone without. */
  as?: string
  defaults: Record<string, unknown>
  fields: Record<string, unknown>
}

const cases: Case[] = [
  {
    parameter: 'post.fields',
    path: '/2/posts/2000',
    as: '101',
    defaults: { id: '2000', text: '@grace look at the #tide' },
    fields: {
      attachments: { media_keys: ['3_900'] },
      author_id: '101',
      card_uri: 'card://1',
      community_id: '55',
      conversation_id: '1000',
      created_at: '2026-01-02T00:00:00.000Z',
      display_text_range: [7, 24],
      edit_history_post_ids: ['2000'],
      edit_controls: { edits_remaining: 5, is_edit_eligible: false, editable_until: '2026-01-02T01:00:00.000Z' },
      entities: { mentions: [{ start: 0, end: 6, username: 'grace', id: '102' }], hashtags: [{ start: 19, end: 24, tag: 'tide' }] },
      geo: { place_id: 'harbour' },
      in_reply_to_user_id: '102',
      lang: 'en',
      non_public_metrics: { impression_count: 6, url_link_clicks: 7, user_profile_clicks: 8 },
      possibly_sensitive: true,
      public_metrics: { repost_count: 1, reply_count: 2, like_count: 3, quote_count: 4, bookmark_count: 5, impression_count: 6 },
      referenced_posts: [{ type: 'replied_to', id: '1000' }],
      reply_settings: 'following',
      source: 'Postern',
      withheld: { copyright: false, country_codes: ['DE'] },
      article: undefined,
      context_annotations: undefined,
      note_post: undefined,
    },
  },
  {
    parameter: 'user.fields',
    path: '/2/users/101',
    as: '101',
    defaults: { id: '101', name: 'Ada', username: 'ada' },
    fields: {
      affiliation: { description: 'Harbour', user_id: ['102'] },
      confirmed_email: 'ada@example.com',
      created_at: '2020-01-02T03:04:05.006Z',
      description: 'On #tides',
      is_identity_verified: true,
      location: 'Turin',
      most_recent_post_id: '7001',
      parody: false,
      pinned_post_id: '2000',
      profile_banner_url: 'https://example.com/banner.png',
      profile_image_url: 'https://example.com/ada.png',
      protected: false,
      subscription_type: 'Premium',
      url: 'https://example.com/ada',
      verified: true,
      verified_followers_count: 3,
      verified_type: 'blue',
      withheld: { country_codes: ['DE'] },
    },
  },
  {
    parameter: 'user.fields',
    path: '/2/users/101',
    as: '102',
    defaults: { id: '101', name: 'Ada', username: 'ada' },
    fields: { connection_status: ['following'], receives_your_dm: true },
  },
  {
    parameter: 'user.fields',
    path: '/2/users/101',
    defaults: { id: '101', name: 'Ada', username: 'ada' },
    fields: { connection_status: undefined, receives_your_dm: undefined },
  },
  {
    parameter: 'media.fields',
    path: '/2/media/3_900',
    defaults: { media_key: '3_900', type: 'video' },
    fields: {
      alt_text: 'A pier',
      duration_ms: 1500,
      height: 600,
      preview_image_url: 'https://example.com/1.png',
      public_metrics: { view_count: 9 },
      url: 'https://example.com/1.mp4',
      variants: [{ bit_rate: 1, content_type: 'video/mp4', url: 'https://example.com/1.mp4' }],
      width: 800,
    },
  },
  {
    parameter: 'list.fields',
    path: '/2/lists/800',
    defaults: { id: '800', name: 'Sailors' },
    fields: {
      created_at: '2026-01-01T00:00:00.000Z',
      description: 'Who sail',
      follower_count: 1,
      member_count: 1,
      owner_id: '101',
      private: false,
    },
  },
  {
    parameter: 'space.fields',
    path: '/2/spaces/1live',
    as: '101',
    defaults: { id: '1live', state: 'ended' },
    fields: {
      created_at: '2026-01-01T00:00:00.000Z',
      creator_id: '101',
      ended_at: '2026-01-01T02:00:00.000Z',
      host_ids: ['101'],
      invited_user_ids: ['103'],
      is_ticketed: false,
      lang: 'en',
      participant_count: 4,
      scheduled_start: '2026-01-01T00:30:00.000Z',
      speaker_ids: ['102'],
      started_at: '2026-01-01T01:00:00.000Z',
      subscriber_count: 2,
      title: 'Knots',
      topic_ids: ['7'],
      updated_at: '2026-01-01T03:00:00.000Z',
    },
  },
]

/** What an answer shows of one field: nothing where it has no value. */
const withValue = (field: string, value: unknown) => (value === undefined ? {} : { [field]: value })

async function check(stage: Stage, { parameter, path, as, defaults, fields }: Case) {
  assert.deepEqual((await asUser(stage, as, path)).body.data, defaults, `${path} without fields`)
  for (const [field, value] of Object.entries(fields)) {
    const { body } = await asUser(stage, as, `${path}?${parameter}=${field}`)
    assert.deepEqual(body, { data: { ...defaults, ...withValue(field, value) } }, `${path} with ${field}`)
  }
  const all = await asUser(stage, as, `${path}?${parameter}=${Object.keys(fields)}`)
  const values = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  assert.deepEqual(all.body, { data: { ...defaults, ...values } })
}

/** Each expansion: the field that it adds, and what it includes. */
const expansions: { path: string; expansion: string; field: string; includes: object }[] = [
  ...[
    { expansion: 'author_id', field: 'author_id', includes: { users: [{ id: '101', name: 'Ada', username: 'ada' }] } },
    {
      expansion: 'in_reply_to_user_id',
      field: 'in_reply_to_user_id',
      includes: { users: [{ id: '102', name: 'Grace', username: 'grace' }] },
    },
    { expansion: 'entities.mentions.username', field: 'entities', includes: { users: [{ id: '102', name: 'Grace', username: 'grace' }] } },
    { expansion: 'attachments.media_keys', field: 'attachments', includes: { media: [{ media_key: '3_900', type: 'video' }] } },
    { expansion: 'geo.place_id', field: 'geo', includes: { places: [{ id: 'harbour', full_name: 'The harbour, Turin' }] } },
    {
      expansion: 'referenced_posts.id',
      field: 'referenced_posts',
      includes: { posts: [{ id: '1000', text: 'Which tide?' }] },
    },
  ].map((each) => ({ path: '/2/posts/2000', ...each })),
  {
    path: '/2/users/101',
    expansion: 'pinned_post_id',
    field: 'pinned_post_id',
    includes: { posts: [{ id: '2000', text: '@grace look at the #tide' }] },
  },
  {
    path: '/2/users/101',
    expansion: 'affiliation.user_id',
    field: 'affiliation',
    includes: { users: [{ id: '102', name: 'Grace', username: 'grace' }] },
  },
  { path: '/2/lists/800', expansion: 'owner_id', field: 'owner_id', includes: { users: [{ id: '101', name: 'Ada', username: 'ada' }] } },
  ...[
    { expansion: 'creator_id', includes: { users: [{ id: '101', name: 'Ada', username: 'ada' }] } },
    { expansion: 'host_ids', includes: { users: [{ id: '101', name: 'Ada', username: 'ada' }] } },
    { expansion: 'speaker_ids', includes: { users: [{ id: '102', name: 'Grace', username: 'grace' }] } },
    { expansion: 'invited_user_ids', includes: { users: [{ id: '103', name: 'Linus', username: 'linus' }] } },
    { expansion: 'topic_ids', includes: { topics: [{ id: '7', name: 'Tides' }] } },
  ].map((each) => ({ path: '/2/spaces/1live', field: each.expansion, ...each })),
]

for (const flavour of databasesOf(import.meta)) {
  suite(`fields and expansions on ${flavour}`, () => {
    test('an object shows its defaults and exactly the fields that were asked for', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld, environment: { POSTERN_RATE_LIMITS: 'off' } })
      for (const each of cases) await check(stage, each)
    })

    test('an expansion adds the field that refers and the objects that it refers to', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld, environment: { POSTERN_RATE_LIMITS: 'off' } })
      for (const { path, expansion, field, includes } of expansions) {
        const { body } = await asUser(stage, undefined, `${path}?expansions=${expansion}`)
        const plain = await asUser(stage, undefined, path)
        assert.deepEqual(Object.keys(body), ['data', 'includes'], `${expansion}: ${JSON.stringify(body)}`)
        assert.deepEqual(Object.keys(body.data).sort(), [...Object.keys(plain.body.data), field].sort(), expansion)
        assert.deepEqual(body.includes, includes, expansion)
      }
    })

    test('an expansion from included posts adds the field that refers to these, and not to the post itself', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld })
      const { body } = await asUser(stage, undefined, '/2/posts/2000?expansions=referenced_posts.id.author_id')
      assert.deepEqual(Object.keys(body.data), ['id', 'text', 'referenced_posts'])
      assert.deepEqual(body.includes.posts, [{ id: '1000', text: 'Which tide?', author_id: body.includes.users[0].id }])
    })

    test('a poll and its options come with the post that has it', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld })
      const { body } = await asUser(
        stage,
        undefined,
        '/2/posts/3000?expansions=attachments.poll_ids&poll.fields=duration_minutes,voting_status',
      )
      const [id] = body.data.attachments.poll_ids
      const options = [
        { position: 1, label: 'Spring', votes: 3 },
        { position: 2, label: 'Neap', votes: 0 },
      ]
      assert.deepEqual(body.includes, { polls: [{ id, options, duration_minutes: 60, voting_status: 'closed' }] })
    })
  })
}
