import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { SECRET, type Stage, setStage } from '../stage/postern.ts'

const PRODUCTION = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
const HASH = '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0$4Smw+8uJE9vkMuQHTI8JCch07funn1w88/v1CwyXAOw'
const TOO_EXPENSIVE = '$argon2id$v=19$m=9999999,t=1,p=1$c2FsdHNhbHRzYWx0$4Smw+8uJE9vkMuQHTI8JCch07funn1w88/v1CwyXAOw'

const load = (stage: Stage, ...passwords: (string | undefined)[]) =>
  stage.operator('POST', '/operator/seed', { users: passwords.map((password, at) => ({ username: `user${at}`, password })) })

const created = async (stage: Stage, ...passwords: (string | undefined)[]) => {
  const answer = await load(stage, ...passwords)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.created.length
}

suite('in production', () => {
  test('a seeded password of fewer than 8 characters is refused by its path, as a change to it is, and nothing of the seed is kept', async () => {
    await using stage = await setStage({ environment: PRODUCTION, seed: {} })
    const short = ['seven77', '7', 'ÄÖÜäöüß', '😀😀😀😀']
    const answer = await load(stage, 'eight888', ...short)
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(
      answer.body.errors,
      short.map((_, at) => ({
        message: `$.users.${at + 1}.password: must be at least 8 characters long in production`,
        parameters: { [`users.${at + 1}.password`]: ['***'] },
      })),
    )
    assert.equal(await created(stage, 'eight888', '12345678', '😀😀😀😀😀😀😀😀', HASH, undefined), 5)
    const { id } = (await stage.operator('POST', '/operator/seed', { users: [{ username: 'user0' }] })).body.data.existing[0]
    for (const password of short) assert.equal((await stage.operator('PATCH', `/operator/users/${id}`, { password })).status, 400, password)
  })

  test('a start with such a seed is refused', async () => {
    const refused = setStage({ environment: PRODUCTION, seed: { users: [{ username: 'ada', password: 'seven77' }] } })
    await assert.rejects(refused, /users\.0\.password: must be at least 8 characters long in production/)
  })
})

test('in development every password is taken', async () => {
  await using stage = await setStage({ seed: {} })
  assert.equal(await created(stage, '7', 'seven77', HASH), 3)
})

for (const environment of [{}, PRODUCTION])
  test(`a seeded hash that cannot be used does not become a password (${Object.keys(environment).length > 0 ? 'production' : 'development'})`, async () => {
    await using stage = await setStage({ environment, seed: {} })
    const answer = await load(stage, TOO_EXPENSIVE)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.errors[0].message, /^\$\.users\.0\.password: must be plain text, or an argon2id hash/)
    assert.deepEqual(answer.body.errors[0].parameters, { 'users.0.password': ['***'] })
  })
