import { createSecretKey } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { signRequest } from '../../postern/src/cli/credentials/sign-request.ts'
import { contentOf, bodyOf as deliveryOf, matchOf } from '../../server/src/delivery/envelope.ts'
import type { SeedDocument } from '../../server/src/endpoints/operator/seed/seed-document.ts'
import { signature } from '../../server/src/lib/crypto.ts'

/** The app, webhooks and events of all benchmarks that publish events. */
export const CONSUMER_SECRET = 'consumer-secret-of-the-benchmarks'
/** A public type: no user has to grant the app anything. */
export const EVENT_TYPE = 'post.delete'
/** As long as production wants it. */
export const CONSUMER_KEY = 'bench-consumer-key-0123456789'
const BODY_BYTES = 1024

export const webhookId = (place: number) => String(5_000_000 + place)
export const userId = (place: number) => String(1_000_000 + place)

/** The loopback address of a webhook: one host for each, so that each has its own connections. */
export const addressOf = (place: number) => `127.0.${1 + Math.floor(place / 250)}.${1 + (place % 250)}`

export const originOf = (place: number, port: number, secure = false) => `${secure ? 'https' : 'http'}://${addressOf(place)}:${port}`

/** A callback as production wants it, which nothing is sent to. */
const publicCallbackOf = (place: number) => `https://callback-${place}.bench.example`

const payloadOf = (text: string) => ({ direct_message_events: [{ type: 'message_create', id: '1', message_create: { text } }] })

const match = matchOf({ filter: { userId: userId(0) }, tag: null } as never)
const bodyOf = (text: string) =>
  deliveryOf({ eventUuid: '1'.repeat(18), eventType: EVENT_TYPE, match, content: contentOf(payloadOf(text), undefined) })

const text = 'x'.repeat(BODY_BYTES - bodyOf('').length)

/** The body of a delivery: 1 KB. */
export const sampleBody = bodyOf(text)
export const payload = payloadOf(text)

/** An event for one webhook, as a producer sends it. */
export const eventFor = (place: number) => ({ event_type: EVENT_TYPE, user_id: userId(place), payload })

export interface Webhooks {
  count: number
  /** Undefined: callbacks in public, which are never called. */
  port?: number
  /** The callbacks use https. */
  secure?: boolean
  valid?: boolean
}

/** One app with this many webhooks, each subscribed to the events of one user. */
export const seedOf = ({ count, port, secure, valid = true }: Webhooks): SeedDocument => {
  const places = Array.from({ length: count }, (_, place) => place)
  return {
    apps: [{ id: '9', name: 'Bench', consumer_key: CONSUMER_KEY, consumer_secret: CONSUMER_SECRET }],
    webhooks: places.map((place) => ({
      id: webhookId(place),
      consumer_key: CONSUMER_KEY,
      url: `${port === undefined ? publicCallbackOf(place) : originOf(place, port, secure)}/webhook`,
      valid,
    })),
    subscriptions: places.map((place) => ({
      consumer_key: CONSUMER_KEY,
      event_type: EVENT_TYPE,
      filter: { user_id: userId(place) },
      webhook_id: webhookId(place),
    })),
  }
}

export interface Callbacks {
  port: number
  webhooks: number
  /** Use https. */
  secure?: boolean
}

/** The minimum that a sender does: signs a prepared body. Requests go to the callbacks round robin. */
export function createSignedRequests({ port, webhooks, secure }: Callbacks) {
  const origins = Array.from({ length: webhooks }, (_, place) => originOf(place, port, secure))
  const key = createSecretKey(Buffer.from(CONSUMER_SECRET))
  let turn = 0
  return (body: Buffer): Dispatcher.DispatchOptions => ({
    origin: origins[turn++ % origins.length]!,
    path: '/webhook',
    method: 'POST',
    headers: [...['content-type', 'application/json', 'user-agent', 'Postern'], ...['x-service-webhooks-signature', signature(key, body)]],
    body,
  })
}

/** Not in the demo seed. */
export const USER_ID = '9001'
const TOKEN = `${USER_ID}-${'b'.repeat(40)}`
const TOKEN_SECRET = 'token-secret-of-the-benchmarks'

/** A seed with an app without webhooks, a user and an access token. */
export const signInSeed: SeedDocument = {
  apps: [{ id: '9', name: 'Bench', consumer_key: CONSUMER_KEY, consumer_secret: CONSUMER_SECRET }],
  users: [{ id: USER_ID, username: 'bench' }],
  tokens: [{ consumer_key: CONSUMER_KEY, user_id: USER_ID, oauth_token: TOKEN, oauth_token_secret: TOKEN_SECRET }],
}

/** The same for a server that is told its credentials. */
export const tokenArgument = {
  consumerKey: CONSUMER_KEY,
  consumerSecret: CONSUMER_SECRET,
  token: TOKEN,
  tokenSecret: TOKEN_SECRET,
  userId: USER_ID,
  appId: '9',
}

/** The OAuth Authorization header of a GET on behalf of the user, with a fresh nonce. */
export const userAuthorizationOf = (url: string): string =>
  signRequest({ method: 'GET', url, consumerKey: CONSUMER_KEY, consumerSecret: CONSUMER_SECRET, token: TOKEN, tokenSecret: TOKEN_SECRET })
