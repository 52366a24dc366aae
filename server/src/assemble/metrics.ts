import { limitedEndpoints, type RateLimits } from '../access/rate-limits.ts'
import { type Listed, loadEndpoints } from '../api/declare/map.ts'
import { page } from '../api/http/pages.ts'
import type { Route } from '../api/http/route.ts'
import type { Clock } from '../lib/clock.ts'
import { lazyAsync } from '../lib/lazy.ts'
import { createSharedRead } from '../lib/shared-read.ts'
import type { Family } from '../metrics/family.ts'
import { gaugeFamilies } from '../metrics/gauges.ts'
import type { Delivery } from './delivery.ts'
import type { Base } from './parts.ts'

/** Retries that are due in the event log are counted so far. */
const MAX_DUE = 10_000
/** Webhooks are counted at most so often. */
const WEBHOOKS_KEPT_MS = 10_000
/** What the database does not answer within this is left out, so that there is an answer while the database hangs. */
const PATIENCE_MS = 1000

/** Undefined when it fails, or takes too long. */
const inTime = <T>(clock: Clock, asked: Promise<T>): Promise<T | undefined> =>
  new Promise((resolve) => {
    const timer = clock.after(PATIENCE_MS, () => resolve(undefined))
    asked.then(resolve, () => resolve(undefined)).finally(() => timer.cancel())
  })

/** Reads everything that is counted, and looks at the queues: in memory, and in the log by one indexed query. */
function createScrape({ metrics, eventLog, storage, clock }: Base, { dispatcher }: Delivery) {
  const countWebhooks = createSharedRead(clock, WEBHOOKS_KEPT_MS, () => storage.webhooks.countAll())
  const read = async (): Promise<Family[]> => {
    const eventLoop = metrics.eventLoop.families()
    metrics.eventLoop.begin()
    const nowMs = clock.now()
    const { inFlight, waiting, oldestDueMs } = dispatcher.backlog()
    const asked = [inTime(clock, eventLog.dueRetries(nowMs, MAX_DUE)), inTime(clock, countWebhooks())] as const
    const [due, webhooks] = await Promise.all(asked)
    const oldest = [oldestDueMs, due?.sinceMs].filter((ms) => ms !== undefined)
    const isKnown = due !== undefined || oldest.length > 0
    const gauges = {
      inFlight,
      queued: waiting,
      webhooks,
      queueAgeMs: isKnown ? Math.max(0, nowMs - Math.min(nowMs, ...oldest)) : undefined,
      retriesDue: due && due.count + waiting.retry,
    }
    return [
      ...metrics.deliveries.families(),
      ...metrics.streams.families(),
      ...gaugeFamilies(gauges),
      ...metrics.requests.families(),
      ...eventLoop,
    ]
  }
  return createSharedRead(clock, 0, read)
}

/**
 * `GET /metrics` for Prometheus. The first request loads its library, and all endpoints, whose counters begin at zero.
 *
 * The delay of the event loop is measured from now on where there is an operator port, else from the first request: in development it is
 * seldom asked for, and an idle process shall sleep.
 */
export function assembleMetrics(base: Base, delivery: Delivery, map: readonly Listed[], limits: RateLimits): Route {
  if (base.settings.operatorPort !== undefined) base.metrics.eventLoop.begin()
  const scrape = createScrape(base, delivery)
  const load = lazyAsync(async () => {
    const endpoints = await loadEndpoints(map)
    base.metrics.requests.begin({ endpoints: endpoints.map(({ name }) => name), limits: limitedEndpoints(endpoints, limits) })
    return (await import('../metrics/prometheus.ts')).createPrometheus()
  })
  return page('/metrics', async () => {
    const { contentType, print } = await load()
    return { status: 200, headers: { 'content-type': contentType, 'cache-control': 'no-store' }, body: await print(await scrape()) }
  })
}
