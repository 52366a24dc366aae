// The older replay path (§9): the same function, said to be deprecated.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import type { Answer } from '../stage/call.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const MINUTE_MS = 60_000

const pathOf = (webhookId: string) => `/2/account_activity/replay/webhooks/${webhookId}/subscriptions/all`

const dates = (stage: Stage) => ({
  from_date: formatMinute(stage.clock.now() - MINUTE_MS),
  to_date: formatMinute(stage.clock.now() + MINUTE_MS),
})

const untilReported = (stage: Stage, jobId: string) =>
  stage.until(async () => {
    const { data } = (await stage.operator('GET', `/operator/replays/${jobId}`)).body
    return data.reported && data
  })

/** 31 March 2026 and 31 March 2027, midnight in UTC. */
function assertDeprecated({ headers }: Answer) {
  assert.equal(headers.get('deprecation'), '@1774915200')
  assert.equal(headers.get('sunset'), 'Wed, 31 Mar 2027 00:00:00 GMT')
  assert.equal(headers.get('link'), '</2/webhooks/replay>; rel="successor-version"')
}

for (const dialect of ['spec', 'x'] as const)
  test(`${dialect}: the deprecated path replays as the present one does, with the dates in the query or in a JSON body, and says that it is deprecated`, async () => {
    await using stage = await setStage({ environment: { POSTERN_DIALECT: dialect } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await stage.connect(receiver)
    await stage.publish({})
    await receiver.received(1)
    const query = new URLSearchParams(dates(stage))
    for (const ask of [
      () => stage.api('POST', `${pathOf(webhookId)}?${query}`, { token }),
      () => stage.api('POST', pathOf(webhookId), { token, json: dates(stage) }),
    ]) {
      const answer = await ask()
      assert.equal(answer.status, 200, answer.text)
      assertDeprecated(answer)
      const { job_id, created_at, ...more } = dialect === 'x' ? answer.body.data : answer.body
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepEqual(more, {})
      assert.deepEqual((await untilReported(stage, job_id)).state, 'complete')
    }
    assert.equal(receiver.posts, 1 + 2 * 2)
  })

test('refusals of the deprecated path are those of the present one, and say that it is deprecated too', async () => {
  await using stage = await setStage()
  const token = await stage.token()
  const query = new URLSearchParams(dates(stage))
  const refusals: [answer: Answer, status: number, says: RegExp][] = [
    [await stage.api('POST', `${pathOf('1')}?${query}`), 401, /Unauthorized/],
    [await stage.api('POST', `${pathOf('1')}?${query}`, { token }), 400, /WebhookIdInvalid: /],
    [
      await stage.api('POST', `${pathOf('1')}?from_date=x`, { token }),
      400,
      /(?=.*from_date must be a UTC minute)(?=.*to_date: is missing)/,
    ],
    [await stage.api('POST', pathOf('1'), { token, json: { ...dates(stage), webhook_id: '2' } }), 400, /is a path parameter/],
    [await stage.api('POST', `${pathOf('1')}?${query}&more=1`, { token }), 400, /more/],
  ]
  for (const [answer, status, says] of refusals) {
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.text, says)
    assertDeprecated(answer)
  }
  const present = await stage.api('POST', '/2/webhooks/replay', { token, json: { webhook_id: '1', ...dates(stage) } })
  assert.deepEqual([present.headers.get('deprecation'), present.headers.get('sunset')], [null, null])
})

test('both paths count in one window', async () => {
  await using stage = await setStage()
  const token = await stage.token()
  const left = ({ headers }: Answer) => ['limit', 'remaining'].map((name) => headers.get(`x-rate-limit-${name}`))
  assert.deepEqual(left(await stage.api('POST', '/2/webhooks/replay', { token, json: {} })), ['100', '99'])
  assert.deepEqual(left(await stage.api('POST', pathOf('1'), { token })), ['100', '98'])
  assert.deepEqual(left(await stage.api('POST', '/2/webhooks/replay', { token, json: {} })), ['100', '97'])
})

test('the OpenAPI description has it as deprecated, and the present path as it is', async () => {
  await using stage = await setStage()
  const { paths } = (await stage.api('GET', '/openapi.json')).body
  const former = paths['/2/account_activity/replay/webhooks/{webhook_id}/subscriptions/all'].post
  assert.equal(former.deprecated, true)
  assert.match(former.description, /Deprecated: use `POST \/2\/webhooks\/replay`/)
  assert.deepEqual(
    former.parameters.map(({ name, in: place, required }: Record<string, unknown>) => [name, place, required]),
    [
      ['webhook_id', 'path', true],
      ['from_date', 'query', false],
      ['to_date', 'query', false],
    ],
  )
  assert.equal(paths['/2/webhooks/replay'].post.deprecated, undefined)
})
