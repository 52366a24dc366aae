import { type BareFastify, startBareFastify } from '../bare-fastify.ts'
import type { Benchmark, Row, Run } from '../benchmark.ts'
import { besideBaseline } from '../beside-baseline.ts'
import { type Engine, engineName, engines } from '../databases.ts'
import { eventFor } from '../delivery/fixtures.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { OPERATOR_TOKEN, startPostern } from '../postern-process.ts'
import { cpuMicrosOf, cpuMicrosWithDatabase } from '../process-status.ts'
import { formatNumber } from '../statistics.ts'
import { type Sampler, startWorker } from '../worker.ts'

interface Shape {
  eventsPerRequest: number
  inFlight: number
}

/** Invalid webhooks: their events are stored but not sent, so that only accepting is measured. */
const WEBHOOKS = 100
const PATH = '/operator/events'

const bodyOf = (eventsPerRequest: number) => {
  const events = Array.from({ length: eventsPerRequest }, (_, place) => eventFor(place % WEBHOOKS))
  return Buffer.from(JSON.stringify(eventsPerRequest === 1 ? events[0] : { events }))
}

/** Publishes events to a server. `cpuMicros` is the CPU time of the server and its database. */
function createProducer(
  server: { pid: number; url: string },
  cpuMicros: () => Promise<number>,
  { eventsPerRequest, inFlight }: Shape,
): Sampler {
  const headers = ['content-type', 'application/json', 'authorization', `Bearer ${OPERATOR_TOKEN}`]
  const request = { origin: server.url, path: PATH, method: 'POST' as const, headers, body: bodyOf(eventsPerRequest) }
  return createHttpLoad({ pid: server.pid, cpuMicros, inFlight, status: 202, request, operationsPerRequest: eventsPerRequest })
}

const startFastify = ({ eventsPerRequest }: Shape): Promise<BareFastify> => {
  const data = Array.from({ length: eventsPerRequest }, () => ({ event_uuid: '1'.repeat(18) }))
  return startBareFastify({ method: 'POST', path: PATH, status: 202, headers: {}, body: { data } })
}

type Rates = Record<'postern' | 'fastify' | 'commits', Rate>

async function measure(engine: Engine, shape: Shape, { config, databases }: Run): Promise<Rates> {
  const batch = shape.inFlight * shape.eventsPerRequest
  await using database = await databases.open(engine)
  await using commitsDatabase = await databases.open(engine)
  await using server = await startPostern({ database })
  await using bare = await startFastify(shape)
  const { url, databasePid } = commitsDatabase
  await using commits: Sampler = await startWorker(`bare-commits-${engine}.ts`, { batch, url, databasePid })
  await server.seed({ count: WEBHOOKS, port: 9, valid: false })
  const posternCpuMicros = () => cpuMicrosWithDatabase(server.pid, database.databasePid)
  await using postern = createProducer({ pid: server.pid, url: server.baseUrl }, posternCpuMicros, shape)
  await using fastify = createProducer(bare, () => cpuMicrosOf(bare.pid), shape)
  return await interleave({ postern, fastify, commits }, config)
}

const rowsOf = (engine: Engine, { eventsPerRequest, inFlight }: Shape, { postern, fastify, commits }: Rates): Row[] => {
  const events = `${formatNumber(eventsPerRequest)} ${eventsPerRequest === 1 ? 'event' : 'events'}`
  const beside = (baseline: Rate, name: string): Row => ({
    what: `Durable accepts/s over HTTP, ${events} per request, ${inFlight} requests in flight, ${engineName[engine]}`,
    ...besideBaseline(postern, baseline, name),
  })
  return [beside(fastify, 'bare Fastify, stores nothing'), beside(commits, `bare ${engineName[engine]} commits, no HTTP`)]
}

/** Accepting over HTTP beside both baselines: HTTP that stores nothing, and commits without HTTP. */
async function measureAccepts(shape: Shape, run: Run): Promise<Row[]> {
  const rows: Row[] = []
  for (const engine of engines) rows.push(...rowsOf(engine, shape, await measure(engine, shape, run)))
  return rows
}

export const accepts: readonly Benchmark[] = [
  {
    name: 'accepts-1',
    method:
      '`POST /operator/events`: each event has 1 KB and matches one of 100 invalid webhooks, so nothing is sent. Two baselines: Fastify that parses the same bytes, stores nothing and sends responses of the same size; and prepared statements that write the same rows into the same kind of database without HTTP, with as many rows per fsynced commit as are in flight. Producer and server share the cores. CPU time is that of the server and PostgreSQL. Log level info, one line per request; rate limits off.',
    measure: (run) => measureAccepts({ eventsPerRequest: 1, inFlight: 32 }, run),
  },
  {
    name: 'accepts-100',
    method: 'The same with 100 events per request.',
    measure: (run) => measureAccepts({ eventsPerRequest: 100, inFlight: 8 }, run),
  },
]
