// What the members of a new post do that few clients send: each has its effect, or is refused.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, nameOf, postAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const seed = usersSeed('101', '102', '103', '104')

const textOf = async (stage: Stage, id: string) => (await callAs(stage, '101', 'GET', `/2/posts/${id}`)).body.data.text

const mentionedIn = async (stage: Stage, userId: string) =>
  ((await callAs(stage, userId, 'GET', `/2/users/${userId}/mentions`)).body.data ?? []).map(({ id }: { id: string }) => id)

for (const flavour of databasesOf(import.meta))
  suite(`members of new posts on ${flavour}`, () => {
    test('a reply mentions by itself who takes part, except the excluded ones, the user and those who are mentioned anyway', async () => {
      await using stage = await setStage({ flavour, seed })
      const first = await postAs(stage, '101', `Hello @${nameOf('102')}, @${nameOf('103')} and @nobody`)
      const reply = (user: string, text: string, more: object) =>
        postAs(stage, user, text, { reply: { in_reply_to_post_id: first, ...more } })
      const auto = { auto_populate_reply_metadata: true }
      assert.equal(await textOf(stage, await reply('104', 'plain', {})), 'plain')
      assert.equal(await textOf(stage, await reply('104', 'plainer', { exclude_reply_user_ids: ['103'] })), 'plainer')
      const all = await reply('104', 'all', auto)
      assert.equal(await textOf(stage, all), '@user101 @user102 @user103 all')
      const some = await reply('102', 'some', { ...auto, exclude_reply_user_ids: ['103'] })
      assert.equal(await textOf(stage, some), '@user101 some')
      const named = await reply('104', 'Dear @user102', { ...auto, exclude_reply_user_ids: ['101'] })
      assert.equal(await textOf(stage, named), '@user103 Dear @user102')
      assert.deepEqual(await mentionedIn(stage, '103'), [named, all, first])
    })

    test('a member that has no effect here is refused by name, unless it asks for nothing', async () => {
      await using stage = await setStage({ flavour, seed })
      const refused = {
        for_super_followers_only: [true, false],
        direct_message_deep_link: ['https://example.com/messages', undefined],
        share_with_followers: [true, false],
        made_with_ai: [true, false],
      }
      for (const [name, [value, harmless]] of Object.entries(refused)) {
        const answer = await callAs(stage, '101', 'POST', '/2/posts', { json: { text: name, [name]: value } })
        assert.equal(answer.status, 400, name)
        assert.equal(answer.body.errors[0].message, `\`${name}\` is not supported here.`)
        await postAs(stage, '101', `Without ${name}`, { [name]: harmless })
      }
      const media = { media_ids: ['1'], tagged_user_ids: ['102'] }
      const tagged = await callAs(stage, '101', 'POST', '/2/posts', { json: { text: 'Tagged', media } })
      assert.deepEqual([tagged.status, tagged.body.errors[0].message], [400, '`media.tagged_user_ids` is not supported here.'])
    })

    test('a post of nothing is refused, and an empty text beside a poll is not', async () => {
      await using stage = await setStage({ flavour, seed })
      const message = 'text must not be empty unless one of media, poll, quote_post_id, card_uri is set.'
      for (const text of ['', '  \n']) {
        const { status, body } = await callAs(stage, '101', 'POST', '/2/posts', { json: { text } })
        assert.deepEqual(
          [status, body.errors],
          [400, [{ message: message.replace(/\b(text|media|poll|quote_post_id|card_uri)\b/g, '`$1`'), parameters: { text: [] } }]],
        )
      }
      await postAs(stage, '101', '', { poll: { options: ['bus', 'boat'], duration_minutes: 60 } })
    })

    test('the language of a new post is answered, and searches find it', async () => {
      await using stage = await setStage({ flavour, seed })
      const english = await postAs(stage, '101', 'This morning we saw the dolphins very close to the beach')
      const german = await postAs(stage, '101', 'Das Wetter wird am Wochenende endlich wieder besser')
      const unclear = await postAs(stage, '101', 'Hi!')
      const { data } = (await callAs(stage, '102', 'GET', `/2/posts?ids=${english},${german},${unclear}&post.fields=lang`)).body
      assert.deepEqual(
        data.map(({ lang }: { lang: string }) => lang),
        ['en', 'de', 'und'],
      )
      const found = (await callAs(stage, '102', 'GET', '/2/posts/search/recent?query=from%3Auser101%20lang%3Ade')).body
      assert.deepEqual(
        found.data.map(({ id }: { id: string }) => id),
        [german],
      )
    })
  })
