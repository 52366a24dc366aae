import { nameOf } from '../databases.ts'
import type { Figure, Line } from '../figure.ts'
import { median } from '../median.ts'
import { withSpread } from '../numbers.ts'
import { type Look, type Looks, measureSteady, WEBHOOKS } from '../steady/measure-steady.ts'
import { STEADY } from '../steady/steady.ts'

type Unit = 'µs' | 'ms'

const shown = (values: readonly number[], unit: Unit) => `${withSpread(median(values), values)} ${unit}`

interface Row {
  what: string
  unit: Unit
  of: (look: Look) => number
  /** What the bare sender does meanwhile. */
  bare: string
}

const rate = `${STEADY.perSecond.toLocaleString('en-US')} events/s over ${WEBHOOKS.toLocaleString('en-US')} webhooks`

const rows: readonly Row[] = [
  {
    what: 'CPU from accept to receipt, each event of a burst',
    unit: 'µs',
    of: ({ burstMicrosEach }) => burstMicrosEach,
    bare: 'bare undici, saturated',
  },
  {
    what: `CPU from accept to receipt, each event at ${rate}`,
    unit: 'µs',
    of: ({ microsEach }) => microsEach,
    bare: 'bare undici, same pace',
  },
  { what: `Accept to receipt p50 at ${rate}`, unit: 'ms', of: ({ p50Ms }) => p50Ms, bare: 'producer straight to callback' },
  { what: `Accept to receipt p99 at ${rate}`, unit: 'ms', of: ({ p99Ms }) => p99Ms, bare: 'producer straight to callback' },
]

function lineOf({ what, unit, of, bare }: Row, flavour: 'sqlite' | 'postgres', looks: Looks): Line {
  const [ours, limit] = [looks[flavour].map(of), looks.bare.map(of)]
  return {
    what: `${what}, ${nameOf[flavour]}`,
    measured: shown(ours, unit),
    limit: `${shown(limit, unit)} ${bare}`,
    ratio: median(ours) / median(limit),
    aim: '–',
  }
}

export const steady: Figure = {
  name: 'steady',
  limit: `A Postern as it is started, log level info, rate limits off. The burst: as many events as fit into about a second, accepted 500 in a request while they are delivered; beside it the bare undici loop with 64 in flight, which accepts and keeps nothing. The steady rate: an open loop in a process of its own publishes ${STEADY.batch} events in each of ${STEADY.perSecond / STEADY.batch} requests a second, and writes the machine's monotonic time into each event; the callback reads it. Beside it the same loop signs and sends to the callbacks itself. Processor time is that of Postern, PostgreSQL included, over everything between the first request and the last receipt; of the bare sender, of its process.`,
  async measure(run) {
    const looks = await measureSteady(run)
    return rows.flatMap((row) => [lineOf(row, 'sqlite', looks), lineOf(row, 'postgres', looks)])
  },
}
