import { developmentEndpoints, generalEndpoints, operatorEndpoints } from '../../../scripts/all-endpoints.ts'
import type { Endpoint } from '../../../src/api/declare/endpoint.ts'
import { authorization } from '../oauth-client.ts'
import type { Credentials } from './credentials.ts'

/**
 * Their answers take as long as what they wait for or set up: a stream, the clock, hundreds of subscriptions, a copy of every table. Or the
 * answers to others would be wrong on purpose.
 */
const LEFT_OUT = new Set([
  'createDisorder',
  'streamActivity',
  'openFeed',
  'listInboxEvents',
  'moveClock',
  'createInbox',
  'createWorld',
  'createSnapshot',
])

/** Every endpoint of the general host in development that answers at once. */
export const endpoints = ([...generalEndpoints, ...operatorEndpoints, ...developmentEndpoints] as unknown as readonly Endpoint[]).filter(
  ({ name }) => !LEFT_OUT.has(name),
)

/** A request that is right, in the parts that can be broken. */
export interface RequestParts {
  method: string
  path: string
  query: string
  /** Names and values, in Latin-1. */
  headers: [name: string, value: string][]
  /** The members of a JSON body, each as JSON text. */
  members: [name: string, json: string][] | undefined
  /** Instead of members. */
  body: Buffer | undefined
}

const CLOSED_PORT_URL = 'http://127.0.0.1:1/hook'
const app = { id: '1', name: 'Demo', consumer_key: 'key-one-of-the-tests', consumer_secret: 'secret-one-of-the-tests' }

/** Parameters that go further than the examples of the words; callbacks are refused by loopback. */
const values: Record<string, Record<string, unknown>> = {
  createWebhook: { url: CLOSED_PORT_URL },
  validateWebhook: { webhook_id: '77' },
  deleteWebhook: { webhook_id: '77' },
  replayWebhook: { webhook_id: '77' },
  createSubscription: { webhook_id: '77', tag: 'a tag', filter: { user_id: '101', direction: 'received' } },
  updateSubscription: { subscription_id: '78', tag: 'a tag', webhook_id: '77' },
  listSubscriptions: { max_results: 1, pagination_token: 'YWZ0ZXI6MTk5NzcxMjcwNzkyODEwMDg2NA' },
  invalidateBearerToken: { access_token: 'not-the-token' },
  publishEvents: { text: 'some text', direction: 'received', includes: { users: [{ id: '101' }] } },
  listDeliveries: { webhook_id: '77', event_uuid: '12', state: 'pending', before: '1997712707928100864', max_results: 5 },
  getReplay: { job_id: '12' },
  moveClock: { advance: '1s' },
  loadSeed: {
    apps: [app, { id: '2', name: 'Other', consumer_key: 'key-two-of-the-tests', consumer_secret: 'secret-two-of-the-tests' }],
    users: [{ id: '101', username: 'ada', name: 'Ada' }],
    webhooks: [{ id: '77', consumer_key: app.consumer_key, url: CLOSED_PORT_URL, created_at: '2026-03-01T12:00:00.000Z' }],
    subscriptions: [
      { subscription_id: '78', consumer_key: app.consumer_key, event_type: 'dm.received', filter: { user_id: '101' }, webhook_id: '77' },
    ],
  },
}

const textOf = (value: unknown) => encodeURIComponent(Array.isArray(value) ? value.join(',') : String(value))

const form = (parameters: [string, unknown][]) => parameters.map(([name, value]) => `${name}=${textOf(value)}`).join('&')

/**
 * The `Authorization` header that an endpoint is asked with. A reset would take away what the other requests are about, and a revocation
 * their credentials, so these never have the right ones.
 */
function authorizationFor({ name, auth, method }: Endpoint, target: string, form: string, credentials: Credentials): string | undefined {
  if (auth.name === null) return undefined
  if (name === 'reset' || name === 'invalidateToken') return 'Bearer no'
  const right = credentials[auth.name as Exclude<keyof Credentials, 'origin'>]
  if (typeof right === 'string') return right
  return authorization({ ...right, method, url: credentials.origin + target, form: Object.fromEntries(new URLSearchParams(form)) })
}

export function validRequest(endpoint: Endpoint, credentials: Credentials): RequestParts {
  const { method, place, pathNames, example } = endpoint
  const all = { ...example, ...values[endpoint.name] }
  const rest = Object.entries(all).filter(([name]) => !pathNames.includes(name))
  const path = endpoint.path.replace(/:(\w+)/g, (_, name) => textOf(all[name as keyof typeof all]))
  const query = place === 'query' ? form(rest) : ''
  const body = place === 'form' ? form(rest) : ''
  const sent = authorizationFor(endpoint, query ? `${path}?${query}` : path, body, credentials)
  const headers: RequestParts['headers'] = [['Host', 'localhost']]
  if (sent !== undefined) headers.push(['Authorization', sent])
  if (place === 'query') return { method, path, query, headers, members: undefined, body: undefined }
  headers.push(['Content-Type', place === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'])
  if (place === 'form') return { method, path, query: '', headers, members: undefined, body: Buffer.from(body) }
  return { method, path, query: '', headers, members: rest.map(([name, value]) => [name, JSON.stringify(value)]), body: undefined }
}
