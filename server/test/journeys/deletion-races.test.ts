import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, reasonOf } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import type { Stage } from '../stage/postern.ts'
import { type Race, setRace } from '../stage/race.ts'
import type { TestReceiver } from '../stage/receiver.ts'

const HOUR_MS = 3_600_000
const ROUNDS = 3

const remove = (stage: Stage, token: string, webhookId: string) => stage.api('DELETE', `/2/webhooks/${webhookId}`, { token })

const list = async (stage: Stage, token: string) => (await stage.api('GET', '/2/webhooks', { token })).body.data

const count = (answers: readonly Answer[], reason: string | number) => answers.filter((answer) => reasonOf(answer) === reason).length

/** How many challenges have ended, on either server. */
const challenges = ({ lines }: Race) => lines(({ msg }) => msg === 'challenge').length

/** Resolves with the deliveries of a webhook once none of them is open. */
const settled = (stage: Stage, webhookId: string, expected: number) =>
  stage.deliveriesWhen(
    `webhook_id=${webhookId}&max_results=1000`,
    (found) => found.length === expected && found.every(({ state }) => state !== 'pending' && state !== 'retrying'),
  )

const statesOf = (deliveries: { state: string }[]) => {
  const states: Record<string, number> = {}
  for (const { state } of deliveries) states[state] = (states[state] ?? 0) + 1
  return states
}

const many = (length: number) => Array.from({ length }, (_, n) => ({ n }))

/** Both servers have heard what was changed before this. */
async function untilHeard({ one, other, token }: Race) {
  for (const server of [one, other]) for (let call = 0; call < 3; call += 1) await list(server, token)
}

