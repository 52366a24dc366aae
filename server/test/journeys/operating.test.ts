import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'
import { ada } from '../stage/sign-in.ts'
import { adas, signedInSeed } from '../stage/signed-calls.ts'

const NEW_SECRET = 'the-second-consumer-secret'
const rotated = { ...demoApp, consumer_secret: NEW_SECRET }

const rotate = async (stage: Stage, rotation: Record<string, string>) => {
  const answer = await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { rotate_secret: rotation })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const change = (stage: Stage, json: Record<string, unknown>) => stage.operator('PATCH', `/operator/apps/${demoApp.id}`, json)

const basicStatus = async (stage: Stage, { consumer_key, consumer_secret }: typeof demoApp) =>
  (
    await stage.api('POST', '/oauth2/token', {
      headers: {
        authorization: `Basic ${btoa(`${consumer_key}:${consumer_secret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
  ).status

for (const flavour of databasesOf(import.meta)) {
  suite(`operating on ${flavour}`, () => {
    test('in the overlap of a rotation both secrets authenticate the app; afterwards only the new one', async () => {
      await using stage = await setStage({ flavour })
      const { previous_secret_until } = await rotate(stage, { consumer_secret: NEW_SECRET, overlap: '1h' })
      assert.equal(Date.parse(previous_secret_until) > stage.clock.now() + 3_590_000, true)
      assert.deepEqual([await basicStatus(stage, demoApp), await basicStatus(stage, rotated)], [200, 200])
      stage.clock.advance(3_600_001)
      assert.deepEqual([await basicStatus(stage, demoApp), await basicStatus(stage, rotated)], [403, 200])
      const [app] = (await stage.operator('GET', '/operator/apps')).body.data
      assert.equal(app.previous_secret_until, null)
    })

    test('a receiver with only the former secret receives until the overlap ends', async () => {
      await using stage = await setStage({ flavour })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const { token, webhookId } = await stage.connect(receiver)
      await stage.publish({ n: 1 })
      await receiver.received(1)
      await rotate(stage, { consumer_secret: NEW_SECRET, overlap: '1h' })
      await stage.publish({ n: 2 })
      await receiver.received(2)
      assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 200)
      await stage.publish({ n: 3 })
      await receiver.received(3)
      assert.equal(receiver.posts, 3)
      stage.clock.advance(3_600_001)
      assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 401)
      assert.match((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token: await stage.token(rotated) })).text, /CrcValidationFailed/)
    })

    test('a receiver with the new secret receives as soon as it has answered a challenge with it', async () => {
      await using stage = await setStage({ flavour })
      await using receiver = await startReceiver([NEW_SECRET])
      await rotate(stage, { consumer_secret: NEW_SECRET, overlap: '1h' })
      await stage.connect(receiver)
      await stage.publish({ n: 1 })
      await receiver.received(1)
      assert.equal(receiver.posts, 1)
    })

    test('a receiver that accepts both secrets during the overlap misses no event', async () => {
      await using stage = await setStage({ flavour })
      await using receiver = await startReceiver([demoApp.consumer_secret, NEW_SECRET])
      const { token, webhookId } = await stage.connect(receiver)
      await rotate(stage, { consumer_secret: NEW_SECRET, overlap: '1h' })
      await stage.publish({ n: 1 })
      await receiver.received(1)
      assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 200)
      stage.clock.advance(3_600_001)
      await stage.publish({ n: 2 })
      await receiver.received(2)
      assert.equal(receiver.posts, 2)
    })

    test('a suspended app is rejected at once, receives no deliveries, and gets its events by replay once it is back', async () => {
      await using stage = await setStage({ flavour })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const { token, webhookId } = await stage.connect(receiver)
      // Without the header the retry might be drawn for right now, and be delivered before the app is suspended.
      receiver.answerPosts(500, { 'retry-after': '30' })
      const [retried] = await stage.publish({ n: 1 })
      await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
      receiver.intercept = undefined

      assert.equal((await change(stage, { suspended: true })).body.data.suspended, true)
      assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 401)
      assert.equal(await basicStatus(stage, demoApp), 403)
      assert.equal(await basicStatus(stage, otherApp), 200)
      const [kept] = await stage.publish({ n: 2 })
      stage.clock.advance(60_000)
      const held = await stage.deliveriesWhen('state=not_sent', (found) => found.length === 2)
      assert.deepEqual(new Set(held.map(({ event_uuid }) => event_uuid)), new Set([retried, kept]))
      assert.equal(held[0].attempts.at(-1).error, 'app suspended')
      assert.deepEqual([receiver.events.length, receiver.posts], [0, 1])

      await change(stage, { suspended: false })
      const fresh = await stage.token()
      assert.equal(fresh, token)
      await stage.publish({ n: 3 })
      await receiver.received(1)
      const minute = (ms: number) => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12)
      const window = { from_date: minute(stage.clock.now() - 3_600_000), to_date: minute(stage.clock.now()) }
      const replay = await stage.api('POST', '/2/webhooks/replay', { token, json: { webhook_id: webhookId, ...window } })
      assert.equal(replay.status, 200, replay.text)
      await receiver.when(() => [retried, kept].every((uuid) => receiver.events.some(({ data }) => data?.event_uuid === uuid)))
    })

    test('a replay that runs while its app is suspended ends incomplete and is not reported', async () => {
      await using stage = await setStage({ flavour })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const { token, webhookId } = await stage.connect(receiver)
      await stage.publish(...Array.from({ length: 20 }, (_, n) => ({ n })))
      await receiver.received(20)
      const waiting: (() => void)[] = []
      receiver.intercept = (request, response) => request.method === 'POST' && Boolean(waiting.push(() => answerWith(response, 200)))
      const minute = (ms: number) => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12)
      const window = { from_date: minute(stage.clock.now() - 3_600_000), to_date: minute(stage.clock.now() + 60_000) }
      const { job_id } = (await stage.api('POST', '/2/webhooks/replay', { token, json: { webhook_id: webhookId, ...window } })).body
      await receiver.when(() => waiting.length === 4)
      await change(stage, { suspended: true })
      for (const answer of waiting) answer()
      const job = await stage.until(async () => {
        const { data } = (await stage.operator('GET', `/operator/replays/${job_id}`)).body
        return data.reported && data
      })
      assert.deepEqual([job.state, job.delivered, job.failed], ['incomplete', 4, 16])
      assert.equal(receiver.posts, 24)
    })

    test('the challenge of a suspended app is postponed, and its webhook is unchanged', async () => {
      await using stage = await setStage({ flavour })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      await stage.connect(receiver)
      await change(stage, { suspended: true })
      stage.clock.advance(2 * 3_600_000)
      await stage.logged('challenge postponed', 1)
      assert.equal(receiver.challenges, 1)
      await change(stage, { suspended: false })
      assert.equal((await stage.api('GET', '/2/webhooks', { token: await stage.token() })).body.data[0].valid, true)
    })
  })
}

