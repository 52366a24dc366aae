import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { dumpOf } from '../stage/dump.ts'
import { setPublishingPair } from '../stage/pair.ts'
import { demoApp, otherApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const nothing = { calls: 0, refusals: 0, events: 0, deliveries: 0, attempts: 0, failed_attempts: 0, bytes: 0, callback_ms: 0 }

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: the load of each app equals what was done, heaviest first by any measure`, async () => {
    const environment = { POSTERN_RETRY_PLAN: '1h' }
    await using stage = await setStage({ flavour, fresh: true, seed: { apps: [demoApp, otherApp] }, environment })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const usage = async (query = '') => (await stage.operator('GET', `/operator/usage${query}`)).body
    assert.deepEqual([(await usage()).data, (await usage()).meta.others], [[], nothing])
    await stage.connect(receiver)
    const [{ calls, rows }] = (await usage('?by=calls')).data
    let sent = 0
    receiver.holds = ({ method, headers }) => {
      if (method === 'POST') sent += Number(headers['content-length'])
      return false
    }
    await stage.publish({ n: 1 }, { n: 2 })
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 2)
    assert.equal((await usage()).data[0].bytes, sent)
    receiver.answerPosts(500)
    await stage.publish({ n: 3 })
    await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
    const token = await stage.token(otherApp)
    for (let n = 0; n < 9; n++) assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)
    assert.equal((await stage.api('DELETE', '/2/webhooks/1', { token })).status, 400)
    const { data, meta } = await usage()
    const [{ bytes, callback_ms, backlog_age_ms, ...first }] = data
    const unlimited = { month_events: 0, month_deliveries: 0 }
    const expected = { ...nothing, events: 3, deliveries: 3, attempts: 3, failed_attempts: 1, backlog: 1, rows, ...unlimited }
    const { bytes: _, callback_ms: __, ...counts } = { ...expected, app_id: '1', calls }
    assert.deepEqual(first, counts)
    assert.ok(bytes > sent)
    assert.ok(rows >= 2)
    assert.ok(callback_ms > 0 && backlog_age_ms >= 0 && backlog_age_ms < 60_000)
    assert.deepEqual([data.length, meta.others.calls, meta.others.refusals], [1, 11, 1])
    const idle = { ...nothing, backlog: 0, backlog_age_ms: null, rows: 0, ...unlimited }
    const ofOther = { ...idle, app_id: otherApp.id, calls: 11, refusals: 1, rows: 2 }
    assert.deepEqual((await usage('?by=refusals')).data, [ofOther])
    const ofOne = await usage(`?app_id=${otherApp.id}`)
    assert.deepEqual([ofOne.data, ofOne.meta.others.calls], [[ofOther], calls])
    assert.deepEqual((await usage('?app_id=77')).data, [{ ...idle, app_id: '77' }])
    const idsBy = async (query: string) => (await usage(query)).data.map(({ app_id }: { app_id: string }) => app_id)
    assert.deepEqual(await idsBy('?by=calls'), [otherApp.id, '1'])
    assert.deepEqual(await idsBy('?by=calls&max_results=1'), [otherApp.id])
    assert.deepEqual(await idsBy('?by=rows'), ['1', otherApp.id])
    for (const by of ['backlog', 'backlog_age_ms', 'bytes', 'failed_attempts']) assert.deepEqual(await idsBy(`?by=${by}`), ['1'], by)
    for (const wrong of [
      'by=users',
      'max_results=0',
      'max_results=101',
      'app_id=one',
      'from=yesterday',
      'from=2026-03-02T00:00Z&to=2026-03-01T00:00Z',
    ])
      assert.equal((await stage.operator('GET', `/operator/usage?${wrong}`)).status, 400, wrong)
  })

  test(`${flavour}: an attempt that found nobody sent no bytes`, async () => {
    await using stage = await setStage({ flavour, fresh: true, environment: { POSTERN_RETRY_PLAN: '1h' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    await receiver[Symbol.asyncDispose]()
    await stage.publish({ n: 1 })
    await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
    const [{ attempts, bytes }] = (await stage.operator('GET', '/operator/usage')).body.data
    assert.deepEqual([attempts, bytes], [1, 0])
  })

  test(`${flavour}: however often somebody looks, a process keeps one row for a minute`, async () => {
    await using stage = await setStage({ flavour, fresh: true })
    const token = await stage.token()
    const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    await stage.operator('POST', '/operator/clock', { set: `${day}T10:30:20.000Z` })
    const from = `${day}T10:00:00Z`
    const calls: number[] = []
    for (let n = 0; n < 3; n++) {
      assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)
      calls.push((await stage.operator('GET', `/operator/usage?by=calls&from=${from}`)).body.data[0].calls)
    }
    assert.deepEqual(calls, [1, 2, 3])
    const rows = (await dumpOf(stage.databaseUrl)).app_loads!.map((row) => JSON.parse(row))
    assert.equal(rows.filter(({ bucket }) => bucket * 60_000 >= Date.parse(from)).length, 1)
  })

  test(`${flavour}: minutes become hours after two hours, and are gone after a day`, async () => {
    await using stage = await setStage({ flavour, fresh: true })
    const dayOf = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const [first, second] = [dayOf(1), dayOf(2)]
    const days = { '01': first, '02': second }
    const set = (time: string) => stage.operator('POST', '/operator/clock', { set: time })
    await set(`${first}T10:30:20.000Z`)
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    await stage.publish({ n: 1 })
    await receiver.received(1)
    await set(`${first}T10:40:20.000Z`)
    await stage.publish({ n: 2 })
    await receiver.received(2)
    const read = async (from: string, to: string) => {
      const { data, meta } = (
        await stage.operator('GET', `/operator/usage?by=events&from=${first}T${from}Z&to=${to.replace(/^../, (day) => days[day as '01'])}Z`)
      ).body
      return [meta.from.slice(11, 16), meta.to.slice(11, 16), data[0]?.events ?? 0]
    }
    assert.deepEqual(await read('10:20', '01T10:35'), ['10:20', '10:35', 1])
    assert.deepEqual(await read('10:30:20', '01T11:00'), ['10:30', '11:00', 2])
    await set(`${first}T13:05:00.000Z`)
    await stage.until(async () => (await read('10:35', '01T10:39'))[0] === '10:00')
    assert.deepEqual(await read('10:35', '01T10:39'), ['10:00', '11:00', 2])
    assert.deepEqual(await read('10:00', '02T10:00'), ['10:00', '10:00', 2])
    await set(`${second}T12:05:00.000Z`)
    await stage.until(async () => (await read('10:00', '02T10:00'))[2] === 0)
  })

  test(`${flavour}: the load is that of all processes, also of one that has stopped`, async () => {
    await using pair = await setPublishingPair({ flavour, fresh: true })
    const { one, other } = pair
    const read = async (stage: typeof one) => {
      const [{ events, deliveries, attempts, failed_attempts }] = (await stage.operator('GET', '/operator/usage')).body.data
      return { events, deliveries, attempts, failed_attempts }
    }
    const sum = { events: 3, deliveries: 3, attempts: 3, failed_attempts: 0 }
    assert.deepEqual([await read(one), await read(other)], [sum, sum])
    if (flavour === 'sqlite') return
    await other.stop()
    assert.deepEqual(await read(one), sum)
  })
}

test('metrics for Prometheus have no tenant in their labels', async () => {
  const environment = { POSTERN_LOG_LEVEL: 'silent' }
  await using stage = await setStage({ fresh: true, seed: { apps: [{ ...demoApp, id: '712345678901' }] }, environment })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await stage.connect(receiver)
  await stage.publish({ n: 1 })
  await stage.deliveriesWhen('state=delivered', (found) => found.length === 1)
  const { text } = await stage.operator('GET', '/metrics')
  const labels = new Set([...text.matchAll(/([a-z_]+)="/g)].map(([, name]) => name))
  assert.deepEqual(
    [...labels].filter((name) => /app|tenant|user|webhook|consumer/.test(name!)),
    [],
  )
  assert.doesNotMatch(text, /712345678901/)
  assert.match(text, /postern_attempts_total\{[^}]*\} 1/)
})

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: an app that has used up a quota gets nothing more, its producer is not refused, and it can replay what it missed`, async () => {
    await using stage = await setStage({ flavour, fresh: true, seed: { apps: [{ ...demoApp, delivery_quota: 2 }] } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await stage.connect(receiver)
    await stage.publish({ n: 1 }, { n: 2 }, { n: 3 })
    await stage.publish({ n: 4 })
    const kept = await stage.deliveriesWhen('state=not_sent', (found) => found.length === 2)
    assert.deepEqual(
      kept.map(({ attempts }) => attempts.map(({ error }: { error: string }) => error)),
      [['quota'], ['quota']],
    )
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 2)
    const [{ month_events, month_deliveries }] = (await stage.operator('GET', '/operator/usage?app_id=1')).body.data
    assert.deepEqual([month_events, month_deliveries], [2, 2])
    const minute = (ms: number) => new Date(ms).toISOString().replace(/[-T:]/g, '').slice(0, 12)
    const window = { from_date: minute(Date.now() - 60_000), to_date: minute(Date.now() + 60_000) }
    const replay = () => stage.api('POST', `/2/webhooks/replay`, { token, json: { webhook_id: webhookId, ...window } })
    const subscribe = () =>
      stage.api('POST', '/2/activity/subscriptions', {
        token,
        json: { event_type: 'profile.update.bio', filter: { user_id: '101' }, webhook_id: webhookId },
      })
    for (const refused of [await replay(), await subscribe()]) {
      const { status, type, period, scope } = refused.body
      assert.deepEqual([status, type.split('/').at(-1), period, scope], [429, 'usage-capped', 'Monthly', 'Product'])
    }
    await stage.restart()
    await stage.publish({ n: 5 })
    await stage.deliveriesWhen('state=not_sent', (found) => found.length === 3)
    const change = (settings: object) => stage.operator('PATCH', '/operator/apps/1', settings)
    assert.equal((await change({ delivery_quota: 9 })).body.data.delivery_quota, 9)
    const { body: audit } = await stage.operator('GET', '/operator/audit?max_results=1')
    assert.deepEqual(audit.data[0].changes, [{ field: 'delivery_quota', before: '2', after: '9' }])
    assert.equal((await replay()).status, 200)
    await receiver.received(5)
    await stage.publish({ n: 6 })
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 3)
    assert.equal((await subscribe()).status, 200)
    await change({ delivery_quota: null, event_quota: 3 })
    await stage.publish({ n: 7 })
    assert.equal((await stage.deliveriesWhen('state=not_sent', (found) => found.length === 4)).length, 4)
    await change({ event_quota: null, row_quota: 1 })
    await stage.publish({ n: 8 })
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 4)
    const full = await stage.api('POST', '/2/webhooks', { token, json: { url: `${receiver.url}?second` } })
    const { type, period, scope } = full.body
    assert.deepEqual([full.status, type.split('/').at(-1), period, scope], [429, 'usage-capped', undefined, 'Product'])
    assert.equal((await change({ row_quota: -1 })).status, 400)
  })
