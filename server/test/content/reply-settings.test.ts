import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, nameOf, postAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const [AUTHOR, FOLLOWED, OTHER, MENTIONED] = ['101', '102', '103', '104']
const seed = usersSeed(AUTHOR!, FOLLOWED!, OTHER!, MENTIONED!)

const reply = async (stage: Stage, user: string, to: string, more: object = {}) =>
  callAs(stage, user, 'POST', '/2/posts', { json: { text: `${user} to ${to}`, reply: { in_reply_to_post_id: to }, ...more } })

for (const flavour of databasesOf(import.meta))
  suite(`reply settings on ${flavour}`, () => {
    test('the first post of a conversation decides who replies to any post of it', async () => {
      await using stage = await setStage({ flavour, seed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      await callAs(stage, AUTHOR!, 'POST', `/2/users/${AUTHOR}/following`, { json: { target_user_id: FOLLOWED } })
      const first = await postAs(stage, AUTHOR!, `Hello @${nameOf(MENTIONED!)}`, { reply_settings: 'following' })
      // The reply says that everyone may answer it: that is not for its author to decide.
      const answer = await reply(stage, FOLLOWED!, first, { reply_settings: 'everyone' })
      assert.equal(answer.status, 201)
      const second = answer.body.data.id
      assert.equal((await reply(stage, OTHER!, first)).status, 403)
      assert.equal((await reply(stage, OTHER!, second)).status, 403)
      assert.equal((await reply(stage, MENTIONED!, second)).status, 201)
      assert.equal((await reply(stage, AUTHOR!, second)).status, 201)
      const open = await postAs(stage, AUTHOR!, 'To all')
      const narrow = (await reply(stage, FOLLOWED!, open, { reply_settings: 'mentionedUsers' })).body.data.id
      assert.equal((await reply(stage, OTHER!, narrow)).status, 201)
      await callAs(stage, AUTHOR!, 'DELETE', `/2/posts/${open}`)
      assert.equal((await reply(stage, MENTIONED!, narrow)).status, 403)
    })
  })
