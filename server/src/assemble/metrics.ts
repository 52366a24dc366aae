import { limitedEndpoints, type RateLimits } from '../access/rate-limits.ts'
import { type Listed, loadEndpoints } from '../api/declare/map.ts'
import { page } from '../api/http/pages.ts'
import type { Route } from '../api/http/route.ts'
import { descriptorLimit } from '../lib/descriptor-limit.ts'
import { lazyAsync } from '../lib/lazy.ts'
import { createSharedRead } from '../lib/shared-read.ts'
import { noBrokerFamilies } from '../metrics/broker-counts.ts'
import { databaseFamilies } from '../metrics/database-gauges.ts'
import { type Family, gauge } from '../metrics/family.ts'
import { gaugeFamilies } from '../metrics/gauges.ts'
import type { Broker } from './broker.ts'
import { createDatabaseState } from './database-state.ts'
import type { Fleet } from './fleet.ts'
import type { Base } from './parts.ts'
import type { Queues } from './queues.ts'

interface Looks extends Pick<Fleet, 'feedLagMs'> {
  queues: Queues
  broker: Broker
}

/** Reads everything that is counted, and looks at the queues and the database. */
function createScrape(base: Base, { queues, feedLagMs, broker }: Looks) {
  const { metrics, clock } = base
  const database = createDatabaseState(base, { feedLagMs })
  const read = async (): Promise<Family[]> => {
    const eventLoop = metrics.eventLoop.families()
    metrics.eventLoop.begin()
    const [waiting, state, ofBroker = noBrokerFamilies] = await Promise.all([queues(), database(), broker?.families()])
    return [
      ...metrics.deliveries.families(),
      ...metrics.streams.families(),
      ...gaugeFamilies(waiting),
      ...databaseFamilies(state),
      ...metrics.takeovers.families(),
      ...ofBroker,
      ...metrics.requests.families(),
      ...eventLoop,
      gauge('process_max_fds', 'Maximum number of open file descriptors.', descriptorLimit()),
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
export function assembleMetrics(base: Base, looks: Looks, map: readonly Listed[], limits: RateLimits): Route {
  if (base.settings.operatorPort !== undefined || base.telemetry) base.metrics.eventLoop.begin()
  const scrape = createScrape(base, looks)
  const load = lazyAsync(async () => {
    const endpoints = await loadEndpoints(map)
    base.metrics.requests.begin({ endpoints: endpoints.map(({ name }) => name), limits: limitedEndpoints(endpoints, limits) })
    return (await import('../metrics/prometheus.ts')).createPrometheus()
  })
  base.telemetry?.readMetrics(async () => (await load()).read(await scrape()))
  return page('/metrics', async () => {
    const { contentType, print } = await load()
    return { status: 200, headers: { 'content-type': contentType, 'cache-control': 'no-store' }, body: await print(await scrape()) }
  })
}
