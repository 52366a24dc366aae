import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { createDisorder, type DisorderSettings, type Drawn, disorderKinds } from '../../src/development/faults/disorder.ts'
import { createDisorders } from '../../src/development/faults/disorders.ts'
import { cases } from '../stage/cases.ts'
import { otherApp, type Stage, setStage } from '../stage/postern.ts'

const settings: DisorderSettings = {
  seed: 7,
  calls: 0.5,
  deliveries: 0.5,
  kinds: disorderKinds,
  statuses: [429, 500, 503],
  maxDelayMs: 500,
  appId: undefined,
}

const RETRIES = 6

const disorderOf = (more: Partial<DisorderSettings> = {}, retries = RETRIES) =>
  createDisorder('1', { ...settings, ...more }, retries, () => 0)

const lookup = { key: 'GET /2/users/:id', what: 'GET /2/users/:id', method: 'GET', appId: '1', userId: undefined } as const
const post = { key: 'POST /2/posts', what: 'POST /2/posts', method: 'POST', appId: '1', userId: '101' } as const

const sending = (event: number, attempts = 0) => ({
  eventType: 'dm.received',
  eventUuid: String(event),
  appId: '1',
  webhookId: '5',
  userId: '101',
  attempts,
})

const times = <Value>(count: number, make: (at: number) => Value) => Array.from({ length: count }, (_, at) => make(at + 1))

const shown = (drawn: Drawn | undefined) => drawn && [drawn.count, drawn.effect]

