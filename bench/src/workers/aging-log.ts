// An event log with many deliveries, which are replayed, or expire and are trimmed beside live events.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { contentOf, matchOf } from '../../../server/src/delivery/envelope.ts'
import { createPace } from '../../../server/src/delivery/pace.ts'
import { createClock } from '../../../server/src/lib/clock.ts'
import { createSeal } from '../../../server/src/lib/seal.ts'
import type { Attempt } from '../../../server/src/storage/event-log.ts'
import { openDatabase } from '../../../server/src/storage/open-database.ts'
import { EVENT_TYPE, userId, webhookId } from '../delivery/fixtures.ts'
import type { AgingLogArgument, AgingLogRequest, LiveAppends } from '../growth/aging-log.ts'
import { BENCH_SECRET } from '../postern-process.ts'
import { percentile } from '../statistics.ts'
import { readArgument, serve } from './serve.ts'

const HOUR_MS = 3_600_000
/** Longer than the longest retention. */
const EXPIRY_MS = 1000 * HOUR_MS
const EVENTS_PER_APPEND = 500
/** The live load: so many events in each append, and an append so often. */
const LIVE_EVENTS = 10
const LIVE_EVERY_MS = 10

const content = contentOf(
  { direct_message_events: [{ type: 'message_create', id: '1', message_create: { text: 'x'.repeat(100) } }] },
  undefined,
)

const { url, webhooks } = readArgument<AgingLogArgument>()
const clock = createClock()
const logger = pino({ level: 'silent' })
const { eventLog: log, close } = await openDatabase({ recordTypes: [], url, clock, seal: createSeal([BENCH_SECRET]), logger })
log.onHeld((deliveries) => {
  const attempt: Attempt = { atMs: clock.now(), latencyMs: 1, status: 200, outcome: 'delivered', error: '', response: '' }
  for (const delivery of deliveries) void log.acknowledge(delivery, attempt, null)
})
await log.recover()

let appended = 0
const append = (events: number, notSent?: string) =>
  log.append(
    Array.from({ length: events }, () => {
      const place = appended++ % webhooks
      const match = matchOf({ filter: { userId: userId(place) }, tag: null } as never)
      const target = { webhookId: webhookId(place), match, ...(notSent && { notSent }) }
      return { eventType: EVENT_TYPE, userId: userId(place), content, targets: [target] }
    }),
  )

async function fill(deliveries: number) {
  for (let at = 0; at < deliveries; at += EVENTS_PER_APPEND) await append(Math.min(EVENTS_PER_APPEND, deliveries - at), 'webhook invalid')
}

const pace = createPace(clock)
let trimming: Promise<number> | undefined
let isTrimmed = false

/** Trims everything that has expired, once, as Postern does. */
function trim() {
  trimming ??= log.trim(clock.now() - EXPIRY_MS / 2, { pause: pace.pause })
  void trimming.then(() => {
    isTrimmed = true
  })
}

async function stop() {
  pace.stop()
  await trimming
  await close()
}

/** Live appends for so long. */
async function live(ms: number): Promise<LiveAppends> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const latenciesMs: number[] = []
  const startedMs = performance.now()
  const measure = async () => {
    const sentMs = performance.now()
    await append(LIVE_EVENTS)
    latenciesMs.push(performance.now() - sentMs)
  }
  const sent: Promise<void>[] = []
  delay.enable()
  while (performance.now() - startedMs < ms) {
    await setTimeout(Math.max(0, startedMs + sent.length * LIVE_EVERY_MS - performance.now()))
    sent.push(measure())
  }
  await Promise.all(sent)
  delay.disable()
  return { isTrimmed, p99Ms: percentile(latenciesMs, 0.99), longestMs: Math.max(...latenciesMs), longestStallMs: delay.max / 1e6 }
}

serve<AgingLogRequest, LiveAppends | undefined>(async (request) => {
  if ('fill' in request) return void (await fill(request.fill))
  if ('expire' in request) return void clock.advance(EXPIRY_MS)
  if (request.trims) trim()
  return await live(request.ms)
}, stop)
