import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO_SEED, readSeed } from '../../src/endpoints/operator/seed/read-seed.ts'
import { isPasswordOf } from '../../src/lib/password.ts'

test('the demo seed, which a start takes as it is, is a seed', async () => {
  const { document } = await readSeed(DEMO_SEED, true)
  assert.deepEqual(Object.keys(document), ['apps', 'users'])
})

test('the demo user has the password that the welcome names', async () => {
  const { document } = await readSeed(DEMO_SEED)
  const ada = document.users?.find(({ username }) => username === 'ada')
  assert.equal(await isPasswordOf(ada?.password, 'ada-in-development'), true)
})
