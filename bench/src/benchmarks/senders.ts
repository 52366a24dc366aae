import { certificateAuthority } from '../../../server/test/stage/certificates.ts'
import type { Benchmark, Row, Run } from '../benchmark.ts'
import { roundRobin } from '../interleave.ts'
import { startReceiver } from '../receiver.ts'
import { type CpuShares, deliveriesPerSecond, sharesOf } from '../sender-simulation.ts'
import { formatNumber } from '../statistics.ts'
import type { ThreadSample } from '../thread-cpu.ts'
import { startWorker, type Worker } from '../worker.ts'
import type { SenderArgument } from '../workers/postern-sender.ts'

interface Shape {
  webhooks: number
  secure: boolean
}

const SHAPES: readonly Shape[] = [
  { webhooks: 1000, secure: false },
  { webhooks: 250, secure: true },
]
const THREADS = [0, 1, 2] as const
/** Cores of the simulated machine, and how many sender threads it has by default. */
const MACHINES = [
  { cores: 4, threads: 2 },
  { cores: 8, threads: 4 },
]
/** All TLS connections are opened in it. */
const HANDSHAKES_MS = 3000

type Drainer = Worker<{ ms: number }, ThreadSample>

/** One sample for each number of threads, as often as the run says, in turn. */
async function measure({ webhooks, secure }: Shape, { config, databases }: Run): Promise<readonly ThreadSample[][]> {
  const authority = secure ? await certificateAuthority('Bench') : undefined
  await using receiver = await startReceiver(webhooks, authority)
  await using stack = new AsyncDisposableStack()
  const drainers: Drainer[] = []
  for (const senders of THREADS) {
    const { url, databasePid } = stack.use(await databases.open('sqlite'))
    const argument: SenderArgument = { url, databasePid, port: receiver.port, webhooks, ca: authority?.cert, senders }
    drainers.push(stack.use(await startWorker<{ ms: number }, ThreadSample>('postern-sender.ts', argument)))
  }
  for (const drainer of drainers) await drainer.call({ ms: config.warmUpMs + (secure ? HANDSHAKES_MS : 0) })
  const named = Object.fromEntries(drainers.map((drainer, at) => [`${THREADS[at]}`, () => drainer.call({ ms: config.sampleMs })]))
  const samples = await roundRobin(config.samples, named)
  return THREADS.map((threads) => samples[`${threads}`]!)
}

const format = ({ total, main, log, sender }: CpuShares) =>
  `${formatNumber(total)} µs (main ${formatNumber(main)}, log ${formatNumber(log)}, senders ${formatNumber(sender)})`

const titleOf = ({ webhooks, secure }: Shape) => `${formatNumber(webhooks)} webhooks${secure ? ' over TLS' : ''}, SQLite`

/** Of each round: its samples were taken one after the other, under about the same load. */
const ratiosOf = (samples: readonly ThreadSample[], without: readonly ThreadSample[]) =>
  samples.map(({ cpuMicros, count }, at) => cpuMicros / count / (without[at]!.cpuMicros / without[at]!.count))

function rowsOf(shape: Shape, measured: readonly ThreadSample[][]): Row[] {
  const shares = measured.map(sharesOf)
  const [without, , withTwo] = shares as [CpuShares, CpuShares, CpuShares]
  const costs = THREADS.slice(1).map((threads) => ({
    what: `CPU of a delivery with ${threads} sender ${threads === 1 ? 'thread' : 'threads'}, ${titleOf(shape)}`,
    measured: format(shares[threads]!),
    baseline: `${format(without)} without`,
    ratio: shares[threads]!.total / without.total,
    ratios: ratiosOf(measured[threads]!, measured[0]!),
    target: '–',
  }))
  const simulated = MACHINES.map(({ cores, threads }) => {
    const rate = deliveriesPerSecond(withTwo, cores, threads)
    const baseline = deliveriesPerSecond(without, cores, 0)
    return {
      what: `Deliveries/s on ${cores} cores with ${threads} sender threads, ${titleOf(shape)}`,
      measured: formatNumber(rate),
      baseline: `${formatNumber(baseline)} without`,
      ratio: rate / baseline,
      target: '–',
      isSimulated: true,
    }
  })
  return [...costs, ...simulated]
}

export const senders: Benchmark = {
  name: 'senders',
  method:
    'Backlogs as in `deliveries-1000` and `deliveries-tls`, on SQLite, with no sender thread, one and two, in turn. CPU time is divided by threads; the rest is that of the collector and of the pool of libuv. The second table is a simulation from these figures, not a measurement: a pipeline of the main thread, the log and the sender threads is as fast as its slowest part, and no faster than all cores together; it knows no waiting, no shared caches of the processor, and callbacks on another machine that answer at once.',
  async measure(run) {
    const rows: Row[] = []
    for (const shape of SHAPES) rows.push(...rowsOf(shape, await measure(shape, run)))
    return rows
  },
}
