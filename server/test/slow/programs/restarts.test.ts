import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { call } from '../../stage/call.ts'
import { followStream } from '../../stage/follow-stream.ts'
import { freePort } from '../../stage/free-port.ts'
import { startInstalled } from '../../stage/installed-proxies.ts'
import { authorization as signOf } from '../../stage/oauth-client.ts'
import { OPERATOR_TOKEN } from '../../stage/postern.ts'
import { PosternProcess } from '../../stage/postern-process.ts'
import { type PostgresServer, startPostgres } from '../../stage/postgres-server.ts'
import { startProber } from '../../stage/prober.ts'
import { through } from '../../stage/public-sign-in.ts'
import { connectTo } from '../../stage/stream-client.ts'

const API = 'https://api.example.com'
const KEY = 'restarted-app-key'
const SECRET = 'restarted-app-secret-of-an-example'

const SEED = {
  apps: [{ id: '1', name: 'Restarted', consumer_key: KEY, consumer_secret: SECRET }],
  users: [{ id: '101', username: 'ada', name: 'Ada' }],
}

let server: PostgresServer
let folder: string
/** Those that a failed test left. */
let processes: PosternProcess[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-restarts-'))
  server = await startPostgres()
  processes = []
})
afterEach(async () => {
  for (const process of processes) await process.end('SIGKILL')
  await server.stop()
  await rm(folder, { recursive: true })
})

const ENVIRONMENT = {
  POSTERN_PROFILE: 'production',
  POSTERN_BASE_URL: API,
  POSTERN_ADS_BASE_URL: 'https://ads-api.example.com',
  POSTERN_ADS_SANDBOX_BASE_URL: 'https://ads-api-sandbox.example.com',
  POSTERN_TRUST_PROXY: '127.0.0.1/32',
  POSTERN_RATE_LIMITS: 'off',
  POSTERN_DRAIN: '5s',
}

/** Ports for those of the handbook: of both processes, and of the proxy for operators. */
async function freePorts() {
  const ports = new Map<string, string>()
  for (const port of ['4000', '4001', '4002', '4003', '5000', '5001', '5002', '5003', '4080']) ports.set(port, String(await freePort()))
  return (text: string) => text.replaceAll(/\b(?:[45]00[0-3]|4080)\b/g, (port) => ports.get(port)!)
}

for (const name of ['nginx', 'caddy'] as const)
  test(`behind ${name} as docs/proxy.md has it, no read, no publish and no sign-in fails when processes or PostgreSQL restart, and no event of a stream is lost`, async () => {
    const here = await freePorts()
    const start = async (first: '4' | '5') => {
      const [POSTERN_PORT, POSTERN_ADS_PORT, POSTERN_ADS_SANDBOX_PORT, POSTERN_OPERATOR_PORT] = ['0', '1', '2', '3'].map((last) =>
        here(`${first}00${last}`),
      ) as [string, string, string, string]
      const ports = { POSTERN_PORT, POSTERN_ADS_PORT, POSTERN_ADS_SANDBOX_PORT, POSTERN_OPERATOR_PORT }
      const started = new PosternProcess({ ...ENVIRONMENT, ...ports, POSTERN_DATABASE_URL: server.url }, folder)
      processes.push(started)
      await started.ready()
      return started
    }
    let one = await start('4')
    const other = await start('5')
    await using proxy = await startInstalled(name, here)
    const operator = here('http://127.0.0.1:4080')
    assert.equal((await call(`${operator}/operator/seed`, 'POST', { token: OPERATOR_TOKEN, json: SEED })).status, 200)
    const basic = `Basic ${btoa(`${KEY}:${SECRET}`)}`
    const form = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' }
    const bought = await through(proxy.agent, 'POST', `${API}/oauth2/token`, form, 'grant_type=client_credentials')
    const token = JSON.parse(bought.text).access_token
    const authorization = `Bearer ${token}`
    const json = JSON.stringify({ event_type: 'profile.update.bio', filter: { user_id: '101' } })
    const asJson = { authorization, 'content-type': 'application/json' }
    const subscribed = await through(proxy.agent, 'POST', `${API}/2/activity/subscriptions`, asJson, json)
    assert.equal(subscribed.status, 200, subscribed.text)
    await using stream = await followStream(() => connectTo(API, token, '?backfill_minutes=5', { agent: proxy.agent }))

    const accepted: string[] = []
    const read = () => through(proxy.agent, 'GET', `${API}/2/users/101`, { authorization })
    const publish = async () => {
      // A repeated publish is the same event.
      const event_uuid = String(randomBytes(6).readUIntBE(0, 6))
      const event = { event_type: 'profile.update.bio', user_id: '101', payload: {}, event_uuid }
      const answer = await call(`${operator}/operator/events`, 'POST', { token: OPERATOR_TOKEN, json: event })
      if (answer.status === 202) accepted.push(event_uuid)
      return answer
    }
    const look = () => call(`${operator}/operator/apps`, 'GET', { token: OPERATOR_TOKEN })
    /** The request token that one process gives is known to the one that has the page. */
    const signIn = async () => {
      const url = `${API}/oauth/request_token`
      const signed = signOf({ consumer_key: KEY, consumer_secret: SECRET, method: 'POST', url, oauth: { oauth_callback: 'oob' } })
      const given = await through(proxy.agent, 'POST', url, { authorization: signed })
      if (given.status !== 200) return given
      return through(proxy.agent, 'GET', `${API}/oauth/authorize?oauth_token=${new URLSearchParams(given.text).get('oauth_token')}`, {})
    }
    await using prober = startProber({ read: [read, 200], publish: [publish, 202], look: [look, 200], signIn: [signIn, 200] })

    await prober.more(100)
    assert.equal(await one.end('SIGTERM'), 0)
    await prober.more(50)
    one = await start('4')
    await prober.more(100)
    await server.halt('SIGINT')
    await server.launch()
    await prober.more(200)
    await one.end('SIGKILL')
    await prober.more(100)
    // What was sent to the process that was killed is repeated where it may be: docs/proxy.md.
    const inFlight = prober
      .failures()
      .filter(({ probe, status }) => status === 502 && (probe === 'signIn' || (name === 'caddy' && probe === 'publish')))
    assert.ok(inFlight.length < 20, 'a POST in flight to the process that was killed')
    one = await start('4')
    await prober.until(2000)
    const others = prober
      .failures()
      .filter((failure) => !inFlight.some((one) => one.probe === failure.probe && one.status === failure.status))
    assert.deepEqual(others, [], 'no other probe failed in a restart of a process or of PostgreSQL, and a kill')
    assert.deepEqual(await stream.missingOf(accepted), [])
    await stream.stop()
    assert.deepEqual(stream.refused, [])

    prober.forget()
    await server.halt('SIGINT')
    await prober.failed(1)
    await server.launch()
    await prober.more(100)
    const failed = await prober.stop()
    assert.deepEqual(
      // Caddy answers so itself when no process has been ready for ten seconds.
      failed.filter(({ status, retryAfter, text }) => status !== 503 || (retryAfter === undefined && (name === 'nginx' || text !== ''))),
      [],
      'what is refused in a longer outage says when to come back',
    )
    assert.deepEqual(prober.givenUp(), [], 'and then is served')
    assert.equal(await one.end('SIGTERM'), 0)
    assert.equal(await other.end('SIGTERM'), 0)
  })