suite('a disorder', () => {
  // Computed by Python's hashlib from SHA-256 of "7 GET /2/users/:id 1  <count>".
  test('draws from the seed, the endpoint, the caller and the count, and from nothing else', () => {
    const disorder = disorderOf()
    const drawn = times(20, () => shown(disorder.takeCall(lookup))).filter(Boolean)
    assert.deepEqual(drawn, [
      [2, { kind: 'cut' }],
      [5, { kind: 'delay', delayMs: 287 }],
      [9, { kind: 'cut' }],
      [12, { kind: 'garbage' }],
      [14, { kind: 'status', status: 500 }],
      [17, { kind: 'delay', delayMs: 304 }],
      [18, { kind: 'garbage' }],
      [19, { kind: 'cut' }],
    ])
    assert.deepEqual(disorder.counts, { call: { seen: 20, hit: 8 }, delivery: { seen: 0, hit: 0 } })
  })

  const anySeed = fc.integer({ min: 0, max: 2 ** 32 - 1 })

  test('draws for a caller what it draws for that caller alone, whoever calls in between', () => {
    const callers = [lookup, post, { ...post, userId: '102' }, { ...post, appId: '2' }]
    fc.assert(
      fc.property(anySeed, fc.array(fc.nat({ max: 3 }), { maxLength: 60 }), (seed, order) => {
        const together = disorderOf({ seed })
        const drawn = order.map((caller) => ({ caller, got: shown(together.takeCall(callers[caller]!)) }))
        for (const [place, call] of callers.entries()) {
          const alone = disorderOf({ seed })
          const mine = drawn.filter(({ caller }) => caller === place).map(({ got }) => got)
          assert.deepEqual(
            mine.map(() => shown(alone.takeCall(call))),
            mine,
          )
        }
      }),
      { numRuns: cases(30, 1000) },
    )
  })

  test('of an app draws the same whatever ids its app and users have', () => {
    const [one, other] = [disorderOf({ appId: '1' }), disorderOf({ appId: '2' })]
    const calls = (disorder: typeof one, appId: string, userId: string) =>
      times(40, () => shown(disorder.takeCall({ ...post, appId, userId })))
    assert.deepEqual(calls(one, '1', '101'), calls(other, '2', '4711'))
    assert.ok(one.counts.call.hit > 5)
  })

  test('never fails three calls of one caller to one endpoint in a row', () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const disorder = disorderOf({ seed, kinds: ['status'] })
        const row = times(60, () => (disorder.takeCall(post) ? 'x' : '.')).join('')
        assert.ok(!row.includes('xxx'), row)
      }),
      { numRuns: cases(30, 1000) },
    )
  })

  test('fails two calls in a row, from the first on, and two attempts of a delivery, and numbers attempts from 1', () => {
    const disorders = times(50, (seed) => disorderOf({ seed, kinds: ['status'] }))
    assert.ok(disorders.some((disorder) => disorder.takeCall(post) && disorder.takeCall(post)))
    const failing = disorders.filter((disorder) => times(8, (at) => disorder.takeSending(sending(9, at - 1))).filter(Boolean).length === 2)
    assert.ok(failing.length > 0)
    const attempts = times(50, () => disorders.map((disorder) => disorder.takeSending(sending(1))?.attempt)).flat()
    assert.deepEqual([...new Set(attempts.filter((attempt) => attempt !== undefined))], [1])
  })

  for (const [retries, most] of [
    [6, 2],
    [1, 1],
    [0, 0],
  ] as const)
    test(`fails at most ${most} attempts of a delivery that is retried ${retries} times`, () => {
      fc.assert(
        fc.property(anySeed, (seed) => {
          const disorder = disorderOf({ seed, kinds: ['status', 'cut'] }, retries)
          for (const event of times(10, (at) => at))
            assert.ok(times(8, (attempt) => disorder.takeSending(sending(event, attempt - 1))).filter(Boolean).length <= most)
        }),
        { numRuns: cases(30, 1000) },
      )
    })

  test('draws nothing that a platform does not do: a write is not answered with garbage, an event is not lost or wrongly signed', () => {
    const disorder = disorderOf()
    const kinds = (drawn: (Drawn | undefined)[]) => [...new Set(drawn.flatMap((one) => one?.effect.kind ?? []))].sort()
    assert.deepEqual(kinds(times(300, () => disorder.takeCall(lookup))), ['cut', 'delay', 'garbage', 'status'])
    assert.deepEqual(kinds(times(300, () => disorder.takeCall(post))), ['cut', 'delay', 'status'])
    assert.deepEqual(kinds(times(300, (event) => disorder.takeSending(sending(event)))), ['cut', 'delay', 'duplicate', 'reorder', 'status'])
  })

  test('hits the share that it is told, with the kinds, statuses and delays that it is told', () => {
    const disorder = disorderOf({ calls: 0.1, kinds: ['status', 'delay'], statuses: [503], maxDelayMs: 20 })
    const drawn = times(5000, () => disorder.takeCall(post)).flatMap((one) => one?.effect ?? [])
    assert.ok(drawn.length > 400 && drawn.length < 600, String(drawn.length))
    for (const effect of drawn) {
      if (effect.kind === 'status') assert.equal(effect.status, 503)
      else assert.ok(effect.kind === 'delay' && effect.delayMs >= 1 && effect.delayMs <= 20)
    }
  })

  test('answers attempts of deliveries with 500, 502, 503 or 504, as callbacks and the proxies before them do', () => {
    const disorder = disorderOf({ kinds: ['status'] })
    const effects = times(300, (event) => disorder.takeSending(sending(event))).flatMap((one) => one?.effect ?? [])
    assert.deepEqual([...new Set(effects.map((effect) => effect.kind === 'status' && effect.status))].sort(), [500, 502, 503, 504])
  })

  test('counts for 10,000 callers: one more, and the oldest begins again', () => {
    const disorder = disorderOf({ calls: 1, kinds: ['delay'] })
    const countFor = (user: number) => disorder.takeCall({ ...post, userId: String(user) })!.count
    times(10_000, countFor)
    assert.deepEqual([countFor(1), countFor(10_001), countFor(2), countFor(1)], [2, 1, 2, 1])
  })

  test('keeps its last 1,000 faults', () => {
    const disorder = disorderOf()
    times(5000, () => disorder.takeCall(lookup))
    assert.ok(disorder.counts.call.hit > 1000)
    assert.equal(disorder.drawn.length, 1000)
    assert.equal(disorder.drawn.at(-1)!.id, `disorder-7-${disorder.counts.call.hit}`)
  })
})

