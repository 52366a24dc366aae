import { activityApp } from '../../access/activity-app.ts'
import { unauthorized } from '../../access/app-bearer.ts'
import { EndlessAnswer } from '../../api/declare/endless-answer.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { type ErrorDetail, invalidRequest, Problem } from '../../api/declare/problem.ts'
import type { RawRequest } from '../../api/declare/raw-request.ts'
import { before, mutuallyExclusive, requires } from '../../api/declare/rules.ts'
import { anyObject, integer, iso, listOf, object, oneOf, optional, text } from '../../api/declare/words.ts'
import { type Disconnect, disconnects } from '../../delivery/stream/connection.ts'
import type { StreamHub } from '../../delivery/stream/hub.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'
import type { SubscriptionStore } from '../../storage/subscriptions.ts'
import { Unavailable } from '../../storage/unavailable.ts'
import { sentTime } from '../objects/pages.ts'
import { assertQuotas, type QuotaServices } from '../webhooks/assert-quota.ts'

/** So far a client's clock may be ahead. */
const AHEAD_MS = MINUTE_MS

interface Times {
  backfill_minutes?: number
  start_time?: string
  end_time?: string
}

const mistake = (name: keyof Times, value: string, rule: string): ErrorDetail => ({
  message: `The \`${name}\` query parameter value [${value}] ${rule}`,
  parameters: { [name]: [value] },
})

/** Which events a connection asks for, in milliseconds. Throws `invalid-request` for a time that lies in the future or too long ago. */
function streamSpan({ backfill_minutes, start_time, end_time }: Times, nowMs: number) {
  const errors: ErrorDetail[] = []
  const [startMs, endMs] = [start_time, end_time].map((time) => (time === undefined ? undefined : Date.parse(time)))
  if (startMs !== undefined && startMs < nowMs - DAY_MS)
    errors.push(mistake('start_time', start_time!, `must be on or after [${iso(nowMs - DAY_MS)}]: events are kept for 24 hours`))
  for (const [name, time, ms] of [['start_time', start_time, startMs] as const, ['end_time', end_time, endMs] as const])
    if (ms !== undefined && ms > nowMs + AHEAD_MS) errors.push(mistake(name, time!, `must not lie after [${iso(nowMs)}], which is now`))
  if (errors.length > 0) throw invalidRequest(errors)
  const backfilledMs = backfill_minutes ? nowMs - backfill_minutes * MINUTE_MS : undefined
  return { fromMs: startMs === undefined ? backfilledMs : Math.min(startMs, nowMs), toMs: endMs }
}

type Authentication = Parameters<typeof activityApp.authenticate>[1]

interface Services extends Authentication, QuotaServices {
  streams: StreamHub
  subscriptions: SubscriptionStore
  now: () => number
}

/** In the words of public practice. */
const tooManyConnections = () =>
  new Problem('streaming-connection', {
    detail: 'This stream is currently at the maximum allowed connection limit.',
    connection_issue: 'TooManyConnections',
  })

const noSubscriptions = () =>
  new Problem('streaming-rules', {
    detail: 'This app has no subscription, so its stream would be empty. Create one with POST /2/activity/subscriptions.',
    connection_issue: 'RuleConfigurationIssue',
  })

const lineSchema = object({
  data: optional(
    object({
      event_uuid: text(),
      filter: anyObject(),
      tag: optional(text()),
      event_type: text(),
      payload: anyObject(),
      includes: optional(anyObject()),
    }),
  ),
  errors: optional(
    listOf(
      object({
        title: text(),
        disconnect_type: oneOf([...new Set(Object.values(disconnects).map(({ type }) => type))]),
        detail: text(),
        type: text(),
      }),
      { description: 'Why the connection ends; the last line.' },
    ),
  ),
})

/** Asks again whether the client may be connected; answers why not. */
async function check(request: RawRequest, services: Authentication): Promise<Disconnect | undefined> {
  try {
    await activityApp.authenticate(request, { ...services, reportRefused: () => {} }, { scopes: [] })
    return undefined
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // A suspended app has a numeric error.
    return error.kind === 'unauthorized' && error.code === undefined ? 'revoked' : 'refused'
  }
}

export const streamActivity = endpoint({
  name: 'streamActivity',
  route: 'GET /2/activity/stream',
  section: '§6',
  summary: 'Receive the events of all subscriptions of the app on one connection.',
  description: [
    'One event a line, in the envelope of webhooks; lines end with CR LF. An empty line comes at least every 20 seconds. Subscriptions without a webhook send their events here alone, those with one to both. An event that several subscriptions match comes once, with `filter` and `tag` of the oldest. Events may come twice and in any order.',
    'When the connection is lost, reconnect with `backfill_minutes` or `start_time`, so that no event is missed. With `end_time` the connection ends when every event before it was sent. Events that also go to a webhook are kept for the stream only if the app has used it within the last 25 hours.',
    'While an app has used up its quota of events or deliveries, a new connection is refused with `usage-capped`; one that is open goes on. An app may have two connections; a third is refused with `TooManyConnections`. A connection that the server ends says why in its last line.',
  ].join('\n\n'),
  auth: activityApp,
  rateLimit: 450,
  params: {
    backfill_minutes: optional(integer({ min: 0, max: 5, description: 'Events of the last minutes first.' })),
    start_time: optional(sentTime('Events from this time on, of the last 24 hours.')),
    end_time: optional(sentTime('Events before this time, then the connection ends.')),
  },
  rules: [mutuallyExclusive('backfill_minutes', 'start_time'), requires('end_time', 'start_time'), before('start_time', 'end_time')],
  example: { start_time: undefined, end_time: undefined },
  answer: lineSchema,
  problems: ['streaming-connection', 'streaming-rules', 'usage-capped'],
  async handle({ params, caller: { app }, request }, services: Services) {
    const { streams, subscriptions, now } = services
    const span = streamSpan(params, now())
    if ((await subscriptions.count(app.id)) === 0) throw noSubscriptions()
    await assertQuotas(app, services)
    if (request.method === 'HEAD') return new EndlessAnswer(() => ({ drained() {}, closed() {} }))
    const stream = await streams.open({ appId: app.id, ...span, check: () => check(request, services) })
    if (stream === 'limit') throw tooManyConnections()
    if (stream === 'no-app') throw unauthorized()
    if (stream === 'stopping') throw new Unavailable('This server is stopping. Connect again in a moment.')
    return new EndlessAnswer((outlet, { problemBaseUrl }) => stream.attach(outlet, problemBaseUrl))
  },
})
