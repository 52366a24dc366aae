import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { ada, grace, PASSWORD, signInSeed } from '../stage/sign-in.ts'

const list = async (stage: Stage, query = '') => {
  const answer = await stage.operator('GET', `/operator/users${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer
}

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: operators list users page by page or find one by name, and see no password`, async () => {
    await using stage = await setStage({ flavour, seed: signInSeed })
    await stage.operator('PATCH', `/operator/users/${grace.id}`, { disabled: true })
    const first = await list(stage, '?max_results=1')
    const [user] = first.body.data
    assert.deepEqual(user, { id: '101', username: 'ada', name: 'Ada', disabled: false, created_at: user.created_at })
    assert.ok(Math.abs(Date.parse(user.created_at) - stage.clock.now()) < 60_000)
    const second = await list(stage, `?max_results=1&after=${first.body.meta.next_after}`)
    assert.deepEqual([second.body.data[0].username, second.body.data[0].disabled], ['grace', true])
    assert.deepEqual((await list(stage, `?after=${second.body.meta.next_after}`)).body, { data: [], meta: { result_count: 0 } })
    assert.deepEqual((await list(stage, '?username=GRACE')).body.data, second.body.data)
    assert.deepEqual((await list(stage, '?username=gra')).body.data, [])
    const { text } = await list(stage)
    for (const secret of [PASSWORD, ada.password, 'argon2', 'password']) assert.ok(!text.includes(secret), secret)
  })
