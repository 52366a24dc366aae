// What clients send besides what they need: every expansion, and every member of a new post.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import { oauthParameters } from '../stage/oauth-client.ts'
import { oauth2Seed, obtainTokens } from '../stage/oauth2.ts'
import { demoApp, setStage } from '../stage/postern.ts'

const inX = () => setStage({ seed: usersSeed('101', '102'), environment: { POSTERN_DIALECT: 'x' } })

test('a post expands its versions: itself, if it was never edited', async () => {
  await using stage = await inX()
  const id = await postAs(stage, '101', 'Never edited')
  const { body } = await callAs(stage, '102', 'GET', `/2/tweets/${id}?expansions=edit_history_tweet_ids&tweet.fields=author_id`)
  assert.deepEqual(body, {
    data: { id, text: 'Never edited', edit_history_tweet_ids: [id], author_id: '101' },
    includes: { tweets: [{ id, text: 'Never edited', edit_history_tweet_ids: [id], author_id: '101' }] },
  })
})

test('expansions of what posts here do not have are accepted, and add nothing', async () => {
  await using stage = await inX()
  const id = await postAs(stage, '101', 'Plain')
  const expansions =
    'article.cover_media,article.media_entities,attachments.media_source_tweet,entities.note.mentions.username,referenced_tweets.id.attachments.media_keys'
  const { body } = await callAs(stage, '102', 'GET', `/2/tweets/${id}?expansions=${expansions}`)
  assert.deepEqual(body, { data: { id, text: 'Plain', edit_history_tweet_ids: [id] } })
})

test('an error of an expansion names it as the dialect spells it', async () => {
  await using stage = await inX()
  const first = await postAs(stage, '101', 'Soon gone')
  const reply = await postAs(stage, '102', 'Reply', { reply: { in_reply_to_tweet_id: first } })
  await callAs(stage, '101', 'DELETE', `/2/tweets/${first}`)
  const { body } = await callAs(stage, '102', 'GET', `/2/tweets/${reply}?expansions=referenced_tweets.id`)
  const [{ parameter, detail, resource_type }] = body.errors
  assert.deepEqual(
    [parameter, detail, resource_type],
    ['referenced_tweets.id', `Could not find tweet with referenced_tweets.id: [${first}].`, 'tweet'],
  )
})

test('a post takes what clients of today say of it, and shows that it is a paid partnership', async () => {
  await using stage = await inX()
  const first = await postAs(stage, '101', 'First')
  const said = { made_with_ai: false, paid_partnership: true, share_with_followers: false, for_super_followers_only: false }
  const id = await postAs(stage, '102', 'Reply', { ...said, reply: { in_reply_to_tweet_id: first, auto_populate_reply_metadata: true } })
  const { body } = await callAs(stage, '101', 'GET', `/2/tweets/${id}?tweet.fields=paid_partnership,in_reply_to_user_id`)
  assert.deepEqual([body.data.paid_partnership, body.data.in_reply_to_user_id], [true, '101'])
})

test('the newer names of expansions include what the older ones do', async () => {
  await using stage = await setStage({ seed: usersSeed('101', '102') })
  const first = await postAs(stage, '101', 'First')
  const reply = await postAs(stage, '102', 'Reply', { reply: { in_reply_to_post_id: first } })
  const path = `/2/posts/${reply}?expansions=`
  const newer = await callAs(stage, '101', 'GET', `${path}username,referenced_posts`)
  const older = await callAs(stage, '101', 'GET', `${path}author_id,referenced_posts.id`)
  assert.deepEqual(newer.body, older.body)
  assert.deepEqual([newer.body.includes.users[0].id, newer.body.includes.posts[0].id], ['102', first])
  for (const expansion of ['affiliation', 'affiliation.user_id'])
    assert.equal((await callAs(stage, '101', 'GET', `/2/users/102?expansions=${expansion}&user.fields=subscribes_to_you`)).status, 200)
})

test('a new post is answered with its id and text alone in the dialect spec, and with its versions too in x', async () => {
  await using stage = await setStage({ seed: usersSeed('101') })
  const { body } = await callAs(stage, '101', 'POST', '/2/posts', { json: { text: 'New' } })
  assert.deepEqual(body, { data: { id: body.data.id, text: 'New' } })
  await using other = await inX()
  const { data } = (await callAs(other, '101', 'POST', '/2/tweets', { json: { text: 'New' } })).body
  assert.deepEqual(data, { id: data.id, text: 'New', edit_history_tweet_ids: [data.id] })
})

test('a parameter of OAuth 1.0a is unknown in a call with a bearer token, of the app or of a user', async () => {
  await using stage = await setStage({ seed: oauth2Seed })
  const app = await stage.token()
  const { access_token: user } = await obtainTokens(stage)
  for (const [path, token] of [
    ['/2/posts?ids=1', app],
    ['/2/posts?ids=1', user],
    ['/2/users/me?user.fields=id', user],
    ['/2/users/101/owned_lists?max_results=1', app],
  ] as const)
    for (const name of ['oauth_token', 'oauth_signature', 'oauth_anything']) {
      const { status, body, text } = await stage.api('GET', `${path}&${name}=x`, { token })
      assert.equal(status, 400, text)
      assert.match(body.errors[0].message, new RegExp(`^The query parameter \\[${name}\\] is not one of \\[`))
      assert.deepEqual([body.errors.length, body.errors[0].parameters], [1, { [name]: ['x'] }])
    }
})

test('a call that is signed in its query has the parameters of OAuth 1.0a there', async () => {
  await using stage = await setStage({ seed: usersSeed('101') })
  const token = { oauth_token: '101-token', oauth_token_secret: 'secret of 101' }
  for (const path of ['/2/users/me', '/2/users/by/username/user101']) {
    const url = stage.origins.base_url + path
    const signed = oauthParameters({ ...demoApp, ...token, method: 'GET', url, nowMs: stage.clock.now() })
    const { status, body, text } = await call(`${url}?${new URLSearchParams(signed)}`, 'GET')
    assert.deepEqual([status, body.data?.id], [200, '101'], text)
  }
})
