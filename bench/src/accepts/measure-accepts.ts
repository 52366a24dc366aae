import { type BareFastify, startBareFastify } from '../bare-fastify.ts'
import { type Flavour, flavours, nameOf } from '../databases.ts'
import { eventFor } from '../delivery/stand.ts'
import type { Line } from '../figure.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, processorOf, type Rate } from '../interleave.ts'
import { inWords } from '../numbers.ts'
import { type Sampled, startParty } from '../party.ts'
import { OPERATOR_TOKEN, startPostern } from '../postern-process.ts'
import { microsWithDatabase, processorMicros } from '../process-status.ts'
import type { Run } from '../run.ts'

interface Shape {
  eventsARequest: number
  inFlight: number
}

/** Webhooks that are invalid: their events are kept and not sent, so that nothing but accepting is measured. */
const WEBHOOKS = 100
const PATH = '/operator/events'

const bodyOf = (eventsARequest: number) => {
  const events = Array.from({ length: eventsARequest }, (_, place) => eventFor(place % WEBHOOKS))
  return Buffer.from(JSON.stringify(eventsARequest === 1 ? events[0] : { events }))
}

/** Posts events to a process; what the process itself and its database take of the processor is what counts. */
function producer(server: { pid: number; url: string }, micros: () => Promise<number>, { eventsARequest, inFlight }: Shape): Sampled {
  const headers = ['content-type', 'application/json', 'authorization', `Bearer ${OPERATOR_TOKEN}`]
  const request = { origin: server.url, path: PATH, method: 'POST' as const, headers, body: bodyOf(eventsARequest) }
  return createHttpLoad({ pid: server.pid, micros, inFlight, status: 202, request, worth: eventsARequest })
}

const startFastify = ({ eventsARequest }: Shape): Promise<BareFastify> => {
  const data = Array.from({ length: eventsARequest }, () => ({ event_uuid: '1'.repeat(18) }))
  return startBareFastify({ method: 'POST', path: PATH, status: 202, headers: {}, body: { data } })
}

type Rates = Record<'postern' | 'fastify' | 'commits', Rate>

async function measure(flavour: Flavour, shape: Shape, { pace, databases }: Run): Promise<Rates> {
  const batch = shape.inFlight * shape.eventsARequest
  await using database = await databases.open(flavour)
  await using commitsDatabase = await databases.open(flavour)
  await using server = await startPostern({ database })
  await using bare = await startFastify(shape)
  const { url, serverPid } = commitsDatabase
  await using commits: Sampled = await startParty(`bare-commits-${flavour}.ts`, { batch, url, serverPid })
  await server.seed({ count: WEBHOOKS, port: 9, valid: false })
  const posternMicros = () => microsWithDatabase(server.pid, database.serverPid)
  await using postern = producer({ pid: server.pid, url: server.baseUrl }, posternMicros, shape)
  await using fastify = producer(bare, () => processorMicros(bare.pid), shape)
  return await interleave({ postern, fastify, commits }, pace)
}

const linesOf = (flavour: Flavour, { eventsARequest, inFlight }: Shape, { postern, fastify, commits }: Rates): Line[] => {
  const events = `${inWords(eventsARequest)} ${eventsARequest === 1 ? 'event' : 'events'}`
  const beside = (limit: Rate, name: string): Line => ({
    what: `Durable accepts/s over HTTP, ${events} a request, ${inFlight} requests in flight, ${nameOf[flavour]}`,
    measured: postern.shown,
    limit: `${limit.shown} ${name}`,
    ratio: postern.perSecond / limit.perSecond,
    processor: processorOf(postern, limit),
    aim: '–',
  })
  return [beside(fastify, 'bare Fastify, keeps nothing'), beside(commits, `bare ${nameOf[flavour]} commits, no HTTP`)]
}

/** Accepts over HTTP beside both limits: HTTP that keeps nothing, and commits without HTTP. */
export async function measureAccepts(shape: Shape, run: Run): Promise<Line[]> {
  const lines: Line[] = []
  for (const flavour of flavours) lines.push(...linesOf(flavour, shape, await measure(flavour, shape, run)))
  return lines
}
