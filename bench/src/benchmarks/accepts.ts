import { type Engine, engineName, engines } from '../databases.ts'
import { eventFor } from '../fixtures.ts'
import { type BareFastify, createHttpLoad, type Server, startBareFastify } from '../http-load.ts'
import { interleave } from '../measure.ts'
import { OPERATOR_TOKEN, startPostern } from '../postern-process.ts'
import { type Benchmark, besideBaseline, type Row, type Run } from '../report.ts'
import type { Sampler } from '../worker.ts'

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

/** Publishes events to a server. */
function createProducer(server: Server, url: string, { eventsPerRequest, inFlight }: Shape): Sampler {
  const headers = ['content-type', 'application/json', 'authorization', `Bearer ${OPERATOR_TOKEN}`]
  const request = { origin: url, path: PATH, method: 'POST' as const, headers, body: bodyOf(eventsPerRequest) }
  return createHttpLoad({ server, inFlight, status: 202, request, operationsPerRequest: eventsPerRequest })
}

const startFastify = ({ eventsPerRequest }: Shape): Promise<BareFastify> => {
  const data = Array.from({ length: eventsPerRequest }, () => ({ event_uuid: '1'.repeat(18) }))
  return startBareFastify({ method: 'POST', path: PATH, status: 202, headers: {}, body: { data } })
}

/** Accepting over HTTP beside HTTP that stores nothing. */
async function acceptRow(engine: Engine, shape: Shape, { config, databases }: Run): Promise<Row> {
  await using database = await databases.open(engine)
  await using server = await startPostern({ database, inProduction: true })
  await using bare = await startFastify(shape)
  await server.seed({ count: WEBHOOKS, valid: false })
  await using postern = createProducer(server, server.operatorUrl, shape)
  await using fastify = createProducer(bare, bare.url, shape)
  const rates = await interleave({ postern, fastify }, config)
  const events = `${shape.eventsPerRequest} ${shape.eventsPerRequest === 1 ? 'event' : 'events'}`
  return {
    what: `Durable accepts/s over HTTP, ${events} per request, ${shape.inFlight} requests in flight, ${engineName[engine]}`,
    ...besideBaseline(rates.postern, rates.fastify, 'bare Fastify, stores nothing'),
  }
}

async function measureAccepts(shape: Shape, run: Run): Promise<Row[]> {
  const rows: Row[] = []
  for (const engine of engines) rows.push(await acceptRow(engine, shape, run))
  return rows
}

export const accepts: readonly Benchmark[] = [
  {
    name: 'accepts-1',
    method:
      '`POST /operator/events`: each event has 1 KB and matches one of 100 invalid webhooks, so nothing is sent. The baseline is Fastify that parses the same bytes, stores nothing and sends responses of the same size. Producer and server share the cores. CPU time is that of the server and PostgreSQL. In the production profile. Log level info, one line per request; rate limits off.',
    measure: (run) => measureAccepts({ eventsPerRequest: 1, inFlight: 32 }, run),
  },
  {
    name: 'accepts-100',
    method: 'The same with 100 events per request.',
    measure: (run) => measureAccepts({ eventsPerRequest: 100, inFlight: 8 }, run),
  },
]
