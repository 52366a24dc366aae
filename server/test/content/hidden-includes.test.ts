import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { callAs, setProfile, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { setStage } from '../stage/postern.ts'

const created_at = '2026-03-01T12:00:00.000Z'
const [QUOTED, QUOTING] = ['2000000000000000001', '2000000000000000002']

const seed: SeedDocument = {
  ...usersSeed('101', '102', '103'),
  media: [
    { media_key: '3_8', type: 'photo', owner_user_id: '102' },
    { media_key: '3_9', type: 'photo', owner_user_id: '101' },
  ],
  posts: [
    { id: QUOTED, author_id: '101', text: 'Look', created_at, attachments: { media_keys: ['3_9'] } },
    {
      id: QUOTING,
      author_id: '102',
      text: 'At this',
      created_at,
      attachments: { media_keys: ['3_8'] },
      referenced_posts: [{ type: 'quoted', id: QUOTED }],
    },
  ],
} as SeedDocument
const SECOND = 'referenced_posts.id.author_id,referenced_posts.id.attachments.media_keys'

for (const flavour of databasesOf(import.meta))
  suite(`what included posts refer to on ${flavour}`, () => {
    test('the author and the media of a referenced post come with it, in whichever order they are asked for', async () => {
      await using stage = await setStage({ flavour, seed })
      for (const expansions of [SECOND, `${SECOND},referenced_posts.id`]) {
        const { body, text } = await callAs(stage, '103', 'GET', `/2/posts/${QUOTING}?expansions=${expansions}`)
        assert.deepEqual(
          body.includes,
          {
            posts: [{ id: QUOTED, text: 'Look', attachments: { media_keys: ['3_9'] }, author_id: '101' }],
            users: [{ id: '101', name: 'User 101', username: 'user101' }],
            media: [{ media_key: '3_9', type: 'photo' }],
          },
          text,
        )
      }
    })

    test('the author and the media of a referenced post are not those of posts that another expansion includes', async () => {
      await using stage = await setStage({ flavour, seed })
      for (const expansions of [`edit_history_post_ids,${SECOND}`, `${SECOND},edit_history_post_ids,referenced_posts.id`]) {
        const { body, text } = await callAs(stage, '103', 'GET', `/2/posts/${QUOTING}?expansions=${expansions}`)
        assert.deepEqual(body.includes.posts.map(({ id }: { id: string }) => id).sort(), [QUOTED, QUOTING], text)
        assert.deepEqual(body.includes.users, [{ id: '101', name: 'User 101', username: 'user101' }])
        assert.deepEqual(body.includes.media, [{ media_key: '3_9', type: 'photo' }])
      }
    })

    test('a hidden post is not known by its author or media', async () => {
      await using stage = await setStage({ flavour, seed })
      await setProfile(stage, '101', 'protected', true)
      const { body } = await callAs(stage, '103', 'GET', `/2/posts/${QUOTING}?expansions=referenced_posts.id,${SECOND}`)
      assert.deepEqual([body.data.id, body.includes], [QUOTING, undefined])
    })

    test('what a hidden post refers to is not known by its author or media', async () => {
      await using stage = await setStage({ flavour, seed })
      await setProfile(stage, '102', 'protected', true)
      const { body } = await callAs(stage, '103', 'GET', `/2/posts/${QUOTING}?expansions=referenced_posts.id,${SECOND}`)
      assert.deepEqual([body.data, body.includes], [undefined, undefined])
    })
  })
