import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { setRace } from '../stage/race.ts'
import { answerWith } from '../stage/receiver.ts'
import { rawRows } from '../storage/samples.ts'

const ROUNDS = 3
const many = (length: number) => Array.from({ length }, (_, n) => ({ n }))

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: the same event_uuid published twenty times concurrently is one event and one delivery`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver } = race
    await one.connect(receiver)
    for (let round = 1; round <= ROUNDS; round += 1) {
      const event = { event_type: 'dm.received', user_id: '101', payload: {}, event_uuid: `${1000 + round}` }
      const published = Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).operator('POST', '/operator/events', event))
      const answers = await Promise.all(published)
      for (const { status, body } of answers)
        assert.deepEqual([status, body.data.length, body.data[0].event_uuid], [202, 1, event.event_uuid])
      const made = answers.filter(({ body }) => body.meta.deliveries === 1)
      assert.equal(made.length, 1, 'one of the calls made the delivery')
      const deliveries = await other.deliveriesWhen('state=delivered', (found) => found.length === round)
      assert.equal(deliveries[0].event_uuid, event.event_uuid)
    }
    assert.equal((await one.operator('GET', '/operator/deliveries')).body.data.length, ROUNDS)
    assert.equal(receiver.posts, ROUNDS)
  })

  test(`${flavour}: a webhook that becomes invalid receives nothing more from any server, and no event of it is lost`, async () => {
    await using race = await setRace({ flavour, environment: { POSTERN_RETRY_PLAN: '1h' } })
    const { one, other, receiver, token } = race
    const { webhookId } = await one.connect(receiver)
    receiver.hold('POST')
    const uuids = [...(await one.publish(...many(40))), ...(await other.publish(...many(40)))]
    const heldFirst = one === other ? 4 : 8
    await receiver.holding(heldFirst)
    receiver.holds = () => true
    receiver.held[0]!.fail(410)
    await receiver.when(() => receiver.challenges === 2)
    receiver.held.find(({ request }) => request.method === 'GET')!.fail(503)
    await one.until(async () => !(await one.api('GET', '/2/webhooks', { token })).body.data[0].valid)
    await other.api('GET', '/2/webhooks', { token })
    receiver.answerPosts(500)
    for (const held of receiver.held) held.fail(500)
    const open = await other.deliveriesWhen(`webhook_id=${webhookId}`, (found) => found.every(({ state }) => state !== 'pending'))
    const waiting = open.filter(({ state }) => state === 'retrying').map(({ event_uuid }) => event_uuid)
    const notSent = open.filter(({ state }) => state === 'not_sent').map(({ event_uuid }) => event_uuid)
    assert.deepEqual([...waiting, ...notSent].sort(), [...uuids].sort())
    assert.equal(receiver.posts, waiting.length)
    assert.ok(notSent.length > 0)

    receiver.intercept = undefined
    receiver.letGo()
    assert.equal((await other.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 200)
    one.clock.advance(3_600_000)
    const events = await receiver.received(waiting.length)
    assert.deepEqual(events.map(({ data }) => data?.event_uuid).sort(), waiting.sort())
  })
}

test('postgres: an event for a webhook that another server has just re-enabled is sent, even if the notification was missed', async () => {
  await using race = await setRace({ flavour: 'postgres' })
  const { one: deaf, other, receiver, token } = race
  const { webhookId } = await deaf.connect(receiver)
  const put = () => other.api('PUT', `/2/webhooks/${webhookId}`, { token })

  receiver.hold('POST')
  await deaf.publish(...many(100))
  await receiver.holding(4)
  receiver.intercept = (request, response) => request.method === 'GET' && answerWith(response, 503)
  assert.equal((await put()).status, 400)
  let passed = 0
  await deaf.until(async () => {
    if (passed < receiver.held.length) receiver.held[passed++]!.pass()
    return (await deaf.operator('GET', '/operator/deliveries?state=not_sent')).body.data.length > 0
  })
  receiver.letGo()

  const sessions = `select pid from pg_locks where locktype = 'advisory' and objsubid = 2 and objid = 0
    and database = (select oid from pg_database where datname = current_database())`
  await rawRows(deaf.databaseUrl, `select pg_terminate_backend(pid) from (${sessions}) as sessions`)
  await deaf.logged('the database cannot be used', 1)
  receiver.intercept = undefined
  assert.equal((await put()).status, 200)
  const event = { event_type: 'dm.received', user_id: '101', payload: { after: true } }
  const { data } = await deaf.until(async () => {
    const answer = await deaf.operator('POST', '/operator/events', event)
    assert.ok([202, 503].includes(answer.status), answer.text)
    return answer.status === 202 && answer.body
  })
  const uuid = data[0].event_uuid
  const [found] = await deaf.deliveriesWhen(`event_uuid=${uuid}`, ([delivery]) => delivery.state !== 'pending')
  assert.equal(found.state, 'delivered')
})
