import { formatNumber, interleave } from '../measure.ts'
import { type Benchmark, besideBaseline, type Row, type Run } from '../report.ts'
import { type Sampler, startWorker, type Worker } from '../worker.ts'
import type { LinesArgument } from '../workers/lines.ts'
import type { ConnectRequest } from '../workers/stream-clients.ts'

const PATH = '/2/activity/stream'
/** Connections of each app. */
const PER_APP = 2

/** Starts a server of lines, with so many clients connected. */
async function startLines(server: LinesArgument['server'], { connections, batch }: (typeof loads)[number]) {
  const begun = new AsyncDisposableStack()
  const argument: LinesArgument = { server, path: PATH, batch, perApp: PER_APP }
  const lines = begun.use(await startWorker<{ ms?: number }, { url: string }>('workers/lines.ts', argument))
  const clients: Worker<ConnectRequest, void> = begun.use(await startWorker('workers/stream-clients.ts', {}))
  const { url } = await lines.call({})
  await clients.call({ url, path: PATH, connections })
  return { sampler: lines as unknown as Sampler, [Symbol.asyncDispose]: () => begun.disposeAsync() }
}

const MIN_RATIO = 0.6

const loads = [
  { connections: 1, batch: 64 },
  { connections: 1000, batch: 1 },
  { connections: 1000, batch: 16 },
]

async function lineRow(run: Run, load: (typeof loads)[number]): Promise<Row> {
  await using ours = await startLines('postern', load)
  await using bareOnes = await startLines('bare', load)
  const { postern, bare } = await interleave({ postern: ours.sampler, bare: bareOnes.sampler }, run.config)
  return {
    what: `Lines of streams/s, ${formatNumber(load.connections)} connections, ${load.batch} events at once`,
    ...besideBaseline(postern, bare, 'bare node:http', MIN_RATIO),
  }
}

export const streams: Benchmark = {
  name: 'streams',
  method:
    'Events of 1 KB that are handed to streams as after a commit of the event log, each as a line to each connection; two connections an app. The next batch follows once the system has taken the one before. The baseline is node:http that writes the same bytes, already made, to as many connections. The clients only read.',
  async measure(run) {
    const rows: Row[] = []
    for (const load of loads) rows.push(await lineRow(run, load))
    return rows
  },
}
