import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest } from '../../api/declare/problem.ts'
import { boolean, defaulting, duration, id, listOf, nullable, object, oneOf, optional, text } from '../../api/declare/words.ts'
import type { OpenDelivery, UnderWay } from '../../delivery/dispatch/under-way.ts'
import type { Outbox } from '../../delivery/outbox.ts'
import type { Activity } from '../../lib/activity.ts'
import { type Clock, realTimer } from '../../lib/clock.ts'
import type { Semaphore } from '../../lib/mutex.ts'
import { parseDuration, SECOND_MS } from '../../lib/time.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { Webhook, WebhookStore } from '../../storage/webhooks.ts'
import type { Faults } from '../faults/faults.ts'

const MAX_TIMEOUT_MS = 60 * SECOND_MS

/** So many deliveries are told of. */
const MOST_TOLD = 20

/** How often it looks whether attempts have ended, in real milliseconds. */
const LOOK_MS = 10

const thing = object({
  kind: oneOf(['delivery', 'retry', 'replay', 'work']),
  what: text({ description: 'A sentence.' }),
  event_uuid: optional(text()),
  event_type: optional(text()),
  webhook_id: optional(id()),
  url: optional(nullable(text())),
})

interface Services {
  activity: Activity
  outbox: Pick<Outbox, 'settled'>
  underWay: () => UnderWay
  eventLog: Pick<EventLog, 'flush'>
  webhooks: Pick<WebhookStore, 'byId'>
  faults: Pick<Faults, 'hitting'>
  inTurn: Semaphore
  clock: Pick<Clock, 'monotonic'>
}

function timeoutMsOf(timeout: string): number {
  const ms = parseDuration(timeout) ?? 0
  if (ms <= MAX_TIMEOUT_MS) return ms
  throw invalidRequest([{ message: `$.timeout: must be at most ${MAX_TIMEOUT_MS / SECOND_MS}s`, parameters: { timeout: [timeout] } }])
}

const pause = (ms: number) => new Promise<void>((resolve) => void realTimer(ms, resolve))

/** Waits for work in the background, and for the publishing of what users did. */
async function waitForWork({ activity, outbox, inTurn }: Services): Promise<void> {
  // Those who move the clock wait for the same, one at a time.
  await inTurn(() => activity.quiet())
  await outbox.settled()
}

const isIdle = ({ deliveries, isBehind, isPaused }: UnderWay) => deliveries.length === 0 && !isBehind && !isPaused

/** Waits until nothing is under way, for so long; false if something is left. */
async function isSettled(untilMs: number, services: Services): Promise<boolean> {
  const leftMs = () => Math.max(0, untilMs - services.clock.monotonic())
  const isOver = () => leftMs() === 0
  do {
    const timer = Promise.withResolvers<boolean>()
    // Long enough to see that there is nothing, however short the wait.
    const late = realTimer(Math.max(LOOK_MS, leftMs()), () => timer.resolve(false))
    const hasEnded = await Promise.race([waitForWork(services).then(() => true), timer.promise])
    late.cancel()
    if (hasEnded && isIdle(services.underWay())) {
      // What was attempted last is committed, and may have begun something.
      await services.eventLog.flush()
      if (isIdle(services.underWay())) return true
    }
    await pause(Math.min(LOOK_MS, leftMs()))
  } while (!isOver())
  return false
}

const KINDS = { live: 'delivery', retry: 'retry', replay: 'replay' } as const

/** Why a delivery has not ended, as a sentence. */
function sayDelivery(
  { eventUuid, eventType, webhookId, isSent }: OpenDelivery,
  webhook: Webhook | undefined,
  { faults }: Services,
): string {
  const to = webhook ? `${webhook.url} (webhook ${webhookId})` : `the deleted webhook ${webhookId}`
  const holding = faults.hitting(eventUuid, webhookId).find(({ effect }) => effect.kind === 'delay' || effect.kind === 'reorder')
  if (isSent && holding) return `fault ${holding.id} (${holding.effect.kind}) holds ${eventType} ${eventUuid} for ${to} back`
  return isSent
    ? `${eventType} ${eventUuid} was sent to ${to}, which has not answered yet`
    : `${eventType} ${eventUuid} for ${to} waits for earlier deliveries`
}

/** What is under way, in words. */
async function tellUnderWay(services: Services) {
  const { deliveries, isBehind, isPaused } = services.underWay()
  const told = await Promise.all(
    deliveries.slice(0, MOST_TOLD).map(async (delivery) => {
      const webhook = await services.webhooks.byId(delivery.webhookId)
      const { eventUuid: event_uuid, eventType: event_type, webhookId: webhook_id, kind } = delivery
      return {
        kind: KINDS[kind],
        what: sayDelivery(delivery, webhook, services),
        event_uuid,
        event_type,
        webhook_id,
        url: webhook?.url ?? null,
      }
    }),
  )
  const work = (what: string) => ({ kind: 'work' as const, what })
  const more = deliveries.length - told.length
  return [
    ...told,
    ...(more > 0 ? [work(`${more} more deliveries`)] : []),
    ...(isBehind ? [work('deliveries of webhooks that have fallen behind wait in the event log')] : []),
    ...(isPaused ? [work('sending is paused, because the event log cannot record attempts')] : []),
    ...(deliveries.length === 0 && !isBehind && !isPaused ? [work('work in the background has not ended')] : []),
  ]
}

export const settle = endpoint({
  name: 'settle',
  route: 'POST /operator/settle',
  section: '§6',
  summary: 'Wait until nothing is under way: what was published is attempted, and work in the background has ended.',
  description:
    'Development only. The clock is not moved: a retry or challenge that is due later is not under way, and POST /operator/clock brings it. Calls of clients are not awaited. If something is left after `timeout`, which is real time, `settled` is false and `under_way` says what it is, at most 20 deliveries. Of several processes on one PostgreSQL only this one is asked.',
  auth: operator,
  params: {
    timeout: defaulting(duration({ example: '1s', description: 'How long to wait, at most 60 s.' }), '15s'),
  },
  answer: object({ data: object({ settled: boolean(), under_way: listOf(thing) }) }),
  async handle({ params: { timeout } }, services: Services) {
    const untilMs = services.clock.monotonic() + timeoutMsOf(timeout)
    if (await isSettled(untilMs, services)) return { data: { settled: true, under_way: [] } }
    return { data: { settled: false, under_way: await tellUnderWay(services) } }
  },
})
