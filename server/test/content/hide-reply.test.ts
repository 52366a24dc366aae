import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { rawRows } from '../storage/samples.ts'

const seed = usersSeed('101', '102', '103')

const hide = (stage: Stage, userId: string, postId: string, hidden: boolean) =>
  callAs(stage, userId, 'PUT', `/2/posts/${postId}/hidden`, { json: { hidden } })

for (const flavour of databasesOf(import.meta))
  suite(`hidden replies on ${flavour}`, () => {
    test('who began a conversation hides any reply in it and shows it again', async () => {
      await using stage = await setStage({ flavour, seed })
      const first = await postAs(stage, '101', 'Hello')
      const reply = await postAs(stage, '102', 'Hi', { reply: { in_reply_to_post_id: first } })
      const nested = await postAs(stage, '103', 'Hey', { reply: { in_reply_to_post_id: reply } })
      for (const hidden of [true, false])
        for (const id of [reply, nested]) {
          const answer = await hide(stage, '101', id, hidden)
          assert.deepEqual([answer.status, answer.body], [200, { data: { hidden } }])
          const [row] = await rawRows(stage.databaseUrl, `select hidden from posts where id = ${id}`)
          assert.equal(Boolean(row!.hidden), hidden)
        }
    })

    test('others cannot hide a reply, what is no reply cannot be hidden, and a post that does not exist is not found', async () => {
      await using stage = await setStage({ flavour, seed })
      const first = await postAs(stage, '101', 'Hello')
      const reply = await postAs(stage, '102', 'Hi', { reply: { in_reply_to_post_id: first } })
      for (const other of ['102', '103']) {
        const { status, body } = await hide(stage, other, reply, true)
        const detail = 'You are not authorized to hide replies of this conversation: its first post is not yours.'
        assert.deepEqual([status, body.detail], [403, detail])
      }
      const ofFirst = await hide(stage, '101', first, true)
      assert.deepEqual([ofFirst.status, ofFirst.body.detail], [403, 'Only replies can be hidden.'])
      const unknown = await hide(stage, '101', '1', true)
      assert.deepEqual([unknown.status, unknown.body.title], [404, 'Not Found Error'])
    })
  })
