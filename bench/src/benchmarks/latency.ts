import { engineName, engines } from '../databases.ts'
import { formatNumber, median, roundRobin } from '../measure.ts'
import { startPostern } from '../postern-process.ts'
import { cpuMicrosWithDatabase } from '../process-status.ts'
import type { Benchmark, Row, Run } from '../report.ts'
import { startWorker } from '../worker.ts'
import type { OpenLoopArgument, OpenLoopRequest, OpenLoopResult } from '../workers/open-loop.ts'

const LOAD: OpenLoopArgument = { webhooks: 1000, perSecond: 2000, batch: 10 }
/** A sample is so many of a rate long: one slow moment is then less than a hundredth of it. */
const SAMPLE_LENGTHS = 4

interface Measured extends OpenLoopResult {
  cpuMicros: number
}

const format = (measured: readonly Measured[]) => {
  const of = (figure: keyof Measured) => formatNumber(median(measured.map((one) => one[figure])))
  return `p50 ${of('p50Ms')} ms, p99 ${of('p99Ms')} ms, slowest ${of('slowestMs')} ms`
}

const cpuOf = (measured: readonly Measured[]) => formatNumber(median(measured.map(({ cpuMicros, count }) => cpuMicros / count)))

async function measure({ config, databases }: Run): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const loop = stack.use(await startWorker<OpenLoopRequest, OpenLoopResult>('workers/open-loop.ts', LOAD))
  const { port } = await loop.call({ ms: 0 })
  const through = async (engine: (typeof engines)[number]) => {
    const database = stack.use(await databases.open(engine))
    const server = stack.use(await startPostern({ database }))
    await server.seed({ count: LOAD.webhooks, port })
    return sampling(server.pid, database.databasePid, server.baseUrl)
  }
  const sampling = (pid: number, databasePid?: number, to?: string) => async (): Promise<Measured> => {
    const before = await cpuMicrosWithDatabase(pid, databasePid)
    const result = await loop.call({ to, ms: config.sampleMs * SAMPLE_LENGTHS })
    return { ...result, cpuMicros: (await cpuMicrosWithDatabase(pid, databasePid)) - before }
  }
  const samplers = { sqlite: await through('sqlite'), postgres: await through('postgres'), straight: sampling(loop.pid) }
  await roundRobin(1, samplers)
  const measured = await roundRobin(config.samples, samplers)
  return engines.map((engine) => ({
    what: `Accept to receipt at ${formatNumber(LOAD.perSecond)} events/s over ${formatNumber(LOAD.webhooks)} webhooks, ${engineName[engine]}`,
    measured: format(measured[engine]),
    baseline: `${format(measured.straight)} without Postern`,
    cpu: `${cpuOf(measured[engine])} / ${cpuOf(measured.straight)} µs`,
    target: '–',
  }))
}

export const latency: Benchmark = {
  name: 'latency',
  method:
    'An open loop publishes ten events of 1 KB in each of 200 requests a second. Its process is also the callbacks, so one clock says how long each event is under way, from the call that publishes it. The baseline is the same process that signs the events and sends them to its callbacks itself. Medians over samples. CPU time is that of Postern and PostgreSQL; of the baseline, that of its process, callbacks included.',
  measure,
}
