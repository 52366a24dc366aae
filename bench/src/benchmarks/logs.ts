import { interleave } from '../measure.ts'
import { startReceiver } from '../receiver.ts'
import { type Benchmark, besideHand, type Row, type Run } from '../report.ts'
import { type Sampler, startWorker } from '../worker.ts'
import type { SenderArgument } from '../workers/postern-sender.ts'

const WEBHOOKS = 1000
/** Two cores cannot show what several machines bring: only what dividing costs. */
const MOST_CPU = 1.15
const DISCARDED_ROUNDS = 2

async function measure(measures: SenderArgument['measures'], { config, databases }: Run): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const receiver = stack.use(await startReceiver(WEBHOOKS))
  const start = async (logs: number): Promise<Sampler> => {
    const all = []
    for (let opened = 0; opened < logs; opened += 1) all.push(stack.use(await databases.open('postgres')))
    const [{ url, databasePid }] = all as [(typeof all)[number]]
    const several = logs > 1 && { logUrls: all.map((one) => one.url) }
    const argument: SenderArgument = { url, databasePid, port: receiver.port, webhooks: WEBHOOKS, measures, ...several }
    return stack.use(await startWorker('workers/postern-sender.ts', argument))
  }
  const samplers = { one: await start(1), two: await start(2), four: await start(4) }
  await interleave(samplers, { ...config, samples: DISCARDED_ROUNDS })
  const { one, two, four } = await interleave(samplers, config)
  const what = measures === 'appends' ? 'Appends' : 'Signed deliveries'
  return [
    { what: `${what}/s, 2 event logs`, ...besideHand(two, one, MOST_CPU, 'with one') },
    { what: `${what}/s, 4 event logs`, ...besideHand(four, one, MOST_CPU, 'with one') },
  ]
}

export const logs: Benchmark = {
  name: 'logs',
  method:
    "Events of 1 KB for 1,000 webhooks, divided between 1, 2 and 4 event logs, which are databases of one PostgreSQL on this machine: so the rates say nothing, and the ratio is that of the CPU time, PostgreSQL's included. Appends: four producers at once, 250 events each time. Deliveries as in deliveries-1000.",
  measure: async (run) => [...(await measure('appends', run)), ...(await measure('deliveries', run))],
}
