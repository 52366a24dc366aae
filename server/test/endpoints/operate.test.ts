import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { VERSION } from '../../src/lib/version.ts'
import { databasesOf } from '../stage/databases.ts'
import { setPair, setPublishingPair } from '../stage/pair.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const flavours = databasesOf(import.meta)
const MINUTE_MS = 60_000

for (const flavour of flavours) {
  test(`${flavour}: the overview equals what was done`, async () => {
    await using stage = await setStage({ flavour, fresh: true, environment: { POSTERN_RETRY_PLAN: '1m,1h' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    await stage.publish({ n: 1 }, { n: 2 })
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 2)
    receiver.answerPosts(500)
    await stage.publish({ n: 3 })
    await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
    await stage.api('GET', '/2/webhooks')
    await stage.api('GET', '/2/nothing')
    const read = async () => (await stage.operator('GET', '/operator/overview')).body.data
    const { last_hour, last_minute, buckets, waiting, worker, processes, covers, since } = await read()
    assert.deepEqual([worker, processes, covers], [0, 1, [{ worker: 0, state: 'answers', since }]])
    const { p50_ms, p99_ms, ...counted } = last_hour
    assert.deepEqual(counted, {
      accepted: 3,
      delivered: 2,
      failed: 1,
      not_sent: 0,
      refused: { invalid: 0, unauthorized: 1, forbidden: 0, not_found: 1, rate_limited: 0, other: 0, failed: 0, unavailable: 0 },
    })
    assert.ok(p50_ms > 0 && p50_ms <= p99_ms)
    assert.ok(last_minute.accepted_per_second > 0 && last_minute.delivered_per_second > 0)
    assert.deepEqual([buckets.accepted.length, buckets.p50_ms.length, buckets.refused.not_found.length], [360, 360, 360])
    assert.deepEqual(waiting, { oldest_ms: 0, retries_due: 0, retries_next_hour: 1, webhooks_valid: 1, webhooks_invalid: 0 })
  })

  test(`${flavour}: what happens while the clock is moved is in the bucket of its time`, async () => {
    await using stage = await setStage({ flavour, fresh: true, environment: { POSTERN_RETRY_PLAN: '10m,20m' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    receiver.answerPosts(500)
    await stage.publish({ n: 1 })
    const [retrying] = await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
    const { status } = await stage.operator('POST', '/operator/clock', { advance: '40m' })
    assert.equal(status, 200)
    const [ended] = await stage.deliveriesWhen('state=given_up', (found) => found.length === 1)
    const { buckets, last_hour, last_minute, now } = (await stage.operator('GET', '/operator/overview')).body.data
    const failedAt = buckets.failed.flatMap((count: number, place: number) =>
      Array<number>(count).fill(Date.parse(buckets.from) + place * 10_000),
    )
    const bucketOf = (iso: string) => Math.floor(Date.parse(iso) / 10_000) * 10_000
    assert.deepEqual(
      failedAt,
      ended!.attempts.map(({ at }: { at: string }) => bucketOf(at)),
    )
    assert.equal(failedAt.length, 3)
    assert.deepEqual([last_hour.failed, last_minute.accepted_per_second], [3, 0])
    assert.ok(Date.parse(now) - Date.parse(retrying!.accepted_at) >= 40 * MINUTE_MS)
  })

  test(`${flavour}: the overview adds up what all processes counted, also one that has stopped`, async () => {
    await using pair = await setPublishingPair({ flavour, fresh: true })
    const { one, other } = pair
    await other.api('GET', '/2/nothing')
    const read = async (stage: typeof one) => (await stage.operator('GET', '/operator/overview')).body.data
    const numbersOf = ({ last_hour: { accepted, delivered, refused } }: Awaited<ReturnType<typeof read>>) => [
      accepted,
      delivered,
      refused.not_found,
    ]
    const coversOf = ({ covers }: Awaited<ReturnType<typeof read>>) =>
      covers.map(({ worker, state }: { worker: number; state: string }) => [worker, state])
    const [ofOne, ofOther] = [await read(one), await read(other)]
    assert.deepEqual(
      [numbersOf(ofOne), numbersOf(ofOther)],
      [
        [3, 3, 1],
        [3, 3, 1],
      ],
    )
    assert.ok(ofOne.last_hour.p50_ms > 0 && ofOne.last_hour.p50_ms === ofOther.last_hour.p50_ms)
    if (flavour === 'sqlite') return assert.deepEqual(coversOf(ofOne), [[0, 'answers']])
    assert.deepEqual(coversOf(ofOne), [
      [0, 'answers'],
      [1, 'answered'],
    ])
    assert.deepEqual(coversOf(ofOther), [
      [1, 'answers'],
      [0, 'answered'],
    ])
    await other.stop()
    const after = await read(one)
    assert.deepEqual(
      [numbersOf(after), coversOf(after)],
      [
        [3, 3, 1],
        [
          [0, 'answers'],
          [1, 'ended'],
        ],
      ],
    )
    await using next = await one.beside()
    await next.publish({ n: 4 })
    const last = await read(next)
    assert.deepEqual(
      [last.last_hour.accepted, coversOf(last)],
      [
        4,
        [
          [1, 'answers'],
          [0, 'answered'],
          [1, 'ended'],
        ],
      ],
    )
  })

  test(`${flavour}: the processes that share the database are listed with their versions and how they do`, async () => {
    await using pair = await setPair({ flavour })
    const list = async () => (await pair.one.operator('GET', '/operator/processes')).body.data
    const found = await list()
    const [own, other] = found
    assert.deepEqual([own.worker, own.answers, own.version, own.frozen], [0, true, VERSION, false])
    assert.deepEqual([own.host, own.pid], [hostname(), process.pid])
    assert.ok(Date.parse(own.started_at) > 0)
    assert.deepEqual([own.in_flight, own.waiting], [0, 0])
    assert.ok(own.event_loop_delay_ms >= 0)
    if (flavour === 'sqlite')
      return assert.deepEqual([found.length, own.session_since, own.session_used_at, own.feed_lag_ms], [1, null, null, null])
    assert.deepEqual([other.worker, other.answers, other.version, other.frozen], [1, false, VERSION, false])
    assert.ok(Date.parse(other.started_at) >= Date.parse(own.started_at))
    assert.deepEqual([other.in_flight, other.waiting, other.host, other.pid], [0, 0, hostname(), process.pid])
    assert.ok(other.event_loop_delay_ms >= 0)
    for (const { session_since, session_used_at, feed_lag_ms } of found)
      assert.ok(feed_lag_ms >= 0 && Date.parse(session_since) <= Date.parse(session_used_at))
    await pair.other.stop()
    await pair.one.until(async () => (await list()).length === 1)
  })

  test(`${flavour}: one event log has all slots, and none is moved`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    await stage.publish({ n: 1 })
    const [only, ...others] = (await stage.operator('GET', '/operator/logs')).body.data
    const { database, oldest_event_at, ...rest } = only
    assert.deepEqual([rest, others], [{ log: 1, state: 'used', slots: 256, leaving: 0, events: 1, away_since: null }, []])
    assert.equal(database, (await stage.operator('GET', '/operator/server')).body.data.database)
    assert.ok(Date.parse(oldest_event_at) > 0)
    for (const action of ['add', 'drain']) {
      const refused = await stage.operator('POST', `/operator/logs/1/${action}`)
      assert.equal(refused.status, 409)
      assert.match(refused.body.detail, /^There is one event log: name several in POSTERN_LOG_URLS/)
    }
  })

  test(`${flavour}: the storage tells what the database takes, and how far back events go`, async () => {
    await using stage = await setStage({ flavour, fresh: true })
    const read = async () => (await stage.operator('GET', '/operator/storage')).body.data
    const empty = await read()
    assert.deepEqual([empty.events, empty.oldest_event_at], [0, null])
    const [uuid] = await stage.publish({ n: 1 }, { n: 2 })
    assert.deepEqual(await read(), empty)
    stage.clock.advance(MINUTE_MS)
    const { accepted_at } = (await stage.operator('GET', `/operator/events/${uuid}`)).body.data
    const full = await read()
    assert.deepEqual([full.events, full.oldest_event_at], [2, accepted_at])
    assert.ok(full.total_bytes > 0 && full.wal_bytes > 0)
    assert.ok(full.parts.length > 1 && full.parts[0].bytes >= full.parts[1].bytes)
    if (flavour === 'postgres') return assert.equal(full.disk, null)
    assert.ok(full.disk.free_bytes > 0 && full.disk.free_bytes <= full.disk.total_bytes)
    assert.equal(
      full.parts.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0),
      full.total_bytes,
    )
  })
}

test('a server says its dialect, and where the sandbox of the advertising API is', async () => {
  await using stage = await setStage({ environment: { POSTERN_DIALECT: 'x' } })
  const { dialect, ads_sandbox_base_url } = (await stage.operator('GET', '/operator/server')).body.data
  assert.deepEqual([dialect, ads_sandbox_base_url], ['x', stage.origins.ads_sandbox_base_url])
})
