// Processes with a part of the roles each, over a database for the state and several for the event log, each on a PostgreSQL of its own.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { placesOf, slotOf } from '../../../src/storage/log-map.ts'
import { EVENT_LOGS } from '../../../src/storage/metadata.ts'
import { type Role, roleNames } from '../../../src/storage/roles.ts'
import { parseLogMap } from '../../../src/storage/sql/stores/log-map-store.ts'
import { rawRows } from '../../storage/samples.ts'
import { call } from '../call.ts'
import type { CountedCallback, CountingReceiver } from '../counting-receiver.ts'
import { demoToken } from '../demo-client.ts'
import { freePort } from '../free-port.ts'
import { OPERATOR_TOKEN } from '../postern.ts'
import { PosternProcess } from '../postern-process.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { type SilentProxy, startSilentProxy } from '../silent-proxy.ts'
import { connectTo, type StreamClient } from '../stream-client.ts'
import { createSource, type Source } from './load.ts'
import { MEMBER_SETTINGS, type Member, startMember } from './member.ts'

/** Of each role, or of processes with all roles. */
const EACH = 2
const WEBHOOKS_A_LOG = 2
/** Nobody's consent is asked for it. */
const EVENT_TYPE = 'broadcast.start'
/** A stream without a byte for so long is given up: one comes every nine seconds. */
const SILENCE_MS = 20_000
/** What came so long before the last event of a stream is asked for again: clocks of processes are five minutes apart. */
const AGAIN_MS = 360_000
/** To one webhook from one process. */
const IN_FLIGHT = 4
/** Deliveries that are not recorded as done. */
const OPEN = 'select o.webhook_id, e.event_uuid from log_open o join log_event e using (sequence)'

/** A PostgreSQL, and the way that all processes take to it. */
export interface Primary {
  server: PostgresServer
  proxy: SilentProxy
  url: string
}

export interface FleetOptions {
  /** How many databases carry the event log. */
  logs: number
  /** Each process has one role. */
  isApart: boolean
  /** How long a log that goes away stays away, the first time. */
  awayMs: number
}

export interface Fleet extends AsyncDisposable {
  members: readonly Member[]
  state: Primary
  /** By number, from 1. */
  logs: readonly Primary[]
  awayMs: number
  callbacks: readonly CountedCallback[]
  sources: readonly Source[]
  /**
   * Counts what may come twice because of what was just done: what is in flight, and what has come and is not recorded. `replace` of the
   * members does so itself. A database that is not there cannot be asked.
   */
  noteHarm(): Promise<void>
  /** The sum of what was counted since the last call. */
  allowed(): number
  /** The log that has new events of each source; several where its webhooks are in several. */
  logsOf(source: Source): Promise<Set<number>>
  /** Starts another process beside, which differs in this; answers what it says when it ends, or undefined when it serves. */
  refusal(environment: Record<string, string>): Promise<string | undefined>
  /** Moves slots; answers the status. */
  move(log: number, action: 'add' | 'drain'): Promise<number | undefined>
}

async function startPrimary(settings: readonly string[] = []): Promise<Primary & AsyncDisposable> {
  const server = await startPostgres({ settings: [...settings] })
  const url = new URL(server.url)
  const proxy = await startSilentProxy(Number(url.port))
  url.port = String(proxy.port)
  return {
    server,
    proxy,
    url: url.href,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await server.stop()
    },
  }
}

/** Follows the stream of an app at one process after the other, and resumes it wherever it ended. */
function followStream(members: readonly Member[], token: string, receiver: CountingReceiver) {
  const counts = new Map<string, number>()
  let client: StreamClient | undefined
  let isOver = false
  let lastMs = Date.now()
  const take = () => {
    lastMs = Date.now()
    for (const { data } of client!.lines.splice(0)) if (data) counts.set(data.event_uuid, (counts.get(data.event_uuid) ?? 0) + 1)
    client!.texts.length = 0
    receiver.changed()
  }
  const follow = async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const { base_url } = members[turn % members.length]!.origins
      const since = new Date(lastMs - AGAIN_MS).toISOString()
      const answer = connectTo(base_url, token, `?start_time=${since}`).catch(() => undefined)
      client = await Promise.race([answer, pause(SILENCE_MS / 4, undefined)])
      if (!client) void answer.then((late) => late?.close())
      let keepAlives = -1
      let heardAtMs = performance.now()
      while (client?.status === 200 && !client.hasEnded && !isOver && performance.now() - heardAtMs < SILENCE_MS) {
        if (client.keepAlives !== keepAlives || client.lines.length > 0) heardAtMs = performance.now()
        keepAlives = client.keepAlives
        if (client.lines.length > 0) take()
        await pause(20)
      }
      client?.close()
      await pause(100)
    }
  }
  const following = follow()
  return {
    counts,
    async end() {
      isOver = true
      await following
    },
  }
}

interface OwnApp {
  id: string
  token: string
}

