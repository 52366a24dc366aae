import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callingWithoutPause } from '../stage/calling-clients.ts'
import { cases } from '../stage/cases.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'
import { askForSignIn, atApprovalPage, signInSeed } from '../stage/sign-in.ts'

const HOUR_MS = 3_600_000
const WEBHOOKS = cases(8, 30)

interface Happening {
  at: string
  kind: string
  outcome: string
  [about: string]: unknown
}

async function move(stage: Stage, json: object): Promise<{ now: string; happened: Happening[] }> {
  const answer = await stage.operator('POST', '/operator/clock', json)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const ofKind = (happened: Happening[], kind: string) => happened.filter((each) => each.kind === kind)

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: an advance of 24h ends every retry and hourly challenge that was due before it answers, and tells of them`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { webhookId } = await stage.connect(receiver)
    receiver.intercept = ({ method }, response) => method === 'POST' && answerWith(response, 500)
    const [uuid] = await stage.publish({})
    await receiver.when(() => receiver.posts === 1)
    const startMs = stage.clock.now()
    // An hour short of the retention, which runs from a moment before.
    const { now, happened } = await move(stage, { advance: '24h' })
    assert.ok(Date.parse(now) - startMs >= 24 * HOUR_MS)

    const retries = ofKind(happened, 'retry')
    assert.deepEqual(
      retries.map(({ event_uuid, webhook_id, attempt, status }) => [event_uuid, webhook_id, attempt, status]),
      [2, 3, 4, 5, 6, 7].map((attempt) => [uuid, webhookId, attempt, 500]),
    )
    assert.equal(retries.at(-1)!.next_try_at, null)
    for (const [at, retry] of retries.entries()) assert.equal(retry.outcome.startsWith('failed: '), true, `${at}`)
    assert.equal(receiver.posts, 7)
    const { body } = await stage.operator('GET', `/operator/deliveries?event_uuid=${uuid}`)
    assert.deepEqual([body.data[0].state, body.data[0].attempts.length], ['given_up', 7])

    const challenges = ofKind(happened, 'challenge')
    assert.ok(challenges.length >= 23 && challenges.length <= 25, `${challenges.length}`)
    for (const { webhook_id, outcome } of challenges) assert.deepEqual([webhook_id, outcome], [webhookId, 'passed'])
    const moments = happened.map(({ at }) => at)
    assert.deepEqual(moments, moments.toSorted())

    const later = await move(stage, { advance: '2h' })
    assert.deepEqual(
      ofKind(later.happened, 'trim').map(({ events, outcome }) => [events, outcome]),
      [[1, 'done']],
    )
    assert.deepEqual((await stage.operator('GET', `/operator/deliveries?event_uuid=${uuid}`)).body.data, [])
  })

  test(`${flavour}: an advance answers while clients call without a pause, and has awaited what fell due`, async () => {
    await using stage = await setStage({ flavour, environment: { POSTERN_RATE_LIMITS: 'off' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { webhookId } = await stage.connect(receiver)
    await using clients = await callingWithoutPause(stage)
    const { happened } = await move(stage, { advance: '2h' })
    assert.equal(clients.areCalling(), true)
    const challenges = ofKind(happened, 'challenge')
    assert.ok(challenges.length >= 1 && challenges.length <= 3, `${challenges.length}`)
    for (const { webhook_id, outcome } of challenges) assert.deepEqual([webhook_id, outcome], [webhookId, 'passed'])
    assert.deepEqual(ofKind(happened, 'not_awaited'), [])
  })

  test(`${flavour}: calls that move the clock run one after the other`, async () => {
    await using stage = await setStage({ flavour })
    const startMs = stage.clock.now()
    const moved = await Promise.all([1, 2, 3].map(() => move(stage, { advance: '1h' })))
    assert.deepEqual(moved.map(({ now }) => Math.round((Date.parse(now) - startMs) / HOUR_MS)).toSorted(), [1, 2, 3])
  })
}

test('a rate limit and a request token are over once the clock has passed their end', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const token = await stage.token()
  const left = async () => Number((await stage.api('GET', '/2/webhooks', { token })).headers.get('x-rate-limit-remaining'))
  const full = await left()
  assert.equal(await left(), full - 1)
  const { oauth_token } = await askForSignIn(stage, demoApp, 'oob')
  const visitor = atApprovalPage(stage)
  assert.equal((await visitor.open(oauth_token)).status, 200)
  await move(stage, { advance: '16m' })
  assert.equal(await left(), full)
  assert.notEqual((await visitor.open(oauth_token)).status, 200)
})

test('a callback that hangs is not awaited for longer than a second: its deadline passes with the clock, and so do its retries', async () => {
  await using stage = await setStage({ environment: { POSTERN_RETRY_PLAN: '5s' } })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { webhookId } = await stage.connect(receiver)
  receiver.intercept = ({ method }) => method === 'POST'
  const [uuid] = await stage.publish({})
  await receiver.when(() => receiver.posts === 1)
  const { happened } = await move(stage, { advance: '2m' })
  assert.deepEqual(
    // The webhook's hourly challenge may be due in these minutes too.
    happened
      .filter(({ kind }) => kind !== 'challenge')
      .map(({ kind, webhook_id, next_try_at }) => [kind, webhook_id, next_try_at === null]),
    [
      ['not_awaited', undefined, false],
      ['delivery', webhookId, false],
      ['not_awaited', undefined, false],
      ['retry', webhookId, true],
    ],
  )
  assert.deepEqual(
    ofKind(happened, 'not_awaited').map(({ request, outcome }) => [request, outcome]),
    Array(2).fill([`POST ${receiver.url}`, 'no answer within 1000 ms of real time: the clock moved on']),
  )
  const { body } = await stage.operator('GET', `/operator/deliveries?event_uuid=${uuid}`)
  assert.equal(body.data[0].state, 'given_up')
})

test(`an advance of 25h with ${WEBHOOKS} webhooks challenges each of them every hour`, async () => {
  await using stage = await setStage({ seed: { apps: [{ ...demoApp, webhook_limit: WEBHOOKS }] } })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  const ids = await Promise.all(Array.from({ length: WEBHOOKS }, (_, n) => stage.register(`${receiver.url}?n=${n}`, token)))
  const challenges = ofKind((await move(stage, { advance: '25h' })).happened, 'challenge')
  for (const id of ids) {
    const times = challenges.filter(({ webhook_id, outcome }) => webhook_id === id && outcome === 'passed').map(({ at }) => Date.parse(at))
    assert.ok(times.length >= 24, `${times.length}`)
    for (const [at, ms] of times.slice(1).entries()) assert.ok(ms - times[at]! <= HOUR_MS + 60_000)
  }
})

test('at most 1,000 things that happened are told, and how many more there were', async () => {
  await using stage = await setStage({ seed: { apps: [{ ...demoApp, webhook_limit: 30 }] } })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  await Promise.all(Array.from({ length: 30 }, (_, n) => stage.register(`${receiver.url}?n=${n}`, token)))
  const { body } = await stage.operator('POST', '/operator/clock', { advance: '36h' })
  assert.equal(body.data.happened.length, 1000)
  assert.ok(body.meta.more >= 30 * 35 - 1000 && body.meta.more <= 30 * 37 - 1000, `${body.meta.more}`)
})
