import type { SeedDocument } from '../../server/src/endpoints/operator/seed/seed-document.ts'
import type { Database } from './databases.ts'
import { CONSUMER_KEY, CONSUMER_SECRET, eventFor, seedOf, type Webhooks } from './delivery/fixtures.ts'
import { startWorker } from './worker.ts'

const EVENTS_PER_REQUEST = 500

/** The secret of databases that a benchmark opens. */
export const BENCH_SECRET = 'encryption-secret-of-the-benchmarks-0123'

export const OPERATOR_TOKEN = 'operator-token-of-the-benchmarks-0123'

export interface PosternArgument {
  environment: Record<string, string>
  /** Rate-limit overrides; undefined: rate limits are off. */
  rateLimits?: Record<string, number>
}

export interface PosternInfo {
  pid: number
  baseUrl: string
  adsBaseUrl: string
  /** From the spawn to the log line `ready`. */
  readyMs: number
}

/** Postern in its own process. */
export interface PosternProcess extends PosternInfo, AsyncDisposable {
  /** Loads a seed. */
  load(seed: SeedDocument): Promise<void>
  /** Loads webhooks, each subscribed to the events of one user. */
  seed(webhooks: Webhooks): Promise<void>
  /** Publishes events, round robin for so many webhooks. */
  publish(events: number, webhooks: number): Promise<void>
  /** A bearer token of the app that owns the webhooks. */
  bearerToken(): Promise<string>
}

export interface PosternOptions {
  /** Undefined: a new SQLite file in its fresh folder, with secrets generated there. */
  database?: Database
  rateLimits?: PosternArgument['rateLimits']
}

const ports = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0' }

const environmentOf = (database: Database | undefined): Record<string, string> => ({
  ...ports,
  POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
  ...(database && { POSTERN_DATABASE_URL: database.url, POSTERN_SECRET: BENCH_SECRET }),
})

async function post(url: string, authorization: string, contentType: string, body: string): Promise<unknown> {
  const headers = { authorization, 'content-type': contentType }
  const response = await fetch(url, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`${url} responded ${response.status}: ${await response.text()}`)
  return await response.json()
}

/** Starts Postern in a fresh folder with the default settings (log level info), except for the ports, the operator token, the rate limits (off) and `options`. */
export async function startPostern({ database, rateLimits }: PosternOptions = {}): Promise<PosternProcess> {
  const argument: PosternArgument = { environment: environmentOf(database), rateLimits }
  const worker = await startWorker<object, PosternInfo>('postern.ts', argument)
  const info = await worker.call({})
  const { baseUrl } = info
  const callOperator = (path: string, body: object) =>
    post(`${baseUrl}/operator${path}`, `Bearer ${OPERATOR_TOKEN}`, 'application/json', JSON.stringify(body))
  const load = async (seed: SeedDocument) => void (await callOperator('/seed', seed))
  return {
    ...info,
    load,
    seed: (webhooks) => load(seedOf(webhooks)),
    async publish(events, webhooks) {
      for (let at = 0; at < events; at += EVENTS_PER_REQUEST) {
        const size = Math.min(EVENTS_PER_REQUEST, events - at)
        await callOperator('/events', { events: Array.from({ length: size }, (_, place) => eventFor((at + place) % webhooks)) })
      }
    },
    async bearerToken() {
      const basic = `Basic ${Buffer.from(`${CONSUMER_KEY}:${CONSUMER_SECRET}`).toString('base64')}`
      const form = 'application/x-www-form-urlencoded'
      const token = await post(`${baseUrl}/oauth2/token`, basic, form, 'grant_type=client_credentials')
      return (token as { access_token: string }).access_token
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  }
}