test('apps are listed without secrets, page by page, and an update returns the changed app', async () => {
  await using stage = await setStage()
  const page = (await stage.operator('GET', '/operator/apps?max_results=1')).body
  assert.deepEqual([page.data[0].id, page.meta], ['1', { result_count: 1, next_after: '1' }])
  const next = (await stage.operator('GET', `/operator/apps?max_results=9&after=${page.meta.next_after}`)).body
  assert.deepEqual([next.data[0].id, next.meta], ['2', { result_count: 1 }])
  const changed = await change(stage, { name: 'Renamed', webhook_limit: 0, callback_urls: ['https://a.example/cb'] })
  assert.deepEqual(changed.body.data, { ...page.data[0], name: 'Renamed', webhook_limit: 0, callback_urls: ['https://a.example/cb'] })
  for (const answer of [page, next, changed.body]) assert.doesNotMatch(JSON.stringify(answer), /secret-one|secret-two|sealed/)
  assert.equal((await stage.operator('PATCH', '/operator/apps/99', { name: 'x' })).status, 404)
})

test('a rotation without a secret generates one and shows it once; an overlap over 30 days is rejected, and nothing changes', async () => {
  await using stage = await setStage()
  const refused = await change(stage, { name: 'Never', rotate_secret: { overlap: '31d' } })
  assert.match(refused.body.errors[0].message, /rotate_secret\.overlap: must be at most 30d/)
  assert.equal((await stage.operator('GET', '/operator/apps')).body.data[0].name, 'Demo')
  const { consumer_secret } = await rotate(stage, { overlap: '0s' })
  assert.ok(consumer_secret.length >= 40)
  assert.deepEqual([await basicStatus(stage, demoApp), await basicStatus(stage, { ...demoApp, consumer_secret })], [403, 200])
  assert.doesNotMatch((await stage.operator('GET', '/operator/apps')).text, new RegExp(consumer_secret))
  assert.doesNotMatch(JSON.stringify(stage.log), new RegExp(consumer_secret))
})

