import { contentOf, matchOf } from '../../../server/src/delivery/envelope.ts'
import type { SeedDocument } from '../../../server/src/endpoints/operator/seed/seed-document.ts'
import { timestampText } from './send-timestamp.ts'

/** The app, webhooks and events of all benchmarks that publish events. */
export const CONSUMER_SECRET = 'consumer-secret-of-the-benchmarks'
/** A public type: no user has to grant the app anything. */
export const EVENT_TYPE = 'post.delete'
export const CONSUMER_KEY = 'bench'
const BODY_BYTES = 1024

export const webhookId = (place: number) => String(5_000_000 + place)
export const userId = (place: number) => String(1_000_000 + place)

/** The loopback address of a webhook: one host for each, so that each has its own connections. */
export const addressOf = (place: number) => `127.0.${1 + Math.floor(place / 250)}.${1 + (place % 250)}`

export const originOf = (place: number, port: number, secure = false) => `${secure ? 'https' : 'http'}://${addressOf(place)}:${port}`

const payloadOf = (text: string) => ({ direct_message_events: [{ type: 'message_create', id: '1', message_create: { text } }] })

const bodyOf = (text: string) =>
  Buffer.concat([
    Buffer.from(`{"data":{"event_uuid":"${'1'.repeat(18)}",${matchOf({ filter: { userId: userId(0) }, tag: null } as never)},`),
    Buffer.from(`"event_type":"${EVENT_TYPE}",`),
    contentOf(payloadOf(text), undefined),
  ])

const text = 'x'.repeat(BODY_BYTES - bodyOf('').length)

/** The body of a delivery: 1 KB. */
export const sampleBody = bodyOf(text)
export const payload = payloadOf(text)

/** An event for one webhook, as a producer sends it. */
export const eventFor = (place: number) => ({ event_type: EVENT_TYPE, user_id: userId(place), payload })

const timestampedText = (number: number) => {
  const timestamp = timestampText(number)
  return timestamp + text.slice(timestamp.length)
}

/** The same event, and the same delivery body, with a number and the time of sending. */
export const timestampedEventFor = (place: number, number: number) => ({ ...eventFor(place), payload: payloadOf(timestampedText(number)) })
export const timestampedBody = (number: number) => bodyOf(timestampedText(number))

export interface Webhooks {
  count: number
  port: number
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
      url: `${originOf(place, port, secure)}/webhook`,
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
