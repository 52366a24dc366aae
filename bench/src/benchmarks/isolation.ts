import type { Benchmark, Row, Run } from '../benchmark.ts'
import { type Database, type Engine, engineName, engines } from '../databases.ts'
import { roundRobin } from '../interleave.ts'
import { type PosternProcess, startPostern } from '../postern-process.ts'
import { faultyBehavior, type Receiver, startReceiver } from '../receiver.ts'
import type { RunConfig } from '../run-config.ts'
import { formatNumber, formatSpread, median } from '../statistics.ts'
import { latencyOf, runLoad, STEADY_LOAD, startProducer } from '../steady/steady-load.ts'

const WEBHOOKS = 1000
const MAX_RATIO = 1.5
/** From the last event to the last receipt. */
const TIMEOUT_MS = 10_000

const behaviors = Array.from({ length: WEBHOOKS }, (_, place) => faultyBehavior(place))
const healthyShare = behaviors.filter((behavior) => behavior === 'healthy').length / WEBHOOKS

/** Result for the events of healthy webhooks. */
interface Measurement {
  sent: number
  arrived: number
  p99Ms: number
}

interface Setup {
  seeded: Database
  engine: Engine
  receiver: Receiver
}

async function seed({ seeded, receiver }: Setup) {
  await using postern = await startPostern({ database: seeded })
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
}

/** Puts a fresh Postern under a steady load. `share` of the webhooks are healthy. */
async function measureUnderLoad(postern: PosternProcess, receiver: Receiver, share: number, config: RunConfig): Promise<Measurement> {
  await using producer = await startProducer(postern.baseUrl, WEBHOOKS)
  const receive = (count: number) => receiver.receiveWithin(Math.round(count * share), TIMEOUT_MS)
  await runLoad(producer, config.warmUpMs, receive)
  const load = await runLoad(producer, config.pairMs, receive)
  return { sent: Math.round(load.count * share), arrived: load.received, p99Ms: latencyOf(load).p99Ms }
}

/**
 * The faults begin before Postern starts: it begins with the challenges that have fallen due since the seeding, and a challenge whose
 * connection breaks fails. At the end all connections are broken, so that the shutdown does not wait for callbacks that hang.
 */
async function measureOnce({ seeded, engine, receiver }: Setup, isFaulty: boolean, { config, databases }: Run): Promise<Measurement> {
  await using database = await databases.open(engine, seeded)
  await receiver.injectFaults(isFaulty)
  await using postern = await startPostern({ database })
  try {
    return await measureUnderLoad(postern, receiver, isFaulty ? healthyShare : 1, config)
  } finally {
    await receiver.injectFaults(false)
  }
}

/** Runs with and without faulty callbacks, in turn. */
async function measurePairs(engine: Engine, run: Run): Promise<Record<'healthy' | 'faulty', Measurement[]>> {
  await using seeded = await run.databases.open(engine)
  await using receiver = await startReceiver(WEBHOOKS)
  const setup = { seeded, engine, receiver }
  await seed(setup)
  return await roundRobin(run.config.pairs, {
    healthy: () => measureOnce(setup, false, run),
    faulty: () => measureOnce(setup, true, run),
  })
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const p99Of = (measurements: readonly Measurement[]) => measurements.map(({ p99Ms }) => p99Ms)
const format = (values: readonly number[]) => `${formatSpread(median(values), values)} ms`
const arrivals = (measurements: readonly Measurement[]) =>
  `${formatNumber(sum(measurements.map(({ arrived }) => arrived)))} of ${formatNumber(sum(measurements.map(({ sent }) => sent)))}`

function rowsOf(engine: Engine, { healthy, faulty }: Record<'healthy' | 'faulty', Measurement[]>): Row[] {
  const ratio = median(p99Of(faulty)) / median(p99Of(healthy))
  const what = (value: string) => `Events for healthy callbacks beside faulty ones: ${value}, ${engineName[engine]}`
  return [
    {
      what: what('accept to receipt p99'),
      measured: format(p99Of(faulty)),
      baseline: `${format(p99Of(healthy))} without faulty callbacks`,
      ratio,
      target: `ratio ≤ ${MAX_RATIO}`,
      isMet: ratio <= MAX_RATIO,
    },
    {
      what: what('arrived'),
      measured: arrivals(faulty),
      baseline: `${arrivals(healthy)} without faulty callbacks`,
      target: 'all',
      isMet: faulty.every(({ arrived, sent }) => arrived === sent),
    },
  ]
}

export const isolation: Benchmark = {
  name: 'isolation',
  method: `${formatNumber(STEADY_LOAD.perSecond)} events/s evenly over ${formatNumber(WEBHOOKS)} webhooks as in \`steady\`. Each run uses a fresh Postern with the default retry plan and timeout: once with healthy callbacks only, once with faults (1 % never answer, 5 % answer 500, one sends one byte a second). Retries are part of the load.`,
  async measure(run) {
    const rows: Row[] = []
    for (const engine of engines) rows.push(...rowsOf(engine, await measurePairs(engine, run)))
    return rows
  },
}
