import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEMO_SEED, DEMO_USER, readSeed } from '../../src/endpoints/operator/seed/read-seed.ts'
import { isPasswordOf } from '../../src/lib/password.ts'
import { flavours } from '../stage/database.ts'
import { setStage } from '../stage/postern.ts'

test('the demo seed, which a start accepts as it is, is valid', async () => {
  const { document } = await readSeed(DEMO_SEED, true)
  assert.deepEqual(Object.keys(document), [
    ...['apps', 'users', 'tokens', 'accounts', 'topics', 'places', 'media', 'posts', 'reposts', 'follows', 'mutes', 'blocks', 'likes'],
    ...['bookmarks', 'lists', 'spaces', 'direct_messages'],
  ])
  assert.ok(document.users!.length >= 24 && document.posts!.length >= 100)
})

for (const flavour of flavours)
  test(`everything in the demo seed is loaded, and matched by a second load, on ${flavour}`, async () => {
    const { document } = await readSeed(DEMO_SEED)
    await using stage = await setStage({ flavour, seed: {} })
    const load = async () => (await stage.operator('POST', '/operator/seed', document)).body.data
    const first = await load()
    const ids = ({ kind }: { kind: string }) => kind === 'accounts'
    assert.deepEqual(
      first.created.filter(ids),
      document.accounts?.map(({ id }) => ({ kind: 'accounts', id })),
    )
    const again = await load()
    assert.deepEqual([again.created, again.differing, again.existing], [[], [], first.created])
  })

test('the demo user has the password that the welcome and the README name', async () => {
  const { document } = await readSeed(DEMO_SEED)
  const user = document.users?.find(({ username }) => username === DEMO_USER.username)
  assert.equal(await isPasswordOf(user?.password, DEMO_USER.password), true)
  const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')
  assert.ok(readme.includes(`the demo user is \`${DEMO_USER.username}\` with the password \`${DEMO_USER.password}\``))
})
