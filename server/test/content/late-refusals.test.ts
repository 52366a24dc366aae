// What happens between the first checks of a write and its transaction is seen by the transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { pino } from 'pino'
import { createOutbox, type OutboxOptions } from '../../src/delivery/outbox.ts'
import { createConversation, sendMessage, sendMessageWith } from '../../src/endpoints/direct-messages/send-messages.ts'
import { bookmarkPost, likePost } from '../../src/endpoints/engagement/post-relations.ts'
import { repostPost } from '../../src/endpoints/engagement/reposts.ts'
import { followUser } from '../../src/endpoints/engagement/user-relations.ts'
import { addListMember } from '../../src/endpoints/lists/list-members.ts'
import { createList } from '../../src/endpoints/lists/lists.ts'
import { createPost } from '../../src/endpoints/posts/create-post.ts'
import { surroundingsOf } from '../../src/endpoints/posts/insert-posts.ts'
import { insertPost } from '../../src/endpoints/posts/new-post.ts'
import { createSpace } from '../../src/endpoints/spaces/change-spaces.ts'
import { createIds } from '../../src/lib/ids.ts'
import type { ContentTransaction } from '../../src/storage/content.ts'
import { lists, posts } from '../../src/storage/content-tables.ts'
import { databasesOf } from '../stage/databases.ts'
import { aUser, type Opened, opened, rawRows } from '../storage/samples.ts'

/** The ids of one case: each has its own, so that a database serves them all. */
const idsOf = (place: number) => {
  const id = (n: number) => String(1000 + place * 10 + n)
  return { actor: id(1), author: id(2), third: id(3), post: id(4), list: id(5), group: `${100_000_000_000_000_000 + place * 1000}` }
}
type CaseIds = ReturnType<typeof idsOf>

type Handle = (call: object, services: object) => Promise<unknown>

/** What the actor does: by which endpoint, and with which parameters. */
const writes: Record<string, (ids: CaseIds) => [{ handle: unknown }, Record<string, unknown>]> = {
  like: ({ actor, post }) => [likePost, { id: actor, post_id: post }],
  bookmark: ({ actor, post }) => [bookmarkPost, { id: actor, post_id: post }],
  repost: ({ actor, post }) => [repostPost, { id: actor, post_id: post }],
  reply: ({ post }) => [createPost, { text: 'Me too', reply: { in_reply_to_post_id: post } }],
  quote: ({ post }) => [createPost, { text: 'Look', quote_post_id: post }],
  post: () => [createPost, { text: 'Alone' }],
  follow: ({ actor, author }) => [followUser, { id: actor, target_user_id: author }],
  message: ({ author }) => [sendMessageWith, { participant_id: author, text: 'Hello' }],
  'group message': ({ group }) => [sendMessage, { dm_conversation_id: group, text: 'Hello' }],
  group: ({ author, third }) => [
    createConversation,
    { conversation_type: 'Group', participant_ids: [author, third], message: { text: 'Hello' } },
  ],
  'list member': ({ list, author }) => [addListMember, { id: list, user_id: author }],
  list: () => [createList, { name: 'Sailors', description: '', private: false }],
  space: () => [createSpace, { title: 'Knots', is_ticketed: false }],
}

const block = ({ storage: { content } }: Opened, { actor, author }: CaseIds) =>
  content.change((transaction) => transaction.relate({ relation: 'block', source: author, target: actor }, '1'))

