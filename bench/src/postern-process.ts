import type { SeedDocument } from '../../server/src/endpoints/operator/seed/seed-document.ts'
import type { Database } from './databases.ts'
import { CONSUMER_KEY, CONSUMER_SECRET, eventFor, seedOf, type Webhooks } from './delivery/stand.ts'
import { startParty } from './party.ts'

const EVENTS_A_REQUEST = 500

export const OPERATOR_TOKEN = 'operator-token-of-the-benchmarks-0123'

export interface PosternArgument {
  environment: Record<string, string>
  /** Overrides of the rate limits; undefined: off. */
  rateLimits?: Record<string, number>
}

export interface PosternAnswer {
  pid: number
  baseUrl: string
  adsBaseUrl: string
  /** From the spawn to the line that says ready. */
  readyMs: number
}

/** Postern as a process of its own. */
export interface PosternProcess extends PosternAnswer, AsyncDisposable {
  /** Loads a seed. */
  load(seed: SeedDocument): Promise<void>
  /** Loads webhooks, each subscribed to the events of one user. */
  seed(webhooks: Webhooks): Promise<void>
  /** Publishes events for so many webhooks in turn. */
  publish(events: number, webhooks: number): Promise<void>
  /** A bearer token of the app that the webhooks belong to. */
  bearerToken(): Promise<string>
}

export interface PosternOptions {
  /** Undefined: the file that it makes in its fresh folder, with secrets made there. */
  database?: Database
  rateLimits?: PosternArgument['rateLimits']
}

const ports = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0' }

const environmentOf = (database: Database | undefined): Record<string, string> => ({
  ...ports,
  POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
  ...(database && { POSTERN_DATABASE_URL: database.url, POSTERN_SECRET: 'sealing-secret-of-the-benchmarks-0123' }),
})

async function post(url: string, authorization: string, contentType: string, body: string): Promise<unknown> {
  const headers = { authorization, 'content-type': contentType }
  const response = await fetch(url, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return await response.json()
}

/** Starts Postern in a fresh folder, with the default settings (its log level is info) but for ports, the operator token, rate limits (off), and what the options name. */
export async function startPostern({ database, rateLimits }: PosternOptions = {}): Promise<PosternProcess> {
  const argument: PosternArgument = { environment: environmentOf(database), rateLimits }
  const party = await startParty<object, PosternAnswer>('postern.ts', argument)
  const answer = await party.ask({})
  const { baseUrl } = answer
  const operate = (path: string, body: object) =>
    post(`${baseUrl}/operator${path}`, `Bearer ${OPERATOR_TOKEN}`, 'application/json', JSON.stringify(body))
  const load = async (seed: SeedDocument) => void (await operate('/seed', seed))
  return {
    ...answer,
    load,
    seed: (webhooks) => load(seedOf(webhooks)),
    async publish(events, webhooks) {
      for (let at = 0; at < events; at += EVENTS_A_REQUEST) {
        const size = Math.min(EVENTS_A_REQUEST, events - at)
        await operate('/events', { events: Array.from({ length: size }, (_, place) => eventFor((at + place) % webhooks)) })
      }
    },
    async bearerToken() {
      const basic = `Basic ${Buffer.from(`${CONSUMER_KEY}:${CONSUMER_SECRET}`).toString('base64')}`
      const form = 'application/x-www-form-urlencoded'
      const answered = await post(`${baseUrl}/oauth2/token`, basic, form, 'grant_type=client_credentials')
      return (answered as { access_token: string }).access_token
    },
    [Symbol.asyncDispose]: () => party[Symbol.asyncDispose](),
  }
}
