import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEMO_SEED, DEMO_USER, readSeed } from '../../src/endpoints/operator/seed/read-seed.ts'
import { parseCommentedJson } from '../../src/lib/commented-json.ts'
import { isPasswordOf } from '../../src/lib/password.ts'
import { call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { authorization } from '../stage/oauth-client.ts'
import { setStage } from '../stage/postern.ts'

test('the demo seed, which a start accepts as it is, is valid', async () => {
  const { document } = await readSeed(DEMO_SEED, true)
  assert.deepEqual(Object.keys(document), [
    ...['apps', 'users', 'tokens', 'accounts', 'topics', 'places', 'media', 'posts', 'reposts', 'follows', 'mutes', 'blocks', 'likes'],
    ...['bookmarks', 'lists', 'spaces', 'direct_messages'],
  ])
  assert.ok(document.users!.length >= 24 && document.posts!.length >= 100)
})

for (const flavour of databasesOf(import.meta))
  test(`everything in the demo seed is loaded, and matched by a second load, on ${flavour}`, async () => {
    const { document } = await readSeed(DEMO_SEED)
    // As a request it is held against the rules of its records, which a start leaves out.
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

test('the samples of the page on seeds can be loaded beside the demo seed, and nothing of them is there already', async () => {
  const { document } = await readSeed(DEMO_SEED)
  await using stage = await setStage({ seed: document })
  const page = readFileSync(join(import.meta.dirname, '../../../docs/seeds.md'), 'utf8')
  const samples = [...page.matchAll(/^```jsonc\n(.*?)^```$/gms)].map(([, sample]) => parseCommentedJson(sample!, []) as object)
  assert.equal(samples.length, 2)
  for (const sample of samples) {
    const { status, body } = await stage.operator('POST', '/operator/seed', sample)
    assert.deepEqual([status, body.data.differing, body.data.existing], [200, [], []])
  }
})

test('the demo user has the password that the welcome and the tour name', async () => {
  const { document } = await readSeed(DEMO_SEED)
  const user = document.users?.find(({ username }) => username === DEMO_USER.username)
  assert.equal(await isPasswordOf(user?.password, DEMO_USER.password), true)
  const tour = readFileSync(join(import.meta.dirname, '../../../docs/tour.md'), 'utf8')
  assert.ok(tour.includes(`the demo user is \`${DEMO_USER.username}\` with the password \`${DEMO_USER.password}\``))
})

test('two people of the demo seed act on each other with the tokens that the tour names', async () => {
  const { document } = await readSeed(DEMO_SEED)
  await using stage = await setStage({ seed: document })
  const tour = readFileSync(join(import.meta.dirname, '../../../docs/tour.md'), 'utf8')
  assert.ok(tour.includes('`102-demo-access-token`'))
  const { consumer_key, consumer_secret } = {
    consumer_key: 'demo-consumer-key',
    consumer_secret: 'demo-consumer-secret-for-development-only',
  }
  const oauth_token_secret = 'demo-access-token-secret-for-development-only'
  const as = (userId: string, method: string, path: string, json?: unknown) => {
    const url = stage.origins.base_url + path
    const signed = { consumer_key, consumer_secret, oauth_token: `${userId}-demo-access-token`, oauth_token_secret, method, url }
    return call(url, method, { json, headers: { authorization: authorization(signed) } })
  }
  for (const userId of ['101', '102', '103', '104', '105']) assert.equal((await as(userId, 'GET', '/2/users/me')).body.data.id, userId)
  const post = (await as('101', 'POST', '/2/posts', { text: 'High water at nine' })).body.data.id
  assert.deepEqual((await as('102', 'POST', '/2/users/102/likes', { post_id: post })).body.data, { liked: true })
  assert.equal((await as('104', 'POST', '/2/users/104/following', { target_user_id: '105' })).status, 200)
})
