import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SignedPost } from '../../src/delivery/signed-request.ts'
import { disturbPost } from '../../src/development/faults/disturb-sending.ts'
import type { Effect } from '../../src/development/faults/fault.ts'
import { createFaults } from '../../src/development/faults/faults.ts'
import { createPauses } from '../../src/development/faults/pauses.ts'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { endOfTurn } from '../../src/lib/clock.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

async function addFault(stage: Stage, json: Record<string, unknown>) {
  const answer = await stage.operator('POST', '/operator/faults', json)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

async function createInbox(stage: Stage) {
  const answer = await stage.operator('POST', '/operator/inboxes', { events: ['dm.received'], user_ids: ['101'] })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

/** So many events of an inbox, as soon as they have come. */
const received = (stage: Stage, inbox: { id: string }, count: number) =>
  stage.until(async () => {
    const { data } = (await stage.operator('GET', `/operator/inboxes/${inbox.id}/events`)).body
    return data.length >= count && data
  })

const numbers = (events: { event: { data: { payload: { n: number } } } }[]) => events.map(({ event }) => event.data.payload.n)

const attemptsOf = async (stage: Stage, state: string) => {
  const [delivery] = await stage.deliveriesWhen(`state=${state}`, (found) => found.length > 0)
  return delivery.attempts
}

/** Long enough that only the clock brings the next attempt. */
const environment = { POSTERN_RETRY_PLAN: '1h,1h' }

const dm = 'dm.received'

suite('faults of deliveries', () => {
  test('a status counts as the answer of the callback, which is not asked; the retry brings the event', async () => {
    await using stage = await setStage({ environment })
    const inbox = await createInbox(stage)
    const { id } = await addFault(stage, { delivery: dm, status: 500 })
    const [uuid] = await stage.publish({ n: 1 })
    const [attempt] = await attemptsOf(stage, 'retrying')
    assert.deepEqual([attempt.status, attempt.response], [500, `fault ${id}: the callback was not asked`])
    const { data, meta } = (await stage.operator('GET', `/operator/inboxes/${inbox.id}/events`)).body
    assert.deepEqual(data, [])
    assert.match(
      meta.explanation.join(),
      new RegExp(`^The delivery of dm\\.received ${uuid}: attempt 1 failed: answered 500.*advance the clock`),
    )
    assert.match(meta.explanation.join(), /It was hit by fault 1 \(status\)/)
    const [fault] = (await stage.operator('GET', '/operator/faults')).body.data
    assert.deepEqual(
      fault.hits.map(({ at: _, ...hit }: Record<string, unknown>) => hit),
      [{ what: dm, app_id: '1', webhook_id: inbox.webhook_id, event_uuid: uuid }],
    )
    stage.clock.advance(3_600_000)
    assert.deepEqual(numbers(await received(stage, inbox, 1)), [1])
  })

  test('a duplicate is sent twice', async () => {
    await using stage = await setStage({ fresh: true })
    const inbox = await createInbox(stage)
    await addFault(stage, { delivery: '*', duplicate: true })
    await stage.publish({ n: 1 })
    const events = await received(stage, inbox, 2)
    assert.deepEqual(
      events.map(({ verified, duplicate }: { verified: boolean; duplicate: boolean }) => [verified, duplicate]),
      [
        [true, false],
        [true, true],
      ],
    )
    assert.equal((await attemptsOf(stage, 'delivered')).length, 1)
  })

  test('a reordered event comes after the next of its webhook, and alone once the clock has moved', async () => {
    await using stage = await setStage({ fresh: true })
    const inbox = await createInbox(stage)
    await addFault(stage, { delivery: dm, reorder: true, times: 2 })
    await stage.publish({ n: 1 })
    await stage.until(async () => (await stage.operator('GET', '/operator/faults')).body.data[0].times_left === 1)
    await stage.operator('DELETE', '/operator/faults/1')
    await stage.publish({ n: 2 })
    assert.deepEqual(numbers(await received(stage, inbox, 2)), [2, 1])
    await addFault(stage, { delivery: dm, reorder: true })
    await stage.publish({ n: 3 })
    await stage.until(async () => (await stage.operator('GET', '/operator/faults')).body.data.at(-1).times_left === 0)
    await stage.operator('POST', '/operator/clock', { advance: '2s' })
    assert.deepEqual(numbers(await received(stage, inbox, 3)), [2, 1, 3])
  })

  const others: Effect[] = [
    { kind: 'status', status: 503 },
    { kind: 'drop' },
    { kind: 'delay', delayMs: 0 },
    { kind: 'cut' },
    { kind: 'garbage' },
    { kind: 'wrong_signature' },
    { kind: 'duplicate' },
  ]
  for (const effect of others)
    test(`a reordered event does not wait longer because the next one is hit by ${effect.kind}`, async () => {
      // No time passes: what waits for a while is never sent.
      const pauses = createPauses({
        after(ms, run) {
          if (ms === 0) queueMicrotask(run)
          return { cancel() {} }
        },
      })
      const faults = createFaults(() => 0, { hitting: () => [] })
      const hitsNothing = { takeSending: () => undefined } as never
      const sent: (string | undefined)[] = []
      const post: SignedPost = async (_destination, _body, event) => {
        sent.push(event?.eventUuid)
        return { kind: 'answered', status: 200 } as never
      }
      const send = disturbPost(post, faults, hitsNothing, pauses, { byId: async () => ({}) as never })
      const sendEvent = (eventUuid: string) =>
        send({ appId: '1', webhookId: '2' } as never, Buffer.of(), { eventType: dm, eventUuid, attempts: 0 } as never)
      faults.add({ delivery: dm }, { kind: 'reorder' }, 1)
      faults.add({ delivery: dm }, effect, 1)
      const first = sendEvent('first')
      await sendEvent('next')
      await endOfTurn()
      assert.equal(sent.at(-1), 'first')
      await first
    })

  test('a dropped event is acknowledged and lost, and a replay brings it', async () => {
    await using stage = await setStage({ fresh: true })
    const inbox = await createInbox(stage)
    await addFault(stage, { delivery: dm, drop: true, webhook_id: inbox.webhook_id })
    await stage.publish({ n: 1 })
    const [attempt] = await attemptsOf(stage, 'delivered')
    assert.deepEqual([attempt.status, attempt.response], [200, 'fault 1 dropped it: the callback was not asked'])
    const { data, meta } = (await stage.operator('GET', `/operator/inboxes/${inbox.id}/events`)).body
    assert.deepEqual(data, [])
    assert.match(meta.explanation.join(), /was acknowledged, and is not in this inbox: fault 1 dropped it/)
    const now = stage.clock.now()
    const dates = { from_date: formatMinute(now - 3_600_000), to_date: formatMinute(now + 60_000) }
    const replay = await stage.operator('POST', '/operator/replays', { webhook_id: inbox.webhook_id, ...dates })
    assert.equal(replay.status, 200, replay.text)
    assert.equal((await received(stage, inbox, 1))[0].event_type, dm)
  })

  test('a wrong signature is refused by a real receiver, and the retry is signed rightly', async () => {
    await using stage = await setStage({ environment })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    await addFault(stage, { delivery: dm, wrong_signature: true })
    await stage.publish({ n: 1 })
    const [attempt] = await attemptsOf(stage, 'retrying')
    assert.deepEqual([attempt.status, receiver.posts, receiver.events.length], [401, 1, 0])
    stage.clock.advance(3_600_000)
    assert.equal((await receiver.received(1)).length, 1)
  })

  test('an inbox keeps what came with a wrong signature, or as garbage, and says so', async () => {
    await using stage = await setStage({ environment })
    const inbox = await createInbox(stage)
    await addFault(stage, { delivery: dm, wrong_signature: true })
    await addFault(stage, { delivery: dm, garbage: true })
    await stage.publish({ n: 1 })
    const [wrong] = await received(stage, inbox, 1)
    assert.deepEqual([wrong.verified, wrong.event.data.payload.n], [false, 1])
    stage.clock.advance(3_600_000)
    const [, garbage] = await received(stage, inbox, 2)
    assert.deepEqual([garbage.verified, garbage.event_type, typeof garbage.event], [true, null, 'string'])
    stage.clock.advance(3_600_000)
    assert.deepEqual(numbers((await received(stage, inbox, 3)).slice(2)), [1])
  })

  test('where the answer is lost, the receiver has the event, and is given it again', async () => {
    await using stage = await setStage({ environment })
    const inbox = await createInbox(stage)
    await addFault(stage, { delivery: dm, cut: true })
    await stage.publish({ n: 1 })
    const [attempt] = await attemptsOf(stage, 'retrying')
    assert.deepEqual([attempt.status, attempt.error], [null, 'the answer of the callback was lost (fault 1)'])
    assert.equal((await received(stage, inbox, 1))[0].duplicate, false)
    stage.clock.advance(3_600_000)
    assert.equal((await received(stage, inbox, 2))[1].duplicate, true)
  })

  test('a delayed event comes once the clock has reached it', async () => {
    await using stage = await setStage({ fresh: true })
    const inbox = await createInbox(stage)
    await addFault(stage, { delivery: dm, delay: '1m' })
    await stage.publish({ n: 1 })
    await stage.until(async () => (await stage.operator('GET', '/operator/faults')).body.data[0].times_left === 0)
    await stage.publish({ n: 2 })
    assert.deepEqual(numbers(await received(stage, inbox, 1)), [2])
    await stage.operator('POST', '/operator/clock', { advance: '1m' })
    assert.deepEqual(numbers(await received(stage, inbox, 2)), [2, 1])
  })

  for (const [what, replace] of Object.entries({
    'the webhook was deleted': async (stage: Stage, { token, webhookId }: { token: string; webhookId: string }) => {
      assert.equal((await stage.api('DELETE', `/2/webhooks/${webhookId}`, { token })).status, 200)
    },
    'a reset': async (stage: Stage) => assert.equal((await stage.operator('POST', '/operator/reset', {})).status, 200),
    'a restore': async (stage: Stage, _connected: object, snapshotId: string) =>
      assert.equal((await stage.operator('POST', `/operator/snapshots/${snapshotId}/restore`, {})).status, 200),
  }))
    test(`an event that a fault holds back does not come after ${what}`, async () => {
      await using stage = await setStage({ fresh: true })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const connected = await stage.connect(receiver)
      const { id } = (await stage.operator('POST', '/operator/snapshots', {})).body.data
      await addFault(stage, { delivery: dm, delay: '1m' })
      await addFault(stage, { delivery: dm, reorder: true })
      await stage.publish({ n: 1 }, { n: 2 })
      await stage.until(async () => {
        const faults = (await stage.operator('GET', '/operator/faults')).body.data
        return faults.every(({ times_left }: { times_left: number }) => times_left === 0)
      })
      await replace(stage, connected, id)
      await stage.operator('POST', '/operator/clock', { advance: '1m' })
      assert.equal(receiver.posts, 0)
    })

  test('a fault of another app or webhook does not hit', async () => {
    await using stage = await setStage({ fresh: true })
    const [inbox, other] = [await createInbox(stage), await createInbox(stage)]
    await addFault(stage, { delivery: dm, drop: true, app_id: '2' })
    await addFault(stage, { delivery: dm, drop: true, webhook_id: other.webhook_id })
    await stage.publish({ n: 1 })
    assert.deepEqual(numbers(await received(stage, inbox, 1)), [1])
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 2)
    assert.deepEqual((await stage.operator('GET', `/operator/inboxes/${other.id}/events`)).body.data, [])
  })

  for (const [effect, says] of [
    [{ status: 503 }, /the callback answered 503/],
    [{ garbage: true }, /the answer is not JSON/],
    [{ cut: true }, /the answer of the callback was lost \(fault 1\)/],
    [{ wrong_signature: true }, /the callback answered 401/],
  ] as const)
    test(`a challenge fails with ${Object.keys(effect)}, and makes the webhook invalid`, async () => {
      await using stage = await setStage({ fresh: true })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const token = await stage.token()
      await addFault(stage, { delivery: 'challenge', ...effect })
      const refused = await stage.api('POST', '/2/webhooks', { token, json: { url: receiver.url } })
      assert.equal(refused.status, 400)
      assert.match(refused.body.errors[0].message, says)
      const inbox = await createInbox(stage)
      await addFault(stage, { delivery: 'challenge', webhook_id: inbox.webhook_id, ...effect })
      assert.equal((await stage.api('PUT', `/2/webhooks/${inbox.webhook_id}`, { token })).status, 400)
      const { meta } = (await stage.operator('GET', `/operator/inboxes/${inbox.id}/events`)).body
      assert.match(meta.explanation[0], /^The webhook \d+ of this inbox is invalid since .* until PUT \/2\/webhooks\/\d+ passes\.$/)
    })
})
