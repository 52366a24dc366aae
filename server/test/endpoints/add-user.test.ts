import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { demoApp, setStage } from '../stage/postern.ts'

const seed = { apps: [demoApp], users: [{ id: '101', username: 'ada', name: 'Ada' }] } as SeedDocument

test('a user of a seed who exists by id or by username is not added again, and differences are told', async () => {
  await using stage = await setStage({ seed })
  const cases: [object, string[]][] = [
    [{ username: 'ada' }, []],
    [{ id: '101', username: 'ada', name: 'Ada' }, []],
    [{ id: '101', username: 'other' }, ['username']],
    [{ id: '7', username: 'ada' }, ['id']],
  ]
  for (const [user, fields] of cases) {
    const { body, text } = await stage.operator('POST', '/operator/seed', { users: [user] })
    assert.deepEqual(
      [body.data?.created, (body.data?.differing ?? []).flatMap((each: { fields: string[] }) => each.fields)],
      [[], fields],
      text,
    )
  }
})

test('a new user of a seed is named as their username, can sign in only with a password, and is not disabled', async () => {
  await using stage = await setStage({ seed })
  const answer = await stage.operator('POST', '/operator/seed', { users: [{ username: 'grace' }] })
  const [{ id }] = answer.body.data.created
  const listed = (await stage.operator('GET', '/operator/users?username=grace')).body.data[0]
  assert.deepEqual([listed.id, listed.name, listed.disabled], [id, 'grace', false])
  await stage.operator('POST', '/operator/seed', { users: [{ id: '102', username: 'hopper', name: 'Hopper', disabled: true }] })
  const other = (await stage.operator('GET', '/operator/users?username=hopper')).body.data[0]
  assert.deepEqual([other.id, other.name, other.disabled], ['102', 'Hopper', true])
})
