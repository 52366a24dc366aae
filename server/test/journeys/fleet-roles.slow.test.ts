// Two processes of each role on one PostgreSQL under load, of which some are added, frozen, killed and stopped. roles.test.ts has what each does.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import type { Role } from '../../src/storage/roles.ts'
import { call } from '../stage/call.ts'
import { migratedDatabase } from '../stage/database.ts'
import { demo, demoToken, subscribe } from '../stage/demo-client.ts'
import { PATIENCE_MS as MOST_MS, pause } from '../stage/pause.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { startReceiver, type TestReceiver } from '../stage/receiver.ts'
import { type RoleProcess, startRole } from '../stage/role-process.ts'
import { openStream, type StreamClient } from '../stage/stream-client.ts'

const USERS = ['101', '102', '103', '104']
/** Of one webhook in one process. */
const IN_FLIGHT = 4
/** After a fault so many more events must come through. */
const PROGRESS = 60
/** A producer that gets no answer asks another process. */
const PATIENCE_MS = 2_000
const EVENTS_A_CALL = 4
const FIRST_UUID = 7_000_000_000_000

const isAlive = ({ process: { child } }: RoleProcess) => child.exitCode === null && child.signalCode === null

/** No answer came. A refusal for good would be a mistake of the test. */
function unlessRefused(error: unknown): false {
  if (error instanceof assert.AssertionError) throw error
  return false
}

/** A producer that sends every event until a process accepts it, as the same event. */
function startLoad(apis: () => RoleProcess[]) {
  const accepted: string[] = []
  let isOver = false
  let next = 1

  const send = async (events: object[]) => {
    const living = apis()
    const { operator } = living[randomInt(living.length)]!
    const response = await fetch(`${operator}/operator/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const text = await response.text()
    assert.ok([202, 503].includes(response.status), text)
    return response.status === 202
  }

  const run = async () => {
    while (!isOver) {
      const events = Array.from({ length: EVENTS_A_CALL }, () => ({
        event_uuid: String(FIRST_UUID + next++),
        event_type: 'dm.received',
        user_id: USERS[next % USERS.length],
        payload: { next },
      }))
      while (!(await send(events).catch(unlessRefused)));
      accepted.push(...events.map(({ event_uuid }) => event_uuid))
    }
  }
  const running = run()
  return {
    accepted,
    async end() {
      isOver = true
      await running
    },
  }
}

/** A client of the stream of the demo app that connects again where it is told to. */
function createListener(token: string) {
  const heard = new Set<string>()
  let client: StreamClient | undefined
  let looked = 0
  return {
    heard() {
      const { lines } = client ?? { lines: [] }
      for (const { data } of lines.slice(looked)) if (data) heard.add(data.event_uuid)
      looked = lines.length
      return heard
    },
    async connect({ general }: RoleProcess) {
      this.heard()
      client?.close()
      client = await openStream(general, token, '?backfill_minutes=5')
      looked = 0
    },
    close: () => client?.close(),
  }
}

test('processes of each role are added, frozen, killed and stopped under load: every accepted event arrives, and streams resume', async () => {
  await using database = await migratedDatabase('postgres')
  await using processes = new AsyncDisposableStack()
  const fleet: Record<Role, RoleProcess[]> = { api: [], delivery: [], stream: [] }
  const add = async (role: Role) => {
    const started = processes.use(await startRole(database.url, [role]))
    fleet[role].push(started)
    return started
  }
  const remove = (role: Role, one: RoleProcess) => void fleet[role].splice(fleet[role].indexOf(one), 1)
  for (const role of ['api', 'delivery', 'stream'] as const) for (const _ of [1, 2]) await add(role)

  const [{ origins }] = fleet.api as [RoleProcess]
  const receivers: TestReceiver[] = []
  for (const user of USERS) {
    const receiver = processes.use(await startReceiver([demo.secret], `/${user}`))
    await subscribe(origins, receiver.url, user)
    receivers.push(receiver)
  }
  const token = await demoToken(origins)
  const listener = createListener(token)
  processes.defer(() => listener.close())
  await listener.connect(fleet.stream[0]!)

  const load = startLoad(() => fleet.api)
  const seen = new Set<string>()
  const looked = receivers.map(() => 0)
  const sent = () => {
    for (const [place, { events }] of receivers.entries()) {
      for (const { data } of events.slice(looked[place])) seen.add(data!.event_uuid!)
      looked[place] = events.length
    }
    return seen
  }
  const until = async (isSo: () => boolean, what: string) => {
    const deadlineMs = performance.now() + MOST_MS
    while (!isSo()) {
      assert.ok(performance.now() < deadlineMs, what)
      await pause()
    }
  }
  /** Events that are accepted from here on come to the webhooks and to the stream. */
  const progress = async (after: string) => {
    const from = load.accepted.length
    await until(() => load.accepted.length >= from + PROGRESS, `${after}: events are accepted`)
    const later = load.accepted.slice(from, from + PROGRESS)
    await until(() => sent().isSupersetOf(new Set(later)), `${after}: events are sent`)
    await until(() => listener.heard().isSupersetOf(new Set(later)), `${after}: events are streamed`)
  }
  await progress('the start')

  for (const role of ['delivery', 'api', 'stream'] as const) {
    await add(role)
    const [first, second] = fleet[role] as [RoleProcess, RoleProcess]
    const others = () => fleet.stream.filter((one) => one !== first)

    first.process.child.kill('SIGSTOP')
    if (role === 'api') remove(role, first)
    if (role === 'stream') await listener.connect(others()[0]!)
    await progress(`a frozen ${role}`)
    first.process.child.kill('SIGCONT')
    if (role === 'api') fleet.api.push(first)
    await progress(`a woken ${role}`)

    remove(role, second)
    await second.process.end('SIGKILL')
    if (role === 'stream') await listener.connect(others()[0]!)
    await progress(`a killed ${role}`)

    remove(role, first)
    assert.equal(await first.process.end('SIGTERM'), 0)
    await progress(`a stopped ${role}`)
    assert.ok(fleet[role].every(isAlive))
    await add(role)
  }

  await load.end()
  const all = new Set(load.accepted)
  await until(() => sent().isSupersetOf(all), 'every accepted event is sent')
  await until(() => listener.heard().isSupersetOf(all), 'every accepted event is streamed')
  const twice = receivers.reduce((sum, { posts, events }) => sum + posts - events.length, 0)
  // One process that sends was frozen, and one killed.
  assert.ok(twice <= 2 * IN_FLIGHT * USERS.length, `${twice} of ${all.size} came twice`)
  const counted = await call(`${fleet.api[0]!.operator}/operator/processes`, 'GET', { token: OPERATOR_TOKEN })
  assert.deepEqual(counted.body.data.map(({ roles }: { roles: Role[] }) => roles[0]).toSorted(), [
    'api',
    'api',
    'delivery',
    'delivery',
    'stream',
    'stream',
  ])
})
