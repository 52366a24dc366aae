import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import { eventLoopNames } from './event-loop.ts'
import type { Durations, Family, Labels } from './family.ts'

/** One line of the exposition. */
export interface Line {
  metricName?: string
  labels: Labels
  value: number
}

/** A metric as the library prints it. */
export interface PrintedMetric {
  name: string
  help: string
  type: string
  values: readonly Line[]
}

/** A distribution with cumulative buckets, in seconds. */
function linesOf(name: string, labels: Labels, durations: Durations): Line[] {
  const { boundsMs, counts, sumMs } = durations.read()
  let total = 0
  const buckets = counts.map((count, place): Line => {
    total += count
    const boundMs = boundsMs[place]
    return {
      metricName: `${name}_bucket`,
      labels: { le: boundMs === undefined ? '+Inf' : String(boundMs / 1000), ...labels },
      value: total,
    }
  })
  return [...buckets, { metricName: `${name}_sum`, labels, value: sumMs / 1000 }, { metricName: `${name}_count`, labels, value: total }]
}

/** What the library asks of a metric when it prints it. Its own metrics would cost the hot path many times what plain numbers do. */
function metricOf({ type, name, help, samples }: Family): Metric {
  const values = samples.flatMap(({ labels, value }): Line[] =>
    typeof value === 'number' ? [{ labels, value }] : linesOf(name, labels, value),
  )
  return { name, get: async () => ({ name, help, type, values, aggregator: 'sum' }) } as unknown as Metric
}

/** The library would measure the event loop only from now on; Postern has measured it since the start. It cannot be told not to. */
const SELDOM_MS = 60_000

/** To count them Node 26.10 walks over all handles, and aborts the process when one of them is being collected. */
const UNSAFE = ['nodejs_active_handles', 'nodejs_active_handles_total']

/** The library reads it once, and it can be raised meanwhile: Postern tells it. */
const KEPT = ['process_max_fds']

/** Prints metrics for Prometheus, and those of the process with them: CPU, memory, garbage collection. */
export function createPrometheus() {
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: SELDOM_MS })
  for (const name of [...eventLoopNames, ...UNSAFE, ...KEPT]) ofProcess.removeSingleMetric(name)
  const registryOf = (families: readonly Family[]) => {
    const registry = new Registry()
    for (const family of families) registry.registerMetric(metricOf(family))
    return Registry.merge([registry, ofProcess])
  }
  return {
    contentType: ofProcess.contentType as string,
    print: (families: readonly Family[]): Promise<string> => registryOf(families).metrics(),
    /** The same, for whoever sends it elsewhere. */
    read: async (families: readonly Family[]) => (await registryOf(families).getMetricsAsJSON()) as unknown as readonly PrintedMetric[],
  }
}