async function begin(stage: Stage, json: Record<string, unknown> = {}) {
  const answer = await stage.operator('POST', '/operator/disorders', json)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

const reported = async (stage: Stage, { id }: { id: string }) => (await stage.operator('GET', `/operator/disorders/${id}`)).body.data

suite('the disorders of a server', () => {
  test('tell which faults hit the deliveries of one event to one webhook', () => {
    const disorders = createDisorders(() => 0, RETRIES)
    disorders.begin({ ...settings, deliveries: 1, kinds: ['delay'] })
    for (const webhookId of ['5', '6']) for (const event of [1, 2]) disorders.takeSending({ ...sending(event), webhookId })
    assert.deepEqual(
      disorders.hitting('2', '6').map(({ eventUuid, webhookId }) => [eventUuid, webhookId]),
      [['2', '6']],
    )
  })

  test('are 100 at most', () => {
    const disorders = createDisorders(() => 0, RETRIES)
    for (const app of times(100, (at) => at)) disorders.begin({ ...settings, appId: String(app) })
    assert.throws(() => disorders.begin({ ...settings, appId: '101' }), /There are 100 disorders, the most that there may be\./)
  })
})

suite('a disorder on a server', () => {
  test('refuses calls as the platform does, says which fault it was, and leaves the operator and tools alone', async () => {
    await using stage = await setStage({ fresh: true })
    const token = await stage.token()
    const { created_at, ...begun } = await begin(stage, { seed: 7, calls: 0.5, kinds: ['status'], statuses: [429] })
    assert.deepEqual(begun, {
      id: '1',
      seed: 7,
      calls: 0.5,
      deliveries: 0.1,
      kinds: ['status'],
      statuses: [429],
      max_delay: '500ms',
      counts: { calls: { seen: 0, hit: 0 }, deliveries: { seen: 0, hit: 0 } },
      drawn: [],
    })
    const answers = []
    for (const _ of times(8, () => 0)) answers.push(await stage.api('GET', '/2/webhooks', { token }))
    const refused = answers.filter(({ status }) => status === 429)
    assert.ok(refused.length >= 2)
    for (const [place, { headers, body }] of refused.entries()) {
      const said = ['x-rate-limit-limit', 'x-rate-limit-remaining', 'retry-after', 'x-postern-fault'].map((name) => headers.get(name))
      assert.deepEqual([body.title, ...said], ['Too Many Requests', '450', '0', '900', `disorder-7-${place + 1}`])
    }
    const spared = await Promise.all(times(20, () => stage.api('GET', '/2/webhooks', { token, headers: { 'x-postern-disorder': 'off' } })))
    assert.ok(spared.every(({ status }) => status === 200))
    const pages = await Promise.all(times(20, () => stage.api('GET', '/oauth/explanations/none')))
    assert.ok(pages.every(({ status }) => status === 404))
    const report = await reported(stage, begun)
    assert.deepEqual(report.counts.calls, { seen: 8, hit: refused.length })
    const hits = answers.flatMap(({ status }, at) => (status === 429 ? [at + 1] : []))
    assert.deepEqual(
      report.drawn.map(({ at: _, ...drawn }: Record<string, unknown>) => drawn),
      hits.map((count, at) => ({
        fault: `disorder-7-${at + 1}`,
        what: 'GET /2/webhooks',
        count,
        kind: 'status',
        status: 429,
        app_id: '1',
      })),
    )
    const { data: calls } = (await stage.operator('GET', '/operator/requests')).body
    assert.deepEqual(
      calls.flatMap(({ fault }: { fault?: string }) => fault ?? []),
      refused.map((_, at) => `disorder-7-${at + 1}`),
    )
  })

  test('brings every event, whatever it draws, once the clock has passed the retries', async () => {
    await using stage = await setStage({ fresh: true })
    const { data: inbox } = (await stage.operator('POST', '/operator/inboxes', { events: ['dm.received'], user_ids: ['101'] })).body
    const disorder = await begin(stage, { seed: 3, calls: 0, deliveries: 0.5 })
    const uuids = []
    for (const n of times(20, (at) => at)) uuids.push(...(await stage.publish({ n })))
    await stage.operator('POST', '/operator/clock', { advance: '1h' })
    const { data } = (await stage.operator('GET', `/operator/inboxes/${inbox.id}/events?max_results=1000`)).body
    assert.deepEqual([...new Set(data.map(({ event_uuid }: { event_uuid: string }) => event_uuid))].sort(), uuids.sort())
    assert.ok(data.every(({ verified }: { verified: boolean }) => verified))
    const report = await reported(stage, disorder)
    assert.deepEqual([...new Set(report.drawn.map(({ kind }: { kind: string }) => kind))].sort(), [
      'cut',
      'delay',
      'duplicate',
      'reorder',
      'status',
    ])
  })

  test('of an app hits that app alone, and goes before the one for all', async () => {
    await using stage = await setStage({ fresh: true })
    const [token, other] = [await stage.token(), await stage.token(otherApp)]
    const own = await begin(stage, { app_id: '1', calls: 0.5, seed: 1 })
    const ofAll = await begin(stage, { calls: 0, seed: 2 })
    for (const _ of times(10, () => 0)) {
      await stage.api('GET', '/2/webhooks', { token }).catch(() => undefined)
      assert.equal((await stage.api('GET', '/2/webhooks', { token: other })).status, 200)
    }
    const [of1, of2] = [await reported(stage, own), await reported(stage, ofAll)]
    assert.ok(of1.counts.calls.hit > 0)
    assert.deepEqual([of1.app_id, 'app_id' in of2], ['1', false])
    assert.deepEqual([of1.counts.calls.seen, of2.counts.calls.seen], [10, 10])
  })

  test('is one at a time for an app, is refused by name where it could not be, and ends with a reset', async () => {
    await using stage = await setStage({ fresh: true })
    const refused = async (json: Record<string, unknown>, status: number, says: RegExp) => {
      const answer = await stage.operator('POST', '/operator/disorders', json)
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.text, says)
    }
    await refused({ calls: 0.6 }, 400, /\$\.calls: must be at most 0\.5/)
    await refused({ deliveries: -0.1 }, 400, /\$\.deliveries: must be at least 0/)
    await refused({ seed: 1.5 }, 400, /\$\.seed: number found, integer expected/)
    await refused({ seed: 2 ** 32 }, 400, /\$\.seed: must be at most 4294967295/)
    await refused({ kinds: ['drop'] }, 400, /does not have a value in the enumeration \[status, delay, cut, garbage, duplicate, reorder\]/)
    await refused({ kinds: ['cut', 'cut'] }, 400, /must not have the same item twice/)
    await refused({ statuses: [404] }, 400, /does not have a value in the enumeration \[429, 500, 503\]/)
    await refused({ max_delay: '2m' }, 400, /\$\.max_delay: must be at least 1ms and at most 1m/)
    await refused({ max_delay: '0s' }, 400, /\$\.max_delay: must be at least 1ms and at most 1m/)
    await refused({ app_id: '9' }, 404, /There is no app 9/)
    const { id, seed } = await begin(stage)
    assert.ok(Number.isInteger(seed))
    await refused({}, 409, new RegExp(`The disorder ${id} with the seed ${seed} is under way for all apps\\. End it first`))
    const ended = await stage.operator('DELETE', `/operator/disorders/${id}`)
    assert.deepEqual([ended.status, ended.body], [200, { data: { deleted: true } }])
    assert.equal((await stage.operator('DELETE', `/operator/disorders/${id}`)).status, 404)
    await begin(stage, { app_id: '1' })
    assert.equal((await stage.operator('GET', '/operator/disorders')).body.meta.result_count, 1)
    await stage.operator('POST', '/operator/reset', {})
    assert.equal((await stage.operator('GET', '/operator/disorders')).body.meta.result_count, 0)
  })
})
