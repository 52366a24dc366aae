import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const seed = usersSeed('101', '102', '103')

const idsOf = async (stage: Stage, path: string): Promise<string[]> => {
  const { status, body, text } = await callAs(stage, '103', 'GET', path)
  assert.equal(status, 200, text)
  return (body.data ?? []).map(({ id }: { id: string }) => id)
}

for (const flavour of databasesOf(import.meta))
  suite(`mentions on ${flavour}`, () => {
    test('posts that mention a user are listed newest first, in pages and between ids', async () => {
      await using stage = await setStage({ flavour, seed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const ids: string[] = []
      for (const place of [1, 2, 3, 4, 5, 6]) ids.unshift(await postAs(stage, '102', `Hello @USER101, for the ${place}. time`))
      await postAs(stage, '102', 'Hello @user103 and user101')
      assert.deepEqual(await idsOf(stage, '/2/users/101/mentions'), ids)
      const first = await callAs(stage, '103', 'GET', '/2/users/101/mentions?max_results=5')
      const { next_token, ...meta } = first.body.meta
      assert.deepEqual(meta, { result_count: 5, newest_id: ids[0], oldest_id: ids[4] })
      assert.deepEqual(await idsOf(stage, `/2/users/101/mentions?max_results=5&pagination_token=${next_token}`), [ids[5]])
      assert.deepEqual(await idsOf(stage, `/2/users/101/mentions?since_id=${ids[3]}&until_id=${ids[0]}`), [ids[1], ids[2]])
      const deleted = await callAs(stage, '102', 'DELETE', `/2/posts/${ids[0]}`)
      assert.equal(deleted.status, 200)
      assert.deepEqual(await idsOf(stage, '/2/users/101/mentions'), ids.slice(1))
    })

    test('the mentions of an unknown user have the problem of the user', async () => {
      await using stage = await setStage({ flavour, seed })
      const { status, body } = await callAs(stage, '103', 'GET', '/2/users/999/mentions')
      assert.deepEqual([status, body.data, body.errors[0].detail], [200, undefined, 'Could not find user with id: [999].'])
    })
  })
