// Two processes with three event logs under load: a log is away, a process is killed, slots are moved. storage/several-logs.test.ts has what
// the logs do one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { slotOf } from '../../src/storage/log-map.ts'
import { roleNames } from '../../src/storage/roles.ts'
import { call } from '../stage/call.ts'
import { migratedDatabase } from '../stage/database.ts'
import { demo, demoToken, messages, subscribe } from '../stage/demo-client.ts'
import { startGate } from '../stage/gate.ts'
import { PATIENCE_MS, pause } from '../stage/pause.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { startReceiver, type TestReceiver } from '../stage/receiver.ts'
import { type RoleProcess, startRole } from '../stage/role-process.ts'

/** Each has a webhook of its own, and a producer. */
const USERS = ['101', '102', '103', '104', '105']
const IN_FLIGHT = 4
const PROGRESS = 40
const FIRST_UUID = 8_000_000_000_000
const ANSWER_MS = 5_000

const token = { token: OPERATOR_TOKEN }

/** A producer of the events of one user, which sends each until a process accepts it, as the same event. */
function startProducer(user: string, place: number, processes: () => readonly RoleProcess[]) {
  const accepted: string[] = []
  let refused = 0
  let isOver = false
  let next = FIRST_UUID * (place + 1)
  const send = async (uuid: string): Promise<boolean> => {
    const living = processes()
    const { operator } = living[next % living.length]!
    const response = await fetch(`${operator}/operator/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events: [{ event_uuid: uuid, event_type: 'dm.received', user_id: user, payload: {} }] }),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const text = await response.text()
    if (response.status === 202) return true
    assert.deepEqual([response.status, Number(response.headers.get('retry-after')) > 0], [503, true], text)
    refused += 1
    return false
  }
  const run = async () => {
    while (!isOver) {
      const uuid = String(next++)
      const unlessAway = (error: unknown) => {
        if (error instanceof assert.AssertionError) throw error
        return false
      }
      while (!(await send(uuid).catch(unlessAway))) await wait(20)
      accepted.push(uuid)
    }
  }
  const running = run()
  return {
    accepted,
    refused: () => refused,
    async end() {
      isOver = true
      await running
    },
  }
}

test('with three logs under load one is away, a process is killed, slots move: every accepted event arrives, and others are not disturbed', async () => {
  await using stack = new AsyncDisposableStack()
  const state = stack.use(await migratedDatabase('postgres'))
  const gates = [stack.use(await startGate(state.url))]
  for (let more = 0; more < 2; more += 1) gates.push(stack.use(await startGate(stack.use(await migratedDatabase('postgres')).url)))
  const environment = { POSTERN_LOG_URLS: gates.map(({ url }) => url).join(',') }
  const start = async () => stack.use(await startRole(state.url, roleNames, { environment }))
  const fleet = [await start(), await start()]
  const listed = async () => (await call(`${fleet[0]!.operator}/operator/logs`, 'GET', token)).body.data
  assert.deepEqual(
    (await listed()).map(({ state, slots }: { state: string; slots: number }) => [state, slots]),
    [
      ['used', 86],
      ['used', 85],
      ['used', 85],
    ],
  )

  const receivers: TestReceiver[] = []
  /** The log of each user's webhook, as the slots are divided at first: 1, 2, 3, 1, 2. */
  const logOf: number[] = []
  for (const user of USERS) {
    const receiver = stack.use(await startReceiver([demo.secret], `/${user}`))
    // Each log gets webhooks: an id that is no good for that is given back.
    const wanted = (receivers.length % 3) + 1
    for (;;) {
      const webhook = await subscribe(fleet[0]!.origins, receiver.url, user)
      if ((slotOf(webhook) % 3) + 1 === wanted) break
      const removed = await call(`${fleet[0]!.general}/2/webhooks/${webhook}`, 'DELETE', { token: await demoToken(fleet[0]!.origins) })
      assert.equal(removed.status, 200, removed.text)
    }
    logOf.push(wanted)
    receivers.push(receiver)
  }
  const producers = USERS.map((user, place) => startProducer(user, place, () => fleet))
  const arrived = receivers.map(() => new Set<string>())
  const seen = receivers.map(() => 0)
  const look = (place: number) => {
    const { events } = receivers[place]!
    for (const { data } of events.slice(seen[place])) arrived[place]!.add(data!.event_uuid!)
    seen[place] = events.length
    return arrived[place]!
  }
  const until = async (isSo: () => boolean, what: string) => {
    const deadlineMs = performance.now() + 2 * PATIENCE_MS
    while (!isSo()) {
      assert.ok(performance.now() < deadlineMs, what)
      await pause()
    }
  }
  /** Events of these users that are accepted from here on arrive. */
  const progress = (after: string, isMeant: (place: number) => boolean = () => true) =>
    Promise.all(
      USERS.map(async (user, place) => {
        if (!isMeant(place)) return
        const from = producers[place]!.accepted.length
        await until(() => producers[place]!.accepted.length >= from + PROGRESS, `${after}: events of ${user} are accepted`)
        const later = new Set(producers[place]!.accepted.slice(from, from + PROGRESS))
        await until(() => look(place).isSupersetOf(later), `${after}: events of ${user} arrive`)
      }),
    )
  await progress('the start')

  const victim = 2
  const isVictims = (place: number) => logOf[place] === victim
  await gates[victim - 1]!.shut()
  await progress('a log is away', (place) => !isVictims(place))
  const ready = await call(`${fleet[0]!.operator}/readyz`, 'GET')
  assert.deepEqual([ready.status, ready.body], [200, { ready: true, logs_away: [victim] }])
  const haveNoticed = async () => {
    const { data } = (await call(`${fleet[0]!.operator}/operator/processes`, 'GET', token)).body
    return data.every(({ logs_away }: { logs_away: number[] | null }) => logs_away?.includes(victim))
  }
  const noticedByMs = performance.now() + PATIENCE_MS
  while (!(await haveNoticed())) {
    assert.ok(performance.now() < noticedByMs, 'every process notices that a log is away')
    await pause()
  }
  assert.match((await call(`${fleet[0]!.operator}/metrics`, 'GET')).text, new RegExp(`postern_log_up\\{log="${victim}"\\} 0`))

  const late = await start()
  fleet.push(late)
  await progress('a start while a log is away', (place) => !isVictims(place))
  await gates[victim - 1]!.open()
  await progress('the log is back')
  assert.deepEqual(
    producers.map((producer) => producer.refused() > 0),
    USERS.map((_, place) => isVictims(place)),
    'only events for the webhooks of the log that was away were refused',
  )

  const [killed] = fleet.splice(0, 1)
  await killed!.process.end('SIGKILL')
  await progress('a process was killed')

  const drained = await call(`${fleet[0]!.operator}/operator/logs/3/drain`, 'POST', token)
  assert.deepEqual([drained.status, drained.body], [200, { data: { moved: 85, lost_before: null } }])
  await progress('a log is drained')
  const states = async () => (await call(`${fleet[0]!.operator}/operator/logs`, 'GET', token)).body.data
  assert.deepEqual(
    (await states()).map(({ state, slots }: { state: string; slots: number }) => [state, slots]),
    [
      ['used', 128],
      ['used', 128],
      ['draining', 0],
    ],
  )
  const added = await call(`${fleet[0]!.operator}/operator/logs/3/add`, 'POST', token)
  assert.deepEqual(added.body, { data: { moved: 85 } })
  await progress('the log has slots again')

  const lose = () => call(`${fleet[0]!.operator}/operator/logs/3/drain`, 'POST', { ...token, json: { lost: true } })
  const answering = await lose()
  assert.equal(answering.status, 409)
  assert.match(answering.body.detail, /^The event log 3 answers the process \d+: drain it without `lost`/)

  await Promise.all(producers.map((producer) => producer.end()))
  for (const [place, { accepted }] of producers.entries())
    await until(() => look(place).isSupersetOf(new Set(accepted)), `every accepted event of ${USERS[place]} arrives`)
  const twice = receivers.reduce((sum, { posts, events }) => sum + posts - events.length, 0)
  await gates[2]!.shut()
  const publishes = async () =>
    (await call(`${fleet[0]!.operator}/operator/events`, 'POST', { ...token, json: { events: messages(USERS[2]!, 1) } })).status
  const deadlineMs = performance.now() + PATIENCE_MS
  let lost = await lose()
  while (lost.status === 409 && performance.now() < deadlineMs) {
    assert.equal(await publishes(), 503)
    await pause()
    lost = await lose()
  }
  assert.deepEqual([lost.status, lost.body.data.moved, Number.isNaN(Date.parse(lost.body.data.lost_before))], [200, 85, false])
  assert.equal(await publishes(), 202)
  // A log was away, and a process was killed.
  assert.ok(twice <= 3 * IN_FLIGHT * USERS.length, `${twice} came twice`)
})
