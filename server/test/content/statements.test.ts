// However many posts a request answers, and whatever it expands, the database is asked as often as for one.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { dialects } from '../../src/api/declare/dialect.ts'
import type { Kinds } from '../../src/api/objects/selection.ts'
import { loadAnswer } from '../../src/endpoints/objects/load-answer.ts'
import { surroundingsOf } from '../../src/endpoints/posts/insert-posts.ts'
import { insertPost, type NewPost } from '../../src/endpoints/posts/new-post.ts'
import { postKinds } from '../../src/endpoints/posts/post-kinds.ts'
import type { Content } from '../../src/storage/content.ts'
import { media, places, polls } from '../../src/storage/content-tables.ts'
import { databasesOf } from '../stage/databases.ts'
import { aUser, openedAlone } from '../storage/samples.ts'

const NOW = 1_800_000_000_000
const AUTHORS = 20
const POSTS = 100

const EVERY_EXPANSION = [
  'attachments.media_keys',
  'attachments.poll_ids',
  'author_id',
  'edit_history_post_ids',
  'entities.mentions.username',
  'geo.place_id',
  'in_reply_to_user_id',
  'referenced_posts.id',
  'referenced_posts.id.author_id',
  'referenced_posts.id.attachments.media_keys',
]

/** A post that refers to something of every kind. */
const post = (n: number): NewPost => ({
  id: String(1000 + n),
  authorId: `20${n % AUTHORS}`,
  text: `Post ${n} for @user${(n + 1) % AUTHORS}`,
  createdAtMs: NOW,
  ...(n > 0 && { repliedToId: String(1000 + n - 1), quotedId: '1000' }),
  mediaKeys: [`3_${n}`],
  pollId: `poll-${n}`,
  placeId: `place-${n}`,
})

async function fill(content: Content) {
  for (let n = 0; n < POSTS; n += 1) {
    const surroundings = await surroundingsOf(post(n), content)
    await content.change(async (transaction) => {
      await transaction.insert(media, { media_key: `3_${n}`, owner_id: '200', type: 'photo', created_at_ms: NOW, view_count: 0 })
      await transaction.insert(polls, { id: `poll-${n}`, options: '[]', duration_minutes: 5, end_ms: NOW })
      await transaction.insert(places, {
        id: `place-${n}`,
        full_name: 'A place',
        name: 'Place',
        country: '',
        country_code: '',
        place_type: 'city',
      })
      await insertPost(transaction, post(n), surroundings)
    })
  }
}

/** The same content, and how often it was asked. */
function counting(content: Content): { content: Content; asked: string[] } {
  const asked: string[] = []
  const counted = <Name extends 'rows' | 'postIds' | 'items' | 'relationsOf'>(name: Name) =>
    ((...parameters: unknown[]) => {
      asked.push(name)
      return (content[name] as (...given: unknown[]) => unknown)(...parameters)
    }) as Content[Name]
  return {
    asked,
    content: {
      ...content,
      rows: counted('rows'),
      postIds: counted('postIds'),
      items: counted('items'),
      relationsOf: counted('relationsOf'),
    },
  }
}

for (const flavour of databasesOf(import.meta)) {
  suite(`statements of a request on ${flavour}`, () => {
    test('100 posts with every expansion ask the database as often as one post: seven times', async () => {
      await using it = await openedAlone(flavour)
      const { users, content } = it.storage
      for (let n = 0; n < AUTHORS; n += 1) await users.insert(aUser({ id: `20${n}`, username: `user${n}` }))
      await fill(content)
      const ask = async (ids: readonly string[]) => {
        const { content: counted, asked } = counting(content)
        const params = { expansions: EVERY_EXPANSION, 'post.fields': ['entities', 'public_metrics'], 'user.fields': ['connection_status'] }
        const services = { content: counted, now: () => NOW }
        const answer = await loadAnswer(
          postKinds as Kinds,
          { values: ids, parameter: 'ids', isList: true },
          params,
          { viewerId: '201' },
          services,
        )
        return { asked, body: JSON.parse(answer.write({ dialect: dialects.spec, problemBaseUrl: 'https://problems.test' })) }
      }
      const one = await ask(['1001'])
      const all = await ask(Array.from({ length: POSTS }, (_, n) => String(1000 + n)))
      assert.equal(all.body.data.length, 100)
      assert.equal(all.body.errors, undefined)
      assert.deepEqual(
        Object.fromEntries(Object.entries(all.body.includes).map(([kind, objects]) => [kind, (objects as unknown[]).length])),
        { media: 100, polls: 100, users: 20, places: 100, posts: 100 },
      )
      assert.equal(one.asked.length, 7)
      assert.deepEqual(all.asked.sort(), one.asked.sort())
    })
  })
}
