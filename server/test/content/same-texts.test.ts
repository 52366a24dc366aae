import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const environment = { POSTERN_RATE_LIMITS: 'off' }
const DAY_MS = 24 * 3_600_000

const post = async (stage: Stage, body: object) => (await callAs(stage, '101', 'POST', '/2/posts', { json: body })).status
const countsOf = async (stage: Stage) => {
  const { body } = await callAs(stage, '101', 'GET', '/2/users/101?user.fields=public_metrics')
  return [body.data.public_metrics.post_count, body.data.public_metrics.media_count]
}

for (const flavour of databasesOf(import.meta))
  suite(`posts of an author on ${flavour}`, () => {
    test('have the same text once in 24 hours, however many are between', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101'), environment })
      assert.equal(await post(stage, { text: 'first' }), 201)
      for (let place = 0; place < 110; place += 1) assert.equal(await post(stage, { text: `other ${place}` }), 201)
      assert.equal(await post(stage, { text: 'first' }), 403)
      assert.equal(await post(stage, { text: 'First' }), 201)
      stage.clock.advance(DAY_MS + 1000)
      assert.equal(await post(stage, { text: 'first' }), 201)
    })

    test('count in the public profile unless they are for promotion only', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101'), environment })
      const before = await countsOf(stage)
      const made = (await callAs(stage, '101', 'POST', '/2/posts', { json: { text: 'dark', nullcast: true } })).body.data.id
      assert.deepEqual(await countsOf(stage), before)
      assert.equal((await callAs(stage, '101', 'DELETE', `/2/posts/${made}`)).status, 200)
      assert.deepEqual(await countsOf(stage), before)
      assert.equal(await post(stage, { text: 'light' }), 201)
      assert.deepEqual(await countsOf(stage), [before[0] + 1, before[1]])
    })
  })
