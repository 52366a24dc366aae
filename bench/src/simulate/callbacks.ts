import { createHmac } from 'node:crypto'
import type { AnswerHeaders, Outcome } from '../../../server/src/delivery/send/outcome.ts'
import type { Outgoing } from '../../../server/src/delivery/send/sender.ts'
import type { Clock } from '../../../server/src/lib/clock.ts'
import { CONSUMER_SECRET } from '../fixtures.ts'
import { BUSIEST } from './world.ts'

/** How long a callback takes, in milliseconds. */
const FASTEST_MS = 20
const SLOWEST_MS = 120
/** The share of requests that are answered 500. */
const BROKEN = 0.002
/** Every 20th callback is in the outage. Every second of these hangs, the others refuse the connection. */
const EVERY = 20
const REFUSED_AFTER_MS = 1

export const isInOutage = (place: number) => place % EVERY === BUSIEST
const hangs = (place: number) => place % (2 * EVERY) === BUSIEST

const HEADERS: AnswerHeaders = {}
const NOTHING = Buffer.alloc(0)

export interface CallbackOptions {
  clock: Clock
  random: () => number
  /** Whether the outage is on. */
  isOut(): boolean
}

/** What would be at the other end of the sockets: a sender whose callbacks take hand-moved time and nothing else. */
export function createCallbacks({ clock, random, isOut }: CallbackOptions) {
  const answered = (status: number, latencyMs: number, body = NOTHING): Outcome => ({
    kind: 'answered',
    status,
    headers: HEADERS,
    body,
    truncated: false,
    latencyMs,
    timing: '',
    peer: '',
    restricted: false,
  })

  const failed = (stage: 'timeout' | 'connection_refused', latencyMs: number): Outcome => ({
    kind: 'failed',
    stage,
    message: stage === 'timeout' ? 'no answer in time' : 'connection refused',
    latencyMs,
    timing: '',
    peer: '',
    restricted: false,
  })

  const later = (outcome: Outcome) => new Promise<Outcome>((resolve) => void clock.after(outcome.latencyMs, () => resolve(outcome)))

  /** The correct response to a challenge (§4.2). */
  const responseTo = (path: string) => {
    const token = new URLSearchParams(path.slice(path.indexOf('?'))).get('crc_token')!
    return Buffer.from(JSON.stringify({ response_token: `sha256=${createHmac('sha256', CONSUMER_SECRET).update(token).digest('base64')}` }))
  }

  return {
    async send({ method, to, timeoutMs }: Outgoing): Promise<Outcome> {
      const { hostname, pathname, search } = typeof to === 'string' ? new URL(to) : { hostname: to.host, pathname: to.path, search: '' }
      const place = Number(hostname.slice(1, hostname.indexOf('.')))
      if (isOut() && isInOutage(place))
        return later(hangs(place) ? failed('timeout', timeoutMs) : failed('connection_refused', REFUSED_AFTER_MS))
      const latencyMs = Math.round(FASTEST_MS + random() * (SLOWEST_MS - FASTEST_MS))
      if (method === 'GET') return later(answered(200, latencyMs, responseTo(pathname + search)))
      return later(answered(random() < BROKEN ? 500 : 200, latencyMs))
    },
    close: async () => {},
  }
}
export type Callbacks = ReturnType<typeof createCallbacks>
