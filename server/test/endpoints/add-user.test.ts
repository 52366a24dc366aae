import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUser } from '../../src/endpoints/operator/seed/add-user.ts'

const ada = { id: '101', username: 'ada', name: 'Ada', disabled: false }

/** Adds a user where Ada is; answers the result and what was inserted. */
async function add(seed: object) {
  const inserted: { id: string }[] = []
  const users = {
    byId: async (id: string) => (id === ada.id ? ada : undefined),
    byUsername: async (username: string) => (username === ada.username ? ada : undefined),
    insert: async (user: { id: string }) => void inserted.push(user),
  }
  const result = await addUser(seed as never, { storage: { users }, ids: { next: () => '900' }, now: () => 5 } as never)
  return { result, inserted }
}

test('a user of a seed who exists by id or by username is not added again, and differences are told', async () => {
  for (const seed of [
    { username: 'ada' },
    { id: '101', username: 'ada', name: 'Ada' },
    { id: '101', username: 'other' },
    { id: '7', username: 'ada' },
  ]) {
    const { result, inserted } = await add(seed)
    assert.deepEqual([result.id, inserted], ['101', []], JSON.stringify(seed))
  }
})

test('a new user of a seed is named as their username, can sign in only with a password, and is not disabled', async () => {
  const { result, inserted } = await add({ username: 'grace' })
  assert.equal(result.id, '900')
  assert.deepEqual(inserted, [{ id: '900', username: 'grace', name: 'grace', passwordHash: null, disabled: false, createdAtMs: 5 }])
  const given = await add({ id: '102', username: 'grace', name: 'Grace', disabled: true })
  assert.deepEqual(given.inserted, [{ id: '102', username: 'grace', name: 'Grace', passwordHash: null, disabled: true, createdAtMs: 5 }])
})
