import { startBareFastify } from '../bare-fastify.ts'
import type { Benchmark, Row } from '../benchmark.ts'
import { type Databases, type Engine, engineName, engines } from '../databases.ts'
import { roundRobin } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { residentMb } from '../process-status.ts'
import { startReceiver } from '../receiver.ts'
import { formatNumber, formatSpread, median } from '../statistics.ts'

const WEBHOOKS = 100
const EVENTS = 10_000
const MAX_READY_MB = 150
const MAX_DELIVERED_MB = 200

interface Memory {
  readyMb: number
  deliveredMb: number
}

/** Memory of a fresh process when it is ready, and after it has delivered events. */
async function measurePostern(engine: Engine, databases: Databases): Promise<Memory> {
  await using database = await databases.open(engine)
  await using postern = await startPostern({ database })
  await using receiver = await startReceiver(WEBHOOKS)
  const readyMb = await residentMb(postern.pid)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  await postern.publish(EVENTS, WEBHOOKS)
  await receiver.receive(EVENTS)
  return { readyMb, deliveredMb: await residentMb(postern.pid) }
}

async function measureFastify(): Promise<Memory> {
  await using fastify = await startBareFastify()
  const mb = await residentMb(fastify.pid)
  return { readyMb: mb, deliveredMb: mb }
}

const format = (values: number[]) => `${formatSpread(median(values), values)} MB`

export const memory: Benchmark = {
  name: 'memory',
  method: `VmRSS of a fresh Postern when it is ready, and after it has delivered ${formatNumber(EVENTS)} events of 1 KB to ${WEBHOOKS} webhooks, accepted 500 per request; without PostgreSQL. The baseline is a process with Fastify that listens.`,
  async measure({ config, databases }) {
    const measurements = await roundRobin(config.starts, {
      sqlite: () => measurePostern('sqlite', databases),
      postgres: () => measurePostern('postgres', databases),
      fastify: measureFastify,
    })
    const row = (when: string, engine: Engine, of: (measurement: Memory) => number, maxMb: number): Row => {
      const values = measurements[engine].map(of)
      return {
        what: `Resident memory, ${when}, ${engineName[engine]}`,
        measured: format(values),
        baseline: `${format(measurements.fastify.map(of))} bare Fastify`,
        target: `< ${maxMb} MB`,
        isMet: median(values) < maxMb,
      }
    }
    return engines.flatMap((engine) => [
      row('ready', engine, ({ readyMb }) => readyMb, MAX_READY_MB),
      row(`${formatNumber(EVENTS)} events delivered`, engine, ({ deliveredMb }) => deliveredMb, MAX_DELIVERED_MB),
    ])
  },
}
