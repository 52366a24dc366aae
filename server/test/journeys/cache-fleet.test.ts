// Processes on one PostgreSQL, each with caches: what one revokes, none believes.
import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { cases } from '../stage/cases.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { createRandom } from '../stage/random.ts'

const flavours = databasesOf(import.meta)

const PROCESSES = cases(2, 4)
const APPS = 8
const REVOCATIONS = cases(40, 1000)

interface App {
  id: string
  consumer_key: string
  consumer_secret: string
}

interface Fleet extends AsyncDisposable {
  processes: readonly PosternProcess[]
  /** The base URL and the operator's of each process. */
  origins: readonly { base_url: string; operator_url: string }[]
  send(url: string, method: string, headers: Record<string, string>, body?: string): Promise<{ status: number; text: string }>
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of response.setEncoding('utf8')) text += piece
  return text
}

async function startFleet(): Promise<Fleet> {
  await using begun = new AsyncDisposableStack()
  const database = begun.use(await migratedDatabase('postgres'))
  const agent = new Agent({ keepAlive: true })
  begun.defer(() => agent.destroy())
  const environment = { POSTERN_DATABASE_URL: database.url, POSTERN_RATE_LIMITS: 'off' }
  const processes = Array.from({ length: PROCESSES }, () => new PosternProcess(environment, '/tmp'))
  for (const each of processes) begun.defer(async () => void (await each.end('SIGKILL')))
  const origins = await Promise.all(processes.map((each) => each.ready()))
  const owned = begun.move()
  return {
    processes,
    origins,
    send: (url, method, headers, body) =>
      new Promise((resolve, reject) => {
        const sent = request(url, { method, headers, agent }, (response) => {
          textOf(response).then((text) => resolve({ status: response.statusCode!, text }), reject)
        })
        sent.on('error', reject).end(body)
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** What an app does at a process of a fleet, by its number. */
function clientOf({ origins, send }: Fleet, app: App) {
  const authorization = `Basic ${Buffer.from(`${app.consumer_key}:${app.consumer_secret}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const post = async (at: number, path: string, form: string) => {
    const { status, text } = await send(`${origins[at]!.base_url}${path}`, 'POST', headers, form)
    assert.equal(status, 200, text)
    return JSON.parse(text)
  }
  return {
    obtain: async (at: number): Promise<string> => (await post(at, '/oauth2/token', 'grant_type=client_credentials')).access_token,
    revoke: (at: number, token: string) => post(at, '/oauth2/invalidate_token', `access_token=${encodeURIComponent(token)}`),
    /** The status of a request with a token. */
    use: async (at: number, token: string) =>
      (await send(`${origins[at]!.base_url}/2/webhooks`, 'GET', { authorization: `Bearer ${token}` })).status,
  }
}

async function createApp({ origins, send }: Fleet, name: string): Promise<App> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
  const { status, text } = await send(`${origins[0]!.operator_url}/operator/apps`, 'POST', headers, JSON.stringify({ name }))
  assert.equal(status, 200, text)
  return JSON.parse(text).data
}

const everywhere = Array.from({ length: PROCESSES }, (_, at) => at)

const usedEverywhere = async (client: ReturnType<typeof clientOf>, token: string) =>
  new Set(await Promise.all(everywhere.map((at) => client.use(at, token))))

if (flavours.includes('postgres'))
  suite(`the caches of ${PROCESSES} processes`, () => {
    let fleet: Fleet
    before(async () => {
      fleet = await startFleet()
    })
    after(() => fleet[Symbol.asyncDispose]())

    test('a token is valid everywhere when its issue is answered, and nowhere when its revocation is, many times under load', async () => {
      const random = createRandom(19)
      const anyProcess = () => Math.floor(random() * PROCESSES)
      const found = { lookups: 0, refused: 0, stale: 0 }

      const issueAndRevoke = async (client: ReturnType<typeof clientOf>) => {
        const token = await client.obtain(anyProcess())
        let isRevoked = false
        /** Until it is refused. What is sent after the revocation was answered must be. */
        const look = async (at: number) => {
          for (let status = 200; status === 200; ) {
            const wasRevoked = isRevoked
            status = await client.use(at, token)
            found.lookups += 1
            if (status === 200 && wasRevoked) found.stale += 1
            if (status !== 200 && !wasRevoked) found.refused += status === 401 ? 0 : 1
          }
        }
        assert.deepEqual(await usedEverywhere(client, token), new Set([200]))
        const looking = everywhere.map(look)
        await client.revoke(anyProcess(), token)
        isRevoked = true
        assert.deepEqual(await usedEverywhere(client, token), new Set([401]))
        await Promise.all(looking)
      }

      const apps = await Promise.all(Array.from({ length: APPS }, (_, n) => createApp(fleet, `App ${n}`)))
      await Promise.all(
        apps.map(async (app) => {
          const client = clientOf(fleet, app)
          for (let n = 0; n < REVOCATIONS / APPS; n += 1) await issueAndRevoke(client)
        }),
      )
      assert.deepEqual([found.stale, found.refused], [0, 0])
      assert.ok(found.lookups >= REVOCATIONS * PROCESSES, `${found.lookups} lookups`)
    })

    test('a process that was frozen during a revocation refuses the token when it goes on', async () => {
      const client = clientOf(fleet, await createApp(fleet, 'Frozen'))
      const [frozen, at] = [PROCESSES - 1, 0]
      for (let n = 0; n < 3; n += 1) {
        const token = await client.obtain(at)
        for (let used = 0; used < 20; used += 1) assert.equal(await client.use(frozen, token), 200)
        fleet.processes[frozen]!.child.kill('SIGSTOP')
        await client.revoke(at, token)
        const waiting = Array.from({ length: 8 }, () => client.use(frozen, token))
        fleet.processes[frozen]!.child.kill('SIGCONT')
        assert.deepEqual(new Set(await Promise.all(waiting)), new Set([401]))
      }
    })
  })
