import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { countsOf, dumpOf } from '../stage/dump.ts'
import { headerOf, oauthParameters } from '../stage/oauth-client.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { askForSignIn, atApprovalPage, exchange, pinOf } from '../stage/sign-in.ts'

interface WorldUser {
  id: string
  username: string
  password: string
  oauth_token: string
  oauth_token_secret: string
}

interface World {
  id: string
  app: {
    id: string
    consumer_key: string
    consumer_secret: string
    bearer_token: string
    oauth2_client_id: string
    oauth2_client_secret: string
  }
  users: Record<string, WorldUser>
  account: { id: string }
}

async function createWorld(stage: Stage, json: object = {}): Promise<World> {
  const answer = await stage.operator('POST', '/operator/worlds', json)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

const deleteWorld = async (stage: Stage, { id }: World) =>
  assert.equal((await stage.operator('DELETE', `/operator/worlds/${id}`)).status, 200)

/** A call that a user of a world signs; JSON bodies are not signed. */
function as({ app }: World, user: WorldUser, method: string, url: string, json?: unknown): Promise<Answer> {
  const { consumer_key, consumer_secret } = app
  const { oauth_token, oauth_token_secret } = user
  const keys = { consumer_key, consumer_secret, oauth_token, oauth_token_secret }
  return call(url, method, {
    headers: { authorization: headerOf(oauthParameters({ ...keys, method, url })) },
    ...(json !== undefined && { json }),
  })
}

async function right(answering: Promise<Answer>): Promise<Answer['body']> {
  const answer = await answering
  assert.ok(answer.status < 300, answer.text)
  return answer.body
}

/** Rows that end by themselves and are nobody's. */
const PASSING = ['rate_windows', 'failed_attempts', 'mark']

async function rowsOf(stage: Stage) {
  const counts = countsOf(await dumpOf(stage.databaseUrl))
  for (const table of PASSING) delete counts[table]
  return counts
}

for (const flavour of databasesOf(import.meta))
  suite(`worlds on ${flavour}`, () => {
    test('20 worlds are made and used at the same time, and none sees what is private in another', async () => {
      await using stage = await setStage({ flavour })
      const { base_url, ads_base_url } = stage.origins
      const worlds = await Promise.all(Array.from({ length: 20 }, () => createWorld(stage, { users: ['ada', 'bob'] })))
      const names = worlds.flatMap(({ users }) => Object.values(users).map(({ username }) => username.toLowerCase()))
      assert.equal(new Set(names).size, 40)
      await Promise.all(
        worlds.map(async (world, at) => {
          const { ada, bob } = world.users as { ada: WorldUser; bob: WorldUser }
          assert.match(ada.username, /^ada_/)
          const other = worlds[(at + 1) % worlds.length]!
          const { data: me } = await right(as(world, ada, 'GET', `${base_url}/2/users/me`))
          assert.deepEqual([me.id, me.username], [ada.id, ada.username])
          await right(as(world, ada, 'POST', `${base_url}/2/dm_conversations/with/${bob.id}/messages`, { text: `Only of world ${at}` }))
          const { data: messages } = await right(as(world, bob, 'GET', `${base_url}/2/dm_events`))
          assert.deepEqual(
            messages.map(({ text }: { text: string }) => text),
            [`Only of world ${at}`],
          )
          const { data: accounts } = await right(as(world, ada, 'GET', `${ads_base_url}/12/accounts`))
          assert.deepEqual(
            accounts.map(({ id }: { id: string }) => id),
            [world.account.id],
          )
          assert.equal((await as(world, ada, 'GET', `${ads_base_url}/12/accounts/${other.account.id}`)).status, 403)
          assert.equal((await as(world, other.users.ada!, 'GET', `${base_url}/2/users/me`)).status, 401)
          assert.deepEqual((await right(stage.api('GET', '/2/webhooks', { token: world.app.bearer_token }))).data, [])
          const { data: stranger } = await right(as(world, ada, 'GET', `${base_url}/2/users/${other.users.bob!.id}`))
          assert.equal(stranger.username, other.users.bob!.username)
        }),
      )
    })

    test('a deleted world leaves no row in any table', async () => {
      await using stage = await setStage({ flavour })
      await deleteWorld(stage, await createWorld(stage))
      const before = await rowsOf(stage)
      const world = await createWorld(stage, { users: ['ada', 'bob'], name: 'Leaves nothing' })
      await using own = await startReceiver([world.app.consumer_secret])
      const { ada, bob } = world.users as { ada: WorldUser; bob: WorldUser }
      const { base_url, ads_base_url } = stage.origins
      const token = world.app.bearer_token
      const webhookId = await stage.register(own.url, token)
      for (const [event_type, user_id] of [
        ['dm.received', bob.id],
        ['post.create', ada.id],
        ['follow.follow', ada.id],
      ] as const)
        await stage.subscribe(webhookId, token, {
          event_type,
          filter: { user_id, ...(event_type === 'follow.follow' && { direction: 'outbound' }) },
        })
      const { data: post } = await right(as(world, ada, 'POST', `${base_url}/2/posts`, { text: 'Tides of #lagoon' }))
      await right(as(world, bob, 'POST', `${base_url}/2/posts`, { text: 'A reply', reply: { in_reply_to_post_id: post.id } }))
      await right(as(world, bob, 'POST', `${base_url}/2/users/${bob.id}/likes`, { post_id: post.id }))
      await right(as(world, ada, 'POST', `${base_url}/2/users/${ada.id}/following`, { target_user_id: bob.id }))
      await right(as(world, ada, 'POST', `${base_url}/2/lists`, { name: 'Sailors' }))
      await right(as(world, ada, 'POST', `${base_url}/2/dm_conversations/with/${bob.id}/messages`, { text: 'Hello' }))
      const funding = await right(as(world, ada, 'GET', `${ads_base_url}/12/accounts/${world.account.id}/funding_instruments`))
      const campaign = new URLSearchParams({
        funding_instrument_id: funding.data[0].id,
        name: 'Spring',
        daily_budget_amount_local_micro: '1000000',
      })
      await right(as(world, ada, 'POST', `${ads_base_url}/12/accounts/${world.account.id}/campaigns?${campaign}`))
      await own.received(3)
      await deleteWorld(stage, world)
      assert.deepEqual(await rowsOf(stage), before)
      assert.equal((await stage.operator('DELETE', `/operator/worlds/${world.id}`)).status, 404)
    })
  })

test('a wrong name of a user is refused, and so is a world too many', async () => {
  await using stage = await setStage()
  assert.equal((await stage.operator('POST', '/operator/worlds', { users: ['a b'] })).status, 400)
  assert.equal((await stage.operator('POST', '/operator/worlds', { users: [] })).status, 400)
  assert.equal((await stage.operator('DELETE', '/operator/worlds/1')).status, 404)
  for (let count = 0; count < 200; count += 20) await Promise.all(Array.from({ length: 20 }, () => createWorld(stage, { users: ['ada'] })))
  const refused = await stage.operator('POST', '/operator/worlds')
  assert.deepEqual([refused.status, /200 worlds already/.test(refused.body.detail)], [409, true])
})

test('a user of a world signs in with its password', async () => {
  await using stage = await setStage()
  const { app, users } = await createWorld(stage, { users: ['ada'] })
  const { username, password, id } = users.ada!
  const requestToken = await askForSignIn(stage, app, 'oob')
  const page = await atApprovalPage(stage).decide(requestToken.oauth_token, 'allow', { username, password })
  const answer = await exchange(stage, app, requestToken, pinOf(page.text))
  assert.equal(new URLSearchParams(answer.text).get('user_id'), id)
})

test('the app of a world has the callback URLs that were given', async () => {
  await using stage = await setStage()
  const world = await createWorld(stage, { name: 'Checkout', callback_urls: ['http://127.0.0.1:9/cb'] })
  const { body } = await stage.operator('GET', '/operator/apps')
  const app = body.data.find(({ id }: { id: string }) => id === world.app.id)
  assert.deepEqual(
    [app.name, app.permissions, app.ads_access, app.callback_urls],
    ['Checkout', 'read_write_dm', true, ['http://127.0.0.1:9/cb']],
  )
})
