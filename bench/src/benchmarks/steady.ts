import type { Benchmark, Row } from '../benchmark.ts'
import { engineName } from '../databases.ts'
import { formatSpread, median } from '../statistics.ts'
import { type Measurement, type Measurements, measureSteady, WEBHOOKS } from '../steady/measure-steady.ts'
import { STEADY_LOAD } from '../steady/steady-load.ts'

type Unit = 'µs' | 'ms'

const format = (values: readonly number[], unit: Unit) => `${formatSpread(median(values), values)} ${unit}`

interface Metric {
  what: string
  unit: Unit
  of: (measurement: Measurement) => number
  /** What the bare sender does. */
  bare: string
}

const rate = `${STEADY_LOAD.perSecond.toLocaleString('en-US')} events/s over ${WEBHOOKS.toLocaleString('en-US')} webhooks`

const metrics: readonly Metric[] = [
  {
    what: 'CPU from accept to receipt, per event of a burst',
    unit: 'µs',
    of: ({ burstCpuMicrosPerEvent }) => burstCpuMicrosPerEvent,
    bare: 'bare undici, saturated',
  },
  {
    what: `CPU from accept to receipt, per event at ${rate}`,
    unit: 'µs',
    of: ({ cpuMicrosPerEvent }) => cpuMicrosPerEvent,
    bare: 'bare undici, same rate',
  },
  { what: `Accept to receipt p50 at ${rate}`, unit: 'ms', of: ({ p50Ms }) => p50Ms, bare: 'producer straight to callback' },
  { what: `Accept to receipt p99 at ${rate}`, unit: 'ms', of: ({ p99Ms }) => p99Ms, bare: 'producer straight to callback' },
]

function rowOf({ what, unit, of, bare }: Metric, engine: 'sqlite' | 'postgres', measurements: Measurements): Row {
  const [measured, baseline] = [measurements[engine].map(of), measurements.bare.map(of)]
  return {
    what: `${what}, ${engineName[engine]}`,
    measured: format(measured, unit),
    baseline: `${format(baseline, unit)} ${bare}`,
    ratio: median(measured) / median(baseline),
    target: '–',
  }
}

export const steady: Benchmark = {
  name: 'steady',
  method: `Postern with the command of \`npm start\`, log level info, rate limits off. The burst: as many events as take about a second, accepted 500 per request while they are delivered; the baseline is the bare undici loop with 64 in flight, which accepts and stores nothing. The steady rate: an open loop in its own process publishes ${STEADY_LOAD.batch} events in each of ${STEADY_LOAD.perSecond / STEADY_LOAD.batch} requests a second, and writes the machine's monotonic time into each event; the callback reads it. The baseline is the same loop that signs and sends to the callbacks itself. CPU time is that of Postern and PostgreSQL, between the first request and the last receipt; of the bare sender, that of its process.`,
  async measure(run) {
    const measurements = await measureSteady(run)
    return metrics.flatMap((metric) => [rowOf(metric, 'sqlite', measurements), rowOf(metric, 'postgres', measurements)])
  },
}
