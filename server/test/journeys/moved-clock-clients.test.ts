// A client signs with the machine's time, whatever the time is that the server was moved to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwitterApi } from 'twitter-api-v2'
import { call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { headerOf, oauthParameters } from '../stage/oauth-client.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { adas, refusalOf, sendSigned, signedInSeed, VERIFY } from '../stage/signed-calls.ts'
import { asTheirHosts } from '../stage/their-hosts.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const advance = async (stage: Stage, by: string) =>
  assert.equal((await stage.operator('POST', '/operator/clock', { advance: by })).status, 200)

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: twitter-api-v2 reads and writes after an advance of 25h, and what it writes has the moved time`, async () => {
    const seed = {
      apps: [{ ...demoApp, permissions: 'read_write_dm' as const }],
      users: [{ id: '101', username: 'ada', name: 'Ada' }],
      tokens: [{ consumer_key: demoApp.consumer_key, user_id: '101', oauth_token: '101-token', oauth_token_secret: 'secret-of-ada' }],
    }
    await using hosts = await asTheirHosts(seed, flavour)
    const keys = { appKey: demoApp.consumer_key, appSecret: demoApp.consumer_secret }
    const ada = new TwitterApi({ ...keys, accessToken: '101-token', accessSecret: 'secret-of-ada' }, { httpAgent: hosts.agent })
    await advance(hosts.stage, '25h')
    const { data: post } = await ada.v2.tweet('High tide at noon')
    const { data } = await ada.v2.singleTweet(post.id, { 'tweet.fields': 'created_at' })
    assert.ok(Date.parse(data.created_at!) - Date.now() > 24 * HOUR_MS, `${data.created_at}`)
  })

  test(`${flavour}: a nonce is refused again after the clock was moved past its expiry`, async () => {
    await using stage = await setStage({ flavour, seed: signedInSeed })
    const url = stage.origins.base_url + VERIFY
    const headers = { authorization: headerOf(oauthParameters({ ...adas, url })) }
    assert.equal((await call(url, 'GET', { headers })).status, 200)
    await advance(stage, '25h')
    assert.deepEqual(refusalOf(await call(url, 'GET', { headers })), [401, 32])
  })
}

test("a timestamp must fit the moved clock or the machine's, and the explanation tells both", async () => {
  await using stage = await setStage({ seed: signedInSeed })
  await advance(stage, '25h')
  const machineMs = stage.clock.now() - stage.clock.offset()
  for (const [nowMs, refusal] of [
    [machineMs, [200, undefined]],
    [machineMs - 4 * MINUTE_MS, [200, undefined]],
    [machineMs + 4 * MINUTE_MS, [200, undefined]],
    [stage.clock.now(), [200, undefined]],
    [machineMs + 12 * HOUR_MS, [401, 135]],
    [machineMs - 20 * MINUTE_MS, [401, 135]],
  ] as const)
    assert.deepEqual(refusalOf(await sendSigned(stage, { nowMs })), refusal, `${nowMs - machineMs}`)
  const refused = await sendSigned(stage, { nowMs: machineMs - 20 * MINUTE_MS })
  const { text } = await call(refused.headers.get('x-postern-explain')!, 'GET')
  assert.match(text, /The clock of the client is 20 minutes slow/)
  assert.match(
    text,
    /The clock of this server was moved: it shows 20.*Z\. It also takes timestamps of the machine(?:'|&#39;)s time, 20.*Z\./,
  )
})
