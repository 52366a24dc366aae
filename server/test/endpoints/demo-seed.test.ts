import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEMO_SEED, DEMO_USER, readSeed } from '../../src/endpoints/operator/seed/read-seed.ts'
import { isPasswordOf } from '../../src/lib/password.ts'

test('the demo seed, which a start takes as it is, is a seed', async () => {
  const { document } = await readSeed(DEMO_SEED, true)
  assert.deepEqual(Object.keys(document), ['apps', 'users', 'tokens', 'accounts'])
})

test('the demo user has the password that the welcome and the README name', async () => {
  const { document } = await readSeed(DEMO_SEED)
  const user = document.users?.find(({ username }) => username === DEMO_USER.username)
  assert.equal(await isPasswordOf(user?.password, DEMO_USER.password), true)
  const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')
  assert.ok(readme.includes(`the demo user is \`${DEMO_USER.username}\` with the password \`${DEMO_USER.password}\``))
})
