// The rows of docs/runbook-apps.md about deliveries, each tried by making its fault.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { demoApp, otherApp, type Stage, setStage } from '../../stage/postern.ts'
import { answerWith, startReceiver, type TestReceiver } from '../../stage/receiver.ts'
import { openRunbook, type Runbook, runbookOptions } from '../../stage/runbook.ts'
import { adas, graces, sendSigned, signedInSeed, VERIFY } from '../../stage/signed-calls.ts'

const environment = { POSTERN_OPERATOR_PORT: '0', POSTERN_RETRY_PLAN: '10ms', POSTERN_CALLBACK_TIMEOUT: '2s' }

/** What `jq -c` printed, line by line. */
const jsonLines = (printed: string) =>
  printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

suite('the runbook of deliveries and integrators', runbookOptions, () => {
  let stage: Stage
  let book: Runbook
  let receiver: TestReceiver
  let token: string
  let webhookId: string

  before(async () => {
    receiver = await startReceiver([demoApp.consumer_secret])
    stage = await setStage({ environment, seed: signedInSeed })
    ;({ token, webhookId } = await stage.connect(receiver))
    book = await openRunbook({ operatorUrl: stage.origins.operator_url, lines: () => stage.log })
  })
  after(async () => {
    book.assertAllPasted()
    await book[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
    await stage[Symbol.asyncDispose]()
  })
  /** The hour of the page, up to what has just happened. */
  const lastHour = () => book.paste('FROM=$(date -u -d "1 hour ago" +%FT%TZ); TO=$(date -u -d "1 second" +%FT%TZ)')

  test('The queue is old', async () => {
    const row = book.row('The queue is old')
    await using other = await startReceiver([demoApp.consumer_secret])
    await stage.subscribe(await stage.register(other.url, token), token)
    receiver.hold('POST')
    const uuids = await stage.publish(...Array.from({ length: 8 }, (_, n) => ({ n })))
    await receiver.holding(4)
    await other.received(8)
    await stage.until(async () => (await stage.operator('GET', '/operator/overview')).body.data.waiting.oldest_ms > 0)
    const printed = await row.paste('nodejs_eventloop_lag')
    row.says(printed, 'postern_queue_age_seconds', 'backlog', '"ready":')
    const [slow, fast] = jsonLines(printed)
    assert.deepEqual([slow.id, slow.backlog, fast.backlog], [webhookId, 8, 0])
    await book.set({ WEBHOOK: webhookId })
    await stage.deliveriesWhen(`webhook_id=${webhookId}`, (all) => all.some(({ attempts }) => attempts.length > 0))
    const deliveries = await row.paste('next_try_at')
    row.says(deliveries, 'latency_ms', 'error')
    assert.match(deliveries, /no complete response within 2 s|timed? ?out|within 2/)
    receiver.letGo()
    await stage.until(async () => {
      const { body } = await stage.operator('GET', '/operator/webhooks')
      return body.data.every(({ backlog }: { backlog: number }) => backlog === 0)
    })
    assert.match(await row.paste('nodejs_eventloop_lag'), /^postern_queue_age_seconds 0$/m)
    assert.equal(uuids.length, 8)
    for (const { id, url } of (await stage.api('GET', '/2/webhooks', { token })).body.data)
      if (url === other.url) await stage.api('DELETE', `/2/webhooks/${id}`, { token })
    // What timed out was given up: the next test begins without it.
    for (const state of ['given_up', 'not_sent']) await stage.operator('POST', '/operator/deliveries/resend', { state })
    await stage.deliveriesWhen('state=given_up', (found) => found.length === 0)
  })

  test('Deliveries were given up', async () => {
    const row = book.row('Deliveries were given up')
    receiver.answerPosts(500)
    const uuids = await stage.publish({ n: 1 }, { n: 2 }, { n: 3 })
    await stage.deliveriesWhen('state=given_up', (found) => found.length === 3)
    const printed = await row.paste('uniq -c')
    assert.match(printed, new RegExp(`^ +3 1\\t${webhookId}\\t${receiver.url}\\t500`, 'm'))
    receiver.intercept = undefined
    await lastHour()
    const resent = await row.paste('dry_run')
    const [dry, sent] = jsonLines(resent)
    row.says(resent, 'would_resend')
    assert.deepEqual([dry.data.would_resend, sent.data.resent], [3, 3])
    const came = () => new Set(receiver.events.map(({ data }) => data?.event_uuid))
    await receiver.when(() => uuids.every((uuid) => came().has(uuid)))
    await stage.deliveriesWhen('state=given_up', (found) => found.length === 0)
    assert.equal((await row.paste('result_count')).trim(), '0')
  })

  test('Webhooks are invalid', async () => {
    const row = book.row('Webhooks are invalid')
    receiver.intercept = (_, response) => answerWith(response, 404)
    assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 400)
    const [uuid] = await stage.publish({ kept: true })
    await stage.deliveriesWhen('state=not_sent', (found) => found.length === 1)
    const [listed] = jsonLines(await row.paste('valid=false'))
    assert.equal(listed.id, webhookId)
    assert.match(listed.failure, /404/)
    const failing = await row.paste('/challenge')
    row.says(failing, 'says', 'mend', 'failure')
    assert.equal(jsonLines(failing)[0].valid, false)
    receiver.intercept = undefined
    row.says(await row.paste('/challenge'), '"valid":true')
    await lastHour()
    assert.equal(jsonLines(await row.paste('"not_sent"'))[0].data.resent, 1)
    await receiver.when(() => receiver.events.some(({ data }) => data?.event_uuid === uuid))
    await stage.deliveriesWhen('state=not_sent', (found) => found.length === 0)
    assert.equal((await row.paste('result_count')).trim(), '0')
    assert.deepEqual(jsonLines(await row.paste('valid=false')), [])
  })

  test('Challenges fail for many', async () => {
    const row = book.row('Challenges fail for many')
    const receivers = await Promise.all([1, 2, 3].map((n) => startReceiver([demoApp.consumer_secret], `/many/${n}`)))
    try {
      for (const one of receivers) {
        const id = await stage.register(one.url, token)
        one.intercept = (_, response) => answerWith(response, 503)
        await stage.api('PUT', `/2/webhooks/${id}`, { token })
      }
      const printed = await row.paste('uniq -c')
      assert.match(printed, /postern_challenges_total\{result="failed"\} [1-9]/)
      assert.match(printed, /^ +3 .*503/m)
      for (const one of receivers) one.intercept = undefined
      const tried = await row.paste('for id in')
      row.says(tried, '"valid":true')
      assert.deepEqual(
        jsonLines(tried).map(({ valid }) => valid),
        [true, true, true],
      )
    } finally {
      for (const one of receivers) await one[Symbol.asyncDispose]()
    }
    for (const { id } of (await stage.api('GET', '/2/webhooks', { token })).body.data)
      if (id !== webhookId) await stage.api('DELETE', `/2/webhooks/${id}`, { token })
  })

  test('One app loads the gate', async () => {
    const row = book.row('One app loads the gate')
    const theirs = await stage.token(otherApp)
    for (let n = 0; n < 300; n += 1) await stage.api('GET', '/2/webhooks', { token: theirs })
    const printed = await row.paste('nodejs_eventloop_lag')
    row.says(printed, 'nodejs_eventloop_lag_p99_seconds')
    const [heaviest] = JSON.parse(printed.slice(printed.indexOf('{"data"'))).data
    assert.deepEqual([heaviest.app_id, heaviest.calls >= 300], [otherApp.id, true])
    await book.set({ APP: otherApp.id })
    row.says(await row.paste('suspended'), '"suspended":true')
    assert.equal((await stage.api('GET', '/2/webhooks', { token: theirs })).status, 401)
    await stage.operator('PATCH', `/operator/apps/${otherApp.id}`, { suspended: false })
    assert.equal((await stage.api('GET', '/2/webhooks', { token: theirs })).status, 200)
  })

  test('"I got no events"', async () => {
    const row = book.row('"I got no events"')
    await stage.subscribe(webhookId, token, { event_type: 'profile.update.bio', filter: { user_id: '102' } })
    const bio = { event_type: 'profile.update.bio', user_id: '101', payload: { before: 'a', after: 'b' } }
    const {
      body: {
        data: [{ event_uuid }],
      },
    } = await stage.operator('POST', '/operator/events', { events: [bio] })
    await stage.operator('POST', '/operator/tokens/revoke', { user_id: '101' })
    await stage.publish({ after: 'consent' })
    await book.set({ WEBHOOK: webhookId, USER_ID: '101', EVENT: event_uuid })
    const printed = await row.paste('/consents')
    row.says(printed, 'no_effect')
    assert.match(printed, /"no_effect":"[^"]+101/)
    const misses = await row.paste('near_misses')
    row.says(misses, 'reason')
    assert.match(misses, /is for user 102, not 101/)
  })

  test('"My signature is refused"', async () => {
    const row = book.row('"My signature is refused"')
    const refused = await sendSigned(stage, { ...graces, consumer_secret: 'not-the-secret', path: VERIFY })
    assert.equal(refused.status, 401)
    receiver.answerPosts(401)
    await stage.subscribe(webhookId, token, { filter: { user_id: '102' } })
    const [uuid] = (
      await stage.operator('POST', '/operator/events', { events: [{ event_type: 'dm.received', user_id: '102', payload: {} }] })
    ).body.data.map(({ event_uuid: each }: { event_uuid: string }) => each)
    await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.state === 'given_up')
    await book.set({ WEBHOOK: webhookId })
    const printed = await row.paste('OAuth signature rejected')
    row.says(printed, 'why', 'address', 'hint')
    assert.match(printed, /The signature does not match the request/)
    assert.match(printed, /"status":401,.*"hint":"/)
    receiver.intercept = undefined
    await stage.operator('POST', '/operator/deliveries/resend', { webhook_id: webhookId, event_uuid: uuid })
    await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.state === 'delivered')
    assert.equal(adas.consumer_key, demoApp.consumer_key)
  })
})