/** What happens meanwhile, and which writes it refuses with which status. */
const meanwhile: Record<string, { happen(it: Opened, ids: CaseIds): Promise<unknown>; refused: Record<string, number> }> = {
  'the post is deleted': {
    happen: ({ storage: { content } }, { post }) => content.change((transaction) => transaction.remove(posts, post)),
    refused: { like: 403, bookmark: 403, repost: 403, reply: 403, quote: 403 },
  },
  'the author blocks the user': {
    happen: block,
    refused: {
      like: 403,
      bookmark: 403,
      repost: 403,
      reply: 403,
      quote: 403,
      follow: 403,
      message: 403,
      group: 403,
      'list member': 403,
    },
  },
  'the author becomes protected': {
    happen: ({ url }, { author }) => rawRows(url, `update profiles set protected = true where user_id = '${author}'`),
    refused: { like: 403, bookmark: 403, repost: 403, reply: 403, quote: 403 },
  },
  'the author is suspended': {
    happen: ({ storage }, { author }) => storage.users.update(author, { disabled: true }),
    refused: {
      like: 403,
      bookmark: 403,
      repost: 403,
      reply: 403,
      quote: 403,
      follow: 403,
      message: 403,
      group: 403,
      'list member': 403,
    },
  },
  'the author is deleted': {
    happen: ({ storage }, { author }) => storage.users.remove(author),
    refused: {
      like: 403,
      bookmark: 403,
      repost: 403,
      reply: 403,
      quote: 403,
      follow: 404,
      message: 404,
      group: 404,
      'list member': 404,
    },
  },
  'the user is suspended': {
    happen: ({ storage }, { actor }) => storage.users.update(actor, { disabled: true }),
    refused: Object.fromEntries(Object.keys(writes).map((name) => [name, 403])),
  },
  'the user is deleted': {
    happen: ({ storage }, { actor }) => storage.users.remove(actor),
    refused: Object.fromEntries(Object.keys(writes).map((name) => [name, 403])),
  },
}

async function prepare({ storage: { users, content } }: Opened, { actor, author, third, post: id, list: listId, group }: CaseIds) {
  for (const user of [actor, author, third]) await users.insert(aUser({ id: user, username: `user${user}` }))
  const post = { id, authorId: author, text: 'Hello', createdAtMs: Date.now() }
  const surroundings = await surroundingsOf(post, content)
  await content.change(async (transaction) => {
    await insertPost(transaction, post, surroundings)
    const list = { id: listId, owner_id: actor, name: 'L', description: '', private: false, created_at_ms: 0 }
    await transaction.insert(lists, { ...list, member_count: 0, follower_count: 0 })
    await transaction.relate({ relation: 'dm_participant', source: group, target: actor }, '2')
  })
}

/** Nothing that is refused is announced. */
const outboxOf = ({ storage: { outbox: events, subscriptions } }: Opened, base: Pick<OutboxOptions, 'content' | 'ids' | 'now'>) =>
  createOutbox({
    ...base,
    events,
    subscriptions,
    logger: pino({ level: 'silent' }),
    publisher: { publish: async () => assert.fail('published') },
    left: () => assert.fail('left in the outbox'),
  })

/** What the actor has that nobody may have who was refused. */
const leftovers = (url: string, { actor }: CaseIds) =>
  rawRows(
    url,
    `select relation, target from relations where relation in ('like', 'bookmark', 'follow') and source = '${actor}'
      union all select 'post', text from posts where author_id = '${actor}'
      union all select 'space', title from spaces where creator_id = '${actor}'
      union all select 'message', text from dm_events where sender_id = '${actor}'`,
  )

for (const flavour of databasesOf(import.meta))
  suite(`late refusals on ${flavour}`, () => {
    for (const [what, { happen, refused }] of Object.entries(meanwhile))
      test(`nothing goes through if ${what} just before its transaction`, async () => {
        await using it = await opened(flavour)
        const { content } = it.storage
        for (const [place, [name, status]] of Object.entries(refused).entries()) {
          const ids = idsOf(place)
          await prepare(it, ids)
          let isDone = false
          const late = {
            ...content,
            async change<T>(run: (transaction: ContentTransaction) => Promise<T>) {
              if (!isDone) await happen(it, ids)
              isDone = true
              return content.change(run)
            },
          }
          const [endpoint, params] = writes[name]!(ids)
          const caller = { user: { id: ids.actor }, app: { name: 'Demo' } }
          const base = { content: late, ids: createIds(it.clock), now: it.clock.now }
          const services = { ...base, outbox: outboxOf(it, base) }
          await assert.rejects((endpoint.handle as Handle)({ params, caller }, services), (error: { status?: number }) => {
            assert.equal(error.status, status, `${name}: ${error}`)
            return true
          })
          assert.ok(isDone, name)
          assert.deepEqual(await leftovers(it.url, ids), [], name)
        }
      })
  })