test('the audit log says before and after of a change, whose tokens were revoked, and of a secret only that it changed', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  await stage.operator('PATCH', '/operator/apps/1', { name: 'Renamed', rotate_secret: { consumer_secret: NEW_SECRET } })
  await stage.operator('PATCH', `/operator/users/${ada.id}`, { password: NEW_SECRET, disabled: true })
  await stage.operator('POST', '/operator/tokens/revoke', { token: adas.oauth_token })
  const read = async (query: string) => (await stage.operator('GET', `/operator/audit?${query}`)).body.data
  const [revoked] = await stage.until(async () => {
    const entries = await read('action=revokeTokens')
    return entries.length > 0 && entries
  })
  const tokenId = createHash('sha256').update(adas.oauth_token).digest('hex').slice(0, 16)
  assert.deepEqual([revoked.app_id, revoked.user_id], ['1', ada.id])
  assert.deepEqual(revoked.changes, [
    { field: 'revoked', before: null, after: '1' },
    { field: `access_token ${tokenId}`, before: `{"app_id":"1","user_id":"${ada.id}"}`, after: null },
  ])
  const [ofApp] = await read('action=updateApp&target=1&actor=POSTERN_OPERATOR_TOKEN')
  assert.deepEqual(
    ofApp.changes.filter(({ field }: { field: string }) => field !== 'previous_secret_until'),
    [
      { field: 'name', before: '"Demo"', after: '"Renamed"' },
      { field: 'consumer_secret', before: null, after: null },
    ],
  )
  const ofAda = await read(`target=${ada.id}`)
  assert.deepEqual(
    ofAda.map(({ action }: { action: string }) => action),
    ['revokeTokens', 'updateUser'],
  )
  assert.deepEqual(ofAda[1].changes, [
    { field: 'disabled', before: 'false', after: 'true' },
    { field: 'password', before: null, after: null },
  ])
  assert.deepEqual([await read('actor=nobody'), await read('from=2999-01-01T00:00:00Z')], [[], []])
  const refused = await stage.operator('GET', '/operator/audit?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z')
  assert.equal(refused.status, 400)
  assert.doesNotMatch(JSON.stringify(await read('')), new RegExp(`${NEW_SECRET}|${adas.oauth_token}`))
})

test('the export of the audit log has all that the filters let through, an entry on each line, newest first', async () => {
  await using stage = await setStage()
  const ids = Array.from({ length: 501 }, (_, at) => String(at + 1))
  await Promise.all(ids.map((id) => stage.operator('DELETE', `/operator/sessions?user_id=${id}`)))
  await rotate(stage, { consumer_secret: NEW_SECRET })
  const answer = await stage.until(async () => {
    const all = await stage.operator('GET', '/operator/audit/export')
    return all.text.split('\n').length === 503 && all
  })
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
  const entries = answer.text
    .trimEnd()
    .split('\n')
    .map((line: string) => JSON.parse(line))
  assert.deepEqual(entries.slice(0, 100), (await stage.operator('GET', '/operator/audit')).body.data)
  assert.deepEqual(new Set(entries.map(({ user_id }) => user_id)), new Set([null, ...ids]))
  const { text } = await stage.operator('GET', '/operator/audit/export?action=updateApp')
  assert.deepEqual(text, `${JSON.stringify(entries.find(({ action }) => action === 'updateApp'))}\n`)
  assert.equal((await stage.operator('GET', '/operator/audit/export?action=none')).text, '')
})

test('the audit log lists calls that may change something, newest first, without reads and those with a wrong token', async () => {
  await using stage = await setStage()
  await rotate(stage, { consumer_secret: NEW_SECRET })
  await stage.operator('GET', '/operator/apps?max_results=7')
  await call(`${stage.origins.operator_url}/operator/apps`, 'HEAD', { token: OPERATOR_TOKEN })
  await stage.api('DELETE', '/operator/apps/1', { token: 'a wrong token' })
  await stage.operator('DELETE', '/operator/sessions?user_id=9')
  const all = await stage.until(async () => {
    const { text, body } = await stage.operator('GET', '/operator/audit')
    return body.data[0]?.action === 'endSessions' && { text, entries: body.data }
  })
  assert.deepEqual(
    all.entries.map(({ action, status, target }: Record<string, unknown>) => [action, status, target]),
    [
      ['endSessions', 200, '/operator/sessions?user_id=9'],
      ['updateApp', 200, '/operator/apps/1'],
    ],
  )
  assert.doesNotMatch(all.text, new RegExp(`${NEW_SECRET}|wrong token`))
})