async function ending(receiver: TestReceiver, outcome: 'passes' | 'fails') {
  for (const held of receiver.held.splice(0)) {
    if (outcome === 'passes') held.pass()
    else held.fail(503)
  }
}

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: a webhook that is deleted during a challenge stays deleted, however the challenge ends`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    for (const outcome of ['passes', 'fails'] as const) {
      const byPut = await one.register(receiver.url, token)
      receiver.hold('GET')
      const put = one.api('PUT', `/2/webhooks/${byPut}`, { token })
      await receiver.holding(1)
      assert.equal((await remove(other, token, byPut)).status, 200)
      await ending(receiver, outcome)
      assert.equal(reasonOf(await put), 'WebhookIdInvalid')
      receiver.letGo()

      const byRound = await one.register(receiver.url, token)
      receiver.hold('GET')
      const ended = challenges(race)
      one.clock.advance(HOUR_MS)
      await receiver.holding(1)
      assert.equal((await remove(other, token, byRound)).status, 200)
      await ending(receiver, outcome)
      await one.until(() => challenges(race) > ended)
      receiver.letGo()
      assert.deepEqual(await list(one, token), [])
    }
  })

  test(`${flavour}: a webhook that is deleted during the challenge after a 410 stays deleted: nothing more is sent, and no error is logged`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    for (const outcome of ['passes', 'fails'] as const) {
      const { webhookId } = await one.connect(receiver)
      const before = receiver.posts
      receiver.answerPosts(410, { 'retry-after': '30' })
      receiver.hold('GET')
      const ended = challenges(race)
      await other.publish({})
      await receiver.holding(1)
      assert.equal((await remove(other, token, webhookId)).status, 200)
      await ending(receiver, outcome)
      await one.until(() => challenges(race) > ended)
      await settled(one, webhookId, 1)
      await other.publish({})
      one.clock.advance(HOUR_MS)
      await untilHeard(race)
      assert.deepEqual(await list(one, token), [])
      assert.equal(receiver.posts, before + 1)
      receiver.letGo()
    }
    assert.deepEqual(
      race.lines(({ level }) => level >= 50),
      [],
    )
  })

  test(`${flavour}: a URL whose webhook is deleted while it is being registered again is registered once`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    const registering = (stage: Stage) => stage.api('POST', '/2/webhooks', { token, json: { url: receiver.url } })
    receiver.hold('GET')
    const [first, second] = [registering(one), registering(other)]
    const [held, laterHeld] = await receiver.holding(2)
    held!.pass()
    const early = await Promise.race([first, second])
    assert.equal(reasonOf(early), 200)
    assert.equal((await remove(other, token, early.body.data.id)).status, 200)
    laterHeld!.pass()
    const ids = (await Promise.all([first, second])).map(({ body }) => body.data.id)
    assert.deepEqual(
      (await list(one, token)).map(({ id }: { id: string }) => id),
      ids.filter((id) => id !== early.body.data.id),
    )
    receiver.letGo()
    for (let round = 0; round < ROUNDS; round += 1) {
      const [existing] = await list(one, token)
      const [again, removed] = await Promise.all([registering(one), remove(other, token, existing.id)])
      assert.equal(removed.status, 200)
      const left = await list(other, token)
      if (again.status === 200) assert.deepEqual(left, [again.body.data])
      else assert.deepEqual([reasonOf(again), left], ['DuplicateUrlFailed', []])
      if (again.status !== 200) await one.register(receiver.url, token)
    }
  })

  test(`${flavour}: of twenty concurrent deletions one succeeds, and no subscription created meanwhile is left`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    for (let round = 0; round < ROUNDS; round += 1) {
      const webhookId = await one.register(receiver.url, token)
      const subscribing = (stage: Stage, user: number) => {
        const json = { event_type: 'post.create', filter: { user_id: `${user}` }, webhook_id: webhookId }
        return stage.api('POST', '/2/activity/subscriptions', { token, json })
      }
      const made = Array.from({ length: 20 }, (_, n) => [
        subscribing(n % 2 ? one : other, n + 1),
        n < 5 ? undefined : remove(n % 2 ? one : other, token, webhookId),
      ])
      const subscribed = await Promise.all(made.map(([subscription]) => subscription!))
      const removed = await Promise.all(made.flatMap(([, removal]) => removal ?? []))
      assert.deepEqual([count(removed, 200), count(removed, 'WebhookIdInvalid')], [1, 14])
      assert.equal(count(subscribed, 200) + count(subscribed, 'WebhookIdInvalid'), 20)
      assert.equal((await one.api('GET', '/2/activity/subscriptions', { token })).body.meta.result_count, 0)
    }
  })

  test(`${flavour}: after a deletion only attempts in flight end, and no waiting or retrying delivery is sent`, async () => {
    await using race = await setRace({ flavour, environment: { POSTERN_RETRY_PLAN: '1s' } })
    const { one, other, receiver, token } = race
    const { webhookId } = await one.connect(receiver)
    receiver.answerPosts(500, { 'retry-after': '3600' })
    await one.publish(...many(3))
    await one.deliveriesWhen(`webhook_id=${webhookId}`, (found) => found.filter(({ state }) => state === 'retrying').length === 3)
    receiver.intercept = undefined
    receiver.hold('POST')
    await one.publish(...many(400))
    await receiver.holding(4)
    assert.equal((await remove(other, token, webhookId)).status, 200)
    await untilHeard(race)
    for (const held of receiver.held.slice(0, 2)) held.fail(500)
    receiver.letGo()
    const deliveries = await settled(one, webhookId, 403)
    const inFlight = receiver.posts - 3
    assert.deepEqual(statesOf(deliveries), { delivered: inFlight - 2, given_up: 2, not_sent: 403 - inFlight })
    assert.ok(inFlight <= (one === other ? 4 : 8), `${inFlight} were in flight`)
    one.clock.advance(HOUR_MS)
    await untilHeard(race)
    assert.equal(receiver.posts, 3 + inFlight)
    for (const { state, attempts } of deliveries) if (state === 'not_sent') assert.equal(attempts.at(-1).error, 'webhook deleted')
  })

  test(`${flavour}: every event that is accepted while its webhook is deleted is delivered or recorded as not sent`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    for (let round = 0; round < ROUNDS; round += 1) {
      const webhookId = await one.register(receiver.url, token)
      await one.subscribe(webhookId, token)
      const publishing = (stage: Stage) => Promise.all(Array.from({ length: 10 }, () => stage.publish(...many(5))))
      await Promise.all([publishing(one), publishing(other), remove(other, token, webhookId)])
      const found = await one.deliveriesWhen(`webhook_id=${webhookId}&max_results=1000`, (deliveries) =>
        deliveries.every(({ state }) => state === 'delivered' || state === 'not_sent'),
      )
      const delivered = found.filter(({ state }) => state === 'delivered').map(({ event_uuid }) => event_uuid)
      const came = new Set(receiver.events.map(({ data }) => data?.event_uuid))
      assert.deepEqual(
        delivered.filter((uuid) => !came.has(uuid)),
        [],
      )
      receiver.events.length = 0
    }
  })
}