async function createApp({ origins }: Member): Promise<OwnApp> {
  const json = { name: 'Streams', activity_enrolled: true }
  const made = await call(`${origins.operator_url}/operator/apps`, 'POST', { token: OPERATOR_TOKEN, json })
  assert.equal(made.status, 200, made.text)
  const { id, consumer_key, consumer_secret } = made.body.data
  const authorization = `Basic ${Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await call(`${origins.base_url}/oauth2/token`, 'POST', { headers, body: 'grant_type=client_credentials' })
  assert.equal(answer.status, 200, answer.text)
  return { id, token: answer.body.access_token }
}

async function subscribeTo({ origins }: Member, token: string, user_id: string, webhook_id?: string) {
  const json = { event_type: EVENT_TYPE, filter: { user_id }, ...(webhook_id && { webhook_id }) }
  const made = await call(`${origins.base_url}/2/activity/subscriptions`, 'POST', { token, json })
  assert.equal(made.status, 200, made.text)
}

/** Registers a callback whose webhook has a slot of this log when the slots are divided evenly: another id is given back. */
async function registerIn({ origins }: Member, token: string, url: string, log: number, logs: number): Promise<string> {
  for (;;) {
    const made = await call(`${origins.base_url}/2/webhooks`, 'POST', { token, json: { url } })
    assert.equal(made.status, 200, made.text)
    const { id } = made.body.data
    if ((slotOf(id) % logs) + 1 === log) return id
    const removed = await call(`${origins.base_url}/2/webhooks/${id}`, 'DELETE', { token })
    assert.equal(removed.status, 200, removed.text)
  }
}

/** Starts the servers, two processes of each kind, webhooks in each log, and a client of a stream. */
export async function startFleet(options: FleetOptions, folder: string, receiver: CountingReceiver): Promise<Fleet> {
  await using begun = new AsyncDisposableStack()
  const state = begun.use(await startPrimary())
  const logs: Primary[] = []
  for (let log = 0; log < options.logs; log += 1) logs.push(begun.use(await startPrimary()))
  const environment: Record<string, string> = logs.length === 0 ? {} : { POSTERN_LOG_URLS: logs.map(({ url }) => url).join(',') }
  const callbacks: CountedCallback[] = []
  const idsOf = new Map<string, string[]>()
  const byWebhook = new Map<string, CountedCallback>()
  let allowed = 0
  const senders = EACH
  const unrecordedIn = async ({ server }: Primary) => {
    const rows = await rawRows(server.url, OPEN).catch(() => [])
    return rows.filter(({ webhook_id, event_uuid }) => byWebhook.get(String(webhook_id))?.counts.has(String(event_uuid))).length
  }
  const noteHarm = async () => {
    const unrecorded = await Promise.all((logs.length > 0 ? logs : [state]).map(unrecordedIn))
    allowed += unrecorded.reduce((sum, count) => sum + count, senders * callbacks.length * IN_FLIGHT)
  }
  const own = { databaseUrl: state.url, folder, environment, hasOwnWay: false, killed: noteHarm }
  const kinds: (readonly Role[])[] = options.isApart ? roleNames.map((role) => [role]) : [roleNames]
  const members: Member[] = []
  for (const roles of kinds) for (let n = 0; n < EACH; n += 1) members.push(begun.use(await startMember({ ...own, roles })))
  const api = members.find(({ roles }) => roles.includes('api'))!

  await api.operator('PATCH', '/operator/apps/1', { webhook_limit: 50 })
  const token = await demoToken(api.origins)
  const sources: Source[] = []
  const shared = '300'
  for (let place = 0; place < Math.max(1, logs.length) * WEBHOOKS_A_LOG; place += 1) {
    const callback = receiver.callback(`/${place}`, 10)
    const user = String(200 + place)
    const log = (place % Math.max(1, logs.length)) + 1
    const id = await registerIn(api, token, callback.url, log, Math.max(1, logs.length))
    for (const one of [user, shared]) await subscribeTo(api, token, one, id)
    callbacks.push(callback)
    byWebhook.set(id, callback)
    idsOf.set(user, [id])
    sources.push(createSource(user, EVENT_TYPE, [callback]))
  }
  idsOf.set(shared, [...idsOf.values()].flat())
  sources.push(createSource(shared, EVENT_TYPE, callbacks))
  const app = await createApp(api)
  await subscribeTo(api, app.token, '400')
  const holders = members.filter(({ roles }) => roles.includes('stream'))
  const stream = followStream(holders, app.token, receiver)
  begun.defer(() => stream.end())
  idsOf.set('400', [app.id])
  sources.push(createSource('400', EVENT_TYPE, [stream]))

  const owned = begun.move()
  return {
    members,
    state,
    logs,
    awayMs: options.awayMs,
    callbacks,
    sources,
    noteHarm,
    allowed() {
      const found = allowed
      allowed = 0
      return found
    },
    async logsOf({ user }) {
      const [row] = await rawRows(state.server.url, `select value from metadata where name = '${EVENT_LOGS}'`)
      const places = placesOf(parseLogMap(String(row!.value))!)
      return new Set(idsOf.get(user)!.map((id) => places[slotOf(id)]!.log))
    },
    async refusal(more) {
      const ports = { POSTERN_PORT: String(await freePort()), POSTERN_OPERATOR_PORT: String(await freePort()) }
      const beside = new PosternProcess(
        {
          POSTERN_DATABASE_URL: state.url,
          ...MEMBER_SETTINGS,
          ...environment,
          POSTERN_BASE_URL: 'http://127.0.0.1:4000',
          ...ports,
          ...more,
        },
        folder,
      )
      const said = await beside.ready().then(
        () => undefined,
        (error: Error) => error.message,
      )
      await beside.end('SIGKILL')
      return said
    },
    move: (log, action) => api.operator('POST', `/operator/logs/${log}/${action}`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
