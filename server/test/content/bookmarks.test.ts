import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { setStage } from '../stage/postern.ts'

const seed = usersSeed('101', '102')

for (const flavour of databasesOf(import.meta))
  suite(`bookmarks on ${flavour}`, () => {
    test('a bookmark is answered, counted once, and listed for its user alone, until it is removed', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', 'Hello')
      const countOf = async () =>
        (await callAs(stage, '102', 'GET', `/2/posts/${post}?post.fields=public_metrics`)).body.data.public_metrics.bookmark_count
      for (const _ of ['once', 'twice']) {
        const answer = await callAs(stage, '101', 'POST', '/2/users/101/bookmarks', { json: { post_id: post } })
        assert.deepEqual([answer.status, answer.body], [200, { data: { bookmarked: true } }])
      }
      assert.equal(await countOf(), 1)
      const list = await callAs(stage, '101', 'GET', '/2/users/101/bookmarks')
      assert.deepEqual(list.body, { data: [{ id: post, text: 'Hello' }], meta: { result_count: 1 } })
      assert.equal((await callAs(stage, '102', 'GET', '/2/users/101/bookmarks')).status, 400)
      const byApp = await stage.api('GET', '/2/users/101/bookmarks', { token: await stage.token() })
      assert.deepEqual([byApp.status, byApp.body.title], [403, 'Unsupported Authentication'])
      for (const _ of ['once', 'twice']) {
        const answer = await callAs(stage, '101', 'DELETE', `/2/users/101/bookmarks/${post}`)
        assert.deepEqual([answer.status, answer.body], [200, { data: { bookmarked: false } }])
      }
      assert.equal(await countOf(), 0)
    })
  })
