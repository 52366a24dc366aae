import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { setStage } from '../stage/postern.ts'

const seed = usersSeed('101', '102')
const environment = { POSTERN_RATE_LIMITS: 'off' }
const withoutMs = (ms: number) => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')

for (const flavour of databasesOf(import.meta))
  suite(`pages of posts on ${flavour}`, () => {
    test('times are taken with and without milliseconds', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      await postAs(stage, '101', 'Hello')
      const now = stage.clock.now()
      const count = async (query: string) => {
        const { status, body, text } = await callAs(stage, '102', 'GET', `/2/users/101/posts?${query}`)
        assert.equal(status, 200, text)
        return body.meta.result_count
      }
      assert.equal(await count(`start_time=${withoutMs(now - 3_600_000)}&end_time=${withoutMs(now + 3_600_000)}`), 1)
      assert.equal(await count(`start_time=${withoutMs(now + 3_600_000)}`), 0)
      assert.equal(await count(`start_time=2026-03-01T12:00:00Z&end_time=2026-03-01T12:00:00.500Z`), 0)
    })

    test('a token of a position beyond 64 bits is refused', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const token = Buffer.from('posts-101:n:9999999999999999999').toString('base64url')
      const { status, body } = await callAs(stage, '102', 'GET', `/2/users/101/posts?pagination_token=${token}`)
      const message = `The \`pagination_token\` query parameter value [${token}] is not a token of this list`
      assert.deepEqual([status, body.errors?.[0].message], [400, message])
    })

    test('a post without words has an empty text', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const quoted = await postAs(stage, '101', 'Hello')
      const id = await postAs(stage, '102', '', { quote_post_id: quoted })
      const { body } = await callAs(stage, '101', 'GET', `/2/posts/${id}`)
      assert.deepEqual(body, { data: { id, text: '' } })
    })

    test('a search that reads many posts which do not match goes on with its token', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const wanted = await postAs(stage, '101', 'banana apple')
      for (let n = 0; n < 120; n += 1) await postAs(stage, '101', `apple ${n} banana`)
      const path = `/2/posts/search/recent?query=${encodeURIComponent('"banana apple"')}`
      const first = await callAs(stage, '102', 'GET', path)
      assert.deepEqual([first.body.data, first.body.meta.result_count], [undefined, 0])
      const { body } = await callAs(stage, '102', 'GET', `${path}&next_token=${first.body.meta.next_token}`)
      assert.deepEqual([body.data?.[0].id, body.meta.next_token], [wanted, undefined])
    })
  })
