import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { parseCommentedJson } from '../../src/lib/commented-json.ts'
import { type Answer, call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { headerOf, oauthParameters } from '../stage/oauth-client.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'

const flavours = databasesOf(import.meta)

const signIn: SeedDocument = {
  apps: [{ ...demoApp, permissions: 'read_write_dm' }],
  users: [
    { id: '101', username: 'ada', name: 'Ada' },
    { id: '102', username: 'grace' },
    { id: '103', username: 'linus' },
  ],
  tokens: [{ consumer_key: demoApp.consumer_key, user_id: '101', oauth_token: '101-token', oauth_token_secret: 'secret' }],
}

const AUTHOR_FIELDS = 'created_at,author_id,conversation_id,in_reply_to_user_id,referenced_posts,attachments,geo,entities,lang,source'
const POST_FIELDS = `${AUTHOR_FIELDS},public_metrics,possibly_sensitive,reply_settings,withheld,display_text_range`

/** A world in which everything refers to everything. */
const world: SeedDocument = {
  ...signIn,
  users: [
    {
      ...signIn.users![0]!,
      description: 'Engines, and #poetry',
      location: 'Turin',
      url: 'https://example.com/ada',
      profile_image_url: 'https://example.com/ada.png',
      verified: true,
      verified_type: 'blue',
      pinned_post_id: '2000',
      created_at: '2020-01-02T03:04:05.006Z',
      is_identity_verified: true,
    },
    { ...signIn.users![1]!, protected: false, public_metrics: { followers_count: 5000 } },
    { ...signIn.users![2]!, disabled: true },
  ],
  topics: [{ id: '7', name: 'Tides' }],
  places: [{ id: 'harbour', full_name: 'The harbour', country_code: 'IT', geo: { type: 'Feature' } }],
  media: [{ media_key: '3_900', type: 'photo', url: 'https://example.com/1.png', width: 800, height: 600, owner_user_id: '101' }],
  posts: [
    // A reply that stands before the post that it replies to.
    {
      id: '3000',
      author_id: '102',
      text: '@ada Which tide?',
      created_at: '2026-01-02T00:00:00.000Z',
      referenced_posts: [{ type: 'replied_to', id: '2000' }],
    },
    {
      id: '2000',
      author_id: '101',
      text: 'Look at the #tide, @grace: https://example.com/tide',
      created_at: '2026-01-01T00:00:00.000Z',
      lang: 'en',
      source: 'Postern',
      attachments: { media_keys: ['3_900'] },
      geo: { place_id: 'harbour' },
      possibly_sensitive: true,
      withheld: { copyright: true },
      public_metrics: { like_count: 40, impression_count: 1000 },
    },
    {
      id: '4000',
      author_id: '101',
      text: 'Spring or neap?',
      created_at: '2026-01-03T00:00:00.000Z',
      referenced_posts: [{ type: 'quoted', id: '3000' }],
      poll: { options: [{ label: 'Spring', votes: 3 }, { label: 'Neap' }], duration_minutes: 60 },
    },
    { id: '5000', author_id: '102', text: 'Gone', created_at: '2026-01-04T00:00:00.000Z', restriction: 'unavailable' },
  ],
  reposts: [{ id: '6000', user_id: '102', post_id: '2000', created_at: '2026-01-05T00:00:00.000Z' }],
  follows: [
    { user_id: '101', target_user_id: '102' },
    { user_id: '102', target_user_id: '101' },
  ],
  likes: [
    { user_id: '102', post_id: '2000' },
    { user_id: '101', post_id: '3000' },
  ],
  bookmarks: [{ user_id: '101', post_id: '3000' }],
  mutes: [{ user_id: '101', target_user_id: '102' }],
  blocks: [{ user_id: '103', target_user_id: '101' }],
  lists: [{ id: '800', owner_id: '101', name: 'Sailors', members: ['102', '103'], followers: ['102'] }],
  spaces: [{ id: '1live', creator_id: '101', state: 'live', title: 'Knots', topic_ids: ['7'], speaker_ids: ['102'] }],
  direct_messages: [{ id: '900', sender_id: '102', dm_conversation_id: '101-102', text: 'Hello', created_at: '2026-01-01T00:00:00.000Z' }],
}

/** Loads a seed that is valid. */
async function loaded(stage: Stage, document: object) {
  const answer = await load(stage, document)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const load = (stage: Stage, document: object) => stage.operator('POST', '/operator/seed', document)

/** Calls as Ada. */
function asAda(stage: Stage, path: string): Promise<Answer> {
  const url = stage.origins.base_url + path
  const { consumer_key, consumer_secret } = demoApp
  const keys = { consumer_key, consumer_secret, oauth_token: '101-token', oauth_token_secret: 'secret' }
  return call(url, 'GET', { headers: { authorization: headerOf(oauthParameters({ ...keys, url })) } })
}

for (const flavour of flavours)
  test(`what a seed says of posts is what GET answers (${flavour})`, async () => {
    await using stage = await setStage({ flavour, seed: world })
    const token = await stage.token()
    const expansions = 'author_id,attachments.media_keys,attachments.poll_ids,geo.place_id,referenced_posts.id'
    const path = `/2/posts?ids=2000,3000,4000,6000&post.fields=${POST_FIELDS}&expansions=${expansions}&poll.fields=duration_minutes,end_datetime`
    const { body } = await stage.api('GET', path, { token })
    const [first, reply, quote, repost] = body.data
    assert.deepEqual(first, {
      id: '2000',
      text: 'Look at the #tide, @grace: https://example.com/tide',
      attachments: { media_keys: ['3_900'] },
      author_id: '101',
      conversation_id: '2000',
      created_at: '2026-01-01T00:00:00.000Z',
      display_text_range: [0, 51],
      entities: {
        mentions: [{ start: 19, end: 25, username: 'grace', id: '102' }],
        hashtags: [{ start: 12, end: 17, tag: 'tide' }],
        urls: [
          {
            start: 27,
            end: 51,
            url: 'https://example.com/tide',
            expanded_url: 'https://example.com/tide',
            display_url: 'example.com/tide',
          },
        ],
      },
      geo: { place_id: 'harbour' },
      lang: 'en',
      possibly_sensitive: true,
      public_metrics: { repost_count: 1, reply_count: 1, like_count: 40, quote_count: 0, bookmark_count: 0, impression_count: 1000 },
      reply_settings: 'everyone',
      source: 'Postern',
      withheld: { copyright: true },
    })
    assert.deepEqual(
      [reply.conversation_id, reply.in_reply_to_user_id, reply.referenced_posts],
      ['2000', '101', [{ type: 'replied_to', id: '2000' }]],
    )
    assert.deepEqual(reply.public_metrics, {
      repost_count: 0,
      reply_count: 0,
      like_count: 1,
      quote_count: 1,
      bookmark_count: 1,
      impression_count: 0,
    })
    assert.deepEqual(quote.attachments, { poll_ids: ['4000'] })
    assert.deepEqual(body.includes.polls, [
      {
        id: '4000',
        options: [
          { position: 1, label: 'Spring', votes: 3 },
          { position: 2, label: 'Neap', votes: 0 },
        ],
        duration_minutes: 60,
        end_datetime: '2026-01-03T01:00:00.000Z',
      },
    ])
    assert.deepEqual([repost.author_id, repost.referenced_posts], ['102', [{ type: 'reposted', id: '2000' }]])
    assert.equal(repost.text, 'RT @ada: Look at the #tide, @grace: https://example.com/tide')
    assert.deepEqual(body.includes.media, [{ media_key: '3_900', type: 'photo' }])
    assert.deepEqual(body.includes.places, [{ id: 'harbour', full_name: 'The harbour' }])
    const gone = await stage.api('GET', '/2/posts/5000', { token })
    assert.match(gone.body.errors[0].type, /resource-unavailable$/)
  })

for (const flavour of flavours)
  test(`what a seed says of users is what GET answers, and their counters follow (${flavour})`, async () => {
    await using stage = await setStage({ flavour, seed: world })
    const fields =
      'created_at,description,entities,location,url,verified,verified_type,pinned_post_id,most_recent_post_id,public_metrics,profile_image_url,is_identity_verified,connection_status'
    const { body } = await asAda(stage, `/2/users?ids=101,102&user.fields=${fields}&expansions=pinned_post_id`)
    assert.deepEqual(body.data[0], {
      id: '101',
      name: 'Ada',
      username: 'ada',
      created_at: '2020-01-02T03:04:05.006Z',
      description: 'Engines, and #poetry',
      entities: {
        url: {
          urls: [
            { start: 0, end: 23, url: 'https://example.com/ada', expanded_url: 'https://example.com/ada', display_url: 'example.com/ada' },
          ],
        },
        description: { hashtags: [{ start: 13, end: 20, tag: 'poetry' }] },
      },
      is_identity_verified: true,
      location: 'Turin',
      most_recent_post_id: '4000',
      pinned_post_id: '2000',
      profile_image_url: 'https://example.com/ada.png',
      public_metrics: { followers_count: 1, following_count: 1, post_count: 2, listed_count: 0, like_count: 1, media_count: 1 },
      url: 'https://example.com/ada',
      verified: true,
      verified_type: 'blue',
    })
    const { connection_status, public_metrics, most_recent_post_id } = body.data[1]
    assert.deepEqual(connection_status, ['following', 'followed_by', 'muting'])
    assert.deepEqual(public_metrics, {
      followers_count: 5000,
      following_count: 1,
      post_count: 3,
      listed_count: 1,
      like_count: 1,
      media_count: 0,
    })
    assert.equal(most_recent_post_id, '6000')
    const timeline = await asAda(stage, '/2/users/101/timelines/reverse_chronological')
    assert.deepEqual(
      timeline.body.data.map(({ id }: { id: string }) => id),
      // Those of the user 102, who is muted, are left out.
      ['4000', '2000'],
    )
  })

for (const flavour of flavours)
  test(`a second load finds everything, and reports what differs by field (${flavour})`, async () => {
    await using stage = await setStage({ flavour, seed: world })
    const again = await loaded(stage, world)
    assert.deepEqual([again.created, again.differing], [[], []])
    const kinds = new Map<string, number>()
    for (const { kind } of again.existing) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    assert.deepEqual(Object.fromEntries(kinds), {
      apps: 1,
      users: 3,
      tokens: 1,
      topics: 1,
      places: 1,
      media: 1,
      polls: 1,
      posts: 4,
      reposts: 1,
      follows: 2,
      mutes: 1,
      blocks: 1,
      likes: 2,
      bookmarks: 1,
      lists: 1,
      spaces: 1,
      direct_messages: 1,
    })
    const [first, second] = world.posts!
    const changed = {
      users: [{ ...world.users![0]!, location: 'Milan', is_identity_verified: false }],
      posts: [
        { ...first!, text: 'Another text' },
        { ...second!, public_metrics: { like_count: 1 }, withheld: { copyright: false } },
      ],
      lists: [{ ...world.lists![0]!, name: 'Rowers', members: ['102', '101'] }],
    }
    const { created, differing } = await loaded(stage, changed)
    assert.deepEqual(created, [{ kind: 'list_members', id: '800:101' }])
    assert.deepEqual(differing, [
      { kind: 'users', id: '101', fields: ['location', 'is_identity_verified'] },
      { kind: 'posts', id: '2000', fields: ['withheld'] },
      { kind: 'posts', id: '3000', fields: ['text'] },
      { kind: 'lists', id: '800', fields: ['name'] },
    ])
  })

for (const flavour of flavours)
  test(`objects without an id get one from what the seed says of them: posts and messages one of their time (${flavour})`, async () => {
    await using stage = await setStage({ flavour, seed: signIn })
    const created_at = '2026-01-01T00:00:00.000Z'
    const document = {
      topics: [{ name: 'Tides' }],
      places: [{ full_name: 'The harbour' }],
      media: [{ type: 'video' }],
      polls: [{ options: [{ label: 'One' }, { label: 'Two' }] }],
      posts: [
        { author_id: '101', text: 'Twice', created_at },
        { author_id: '101', text: 'Twice', created_at },
        { author_id: '101', text: 'With a poll', created_at, poll: { options: [{ label: 'One' }, { label: 'Two' }] } },
      ],
      lists: [{ owner_id: '101', name: 'Sailors' }],
      spaces: [{ creator_id: '101', state: 'ended' }],
      reposts: [{ user_id: '102', post_id: '1' }],
      direct_messages: [{ sender_id: '101', dm_conversation_id: '101-102', text: 'Hi', created_at }],
    }
    const seed = { ...document, posts: [...document.posts, { id: '1', author_id: '101', text: 'First' }] }
    const first = await load(stage, seed)
    assert.equal(first.status, 200, first.text)
    const { created } = first.body.data
    assert.equal(created.length, 13)
    assert.equal(new Set(created.map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`)).size, 13)
    const posts = created.filter(({ kind, id }: { kind: string; id: string }) => kind === 'posts' && id !== '1')
    // 2026-01-01 is 504,921,600,000 ms after 2010-01-01; an id has 22 bits below the milliseconds.
    for (const { id } of posts) assert.equal(BigInt(id) >> 22n, 504_921_600_000n)
    const again = await loaded(stage, seed)
    assert.deepEqual([again.created, again.differing], [[], []])
    assert.equal(again.existing.length, 13)
  })

test('every reference that leads nowhere is named by its place, and nothing is stored', async () => {
  await using stage = await setStage({ seed: signIn })
  const refused = async (document: object, paths: string[]) => {
    const { status, body, text } = await load(stage, document)
    assert.equal(status, 400, text)
    const found = body.errors.map(({ parameters }: { parameters: object }) => Object.keys(parameters)[0])
    assert.deepEqual(found.sort(), paths.sort())
    for (const { message } of body.errors) assert.match(message, /^\$\.[a-z_]+\.\d+\./)
  }
  const created_at = '2026-01-01T00:00:00.000Z'
  await refused(
    {
      users: [{ id: '104', username: 'mary', pinned_post_id: '1' }],
      media: [{ type: 'photo', owner_user_id: '9' }],
      posts: [
        { author_id: '101', text: 'No time' },
        { author_id: '9', text: 'x', created_at, attachments: { media_keys: ['3_1'], poll_ids: ['2'] }, geo: { place_id: 'x' } },
        { author_id: '104', text: 'x', created_at, referenced_posts: [{ type: 'quoted', id: '8' }] },
      ],
      reposts: [{ user_id: '101', post_id: '1' }],
      follows: [
        { user_id: '101', target_user_id: '9' },
        { user_id: '101', target_user_id: '101' },
      ],
      likes: [{ user_id: '9', post_id: '1' }],
      lists: [{ owner_id: '101', name: 'x', members: ['9'] }],
      spaces: [{ creator_id: '101', state: 'live', topic_ids: ['3'] }],
      direct_messages: [
        { sender_id: '103', dm_conversation_id: '101-102', text: 'x', created_at },
        { sender_id: '102', dm_conversation_id: '102-101', text: 'x', created_at },
      ],
    },
    [
      'users.0.pinned_post_id',
      'media.0.owner_user_id',
      'posts.0.created_at',
      ...['posts.1.author_id', 'posts.1.attachments', 'posts.1.attachments', 'posts.1.geo', 'posts.2.referenced_posts'],
      'reposts.0.post_id',
      ...['follows.0.target_user_id', 'follows.1.target_user_id', 'likes.0.user_id', 'likes.0.post_id', 'lists.0.members.0'],
      ...['spaces.0.topic_ids', 'direct_messages.0.sender_id', 'direct_messages.1.dm_conversation_id'],
    ],
  )
  assert.equal((await load(stage, { users: [{ id: '104', username: 'mary' }] })).body.data.created.length, 1)
  const shape = await load(stage, { posts: [{ id: 'x', author_id: '101', text: 'x' }, { text: 3 }], follows: [{}] })
  assert.equal(shape.status, 400)
  assert.ok(shape.body.errors.length >= 4, shape.text)
})

for (const flavour of flavours)
  test(`a reset goes back to the seed, content included (${flavour})`, async () => {
    await using stage = await setStage({ flavour, seed: world })
    await load(stage, { posts: [{ id: '7000', author_id: '101', text: 'Later' }], likes: [{ user_id: '101', post_id: '5000' }] })
    await stage.operator('POST', '/operator/reset', {})
    const { body } = await asAda(stage, '/2/posts?ids=2000,7000')
    assert.deepEqual(
      [body.data.map(({ id }: { id: string }) => id), body.errors.map(({ value }: { value: string }) => value)],
      [['2000'], ['7000']],
    )
    const again = await loaded(stage, world)
    assert.deepEqual([again.created, again.differing], [[], []])
  })

test("the handbook's example can be loaded, and loaded again", async () => {
  const handbook = readFileSync(join(import.meta.dirname, '../../../docs/seeds.md'), 'utf8')
  const example = /### Seed data objects.*?```jsonc\n(.*?)```/s.exec(handbook)![1]!
  const document = parseCommentedJson(example, []) as object
  await using stage = await setStage({ seed: {} })
  const { created } = await loaded(stage, document)
  assert.deepEqual(new Set(created.map(({ kind }: { kind: string }) => kind)), new Set([...Object.keys(document), 'polls']))
  const again = await loaded(stage, document)
  assert.deepEqual([again.created, again.differing, again.existing.length], [[], [], created.length])
})

test('other requests are answered while a seed with many posts is loaded', async () => {
  await using stage = await setStage({ seed: signIn })
  const posts = Array.from({ length: 3000 }, (_, index) => ({ id: String(1000 + index), author_id: '101', text: `Post ${index} of #many` }))
  let isLoaded = false
  const loading = load(stage, { posts }).finally(() => {
    isLoaded = true
  })
  let answered = 0
  while (!isLoaded) {
    assert.equal((await asAda(stage, '/2/users/me')).status, 200)
    answered += 1
  }
  const answer = await loading
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.body.data.created.length, 3000)
  assert.ok(answered > 3, `${answered} answers`)
  const { body } = await asAda(stage, '/2/users/101?user.fields=public_metrics')
  assert.equal(body.data.public_metrics.post_count, 3000)
})
