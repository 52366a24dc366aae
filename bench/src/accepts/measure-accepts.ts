import { eventFor } from '../delivery/stand.ts'
import { createDispatchLoop } from '../dispatch-loop.ts'
import type { Line } from '../figure.ts'
import { interleave, processorOf, type Rate } from '../interleave.ts'
import { inWords } from '../numbers.ts'
import type { Pace } from '../pace.ts'
import { type Party, type Sample, startParty } from '../party.ts'
import { OPERATOR_TOKEN, startPostern } from '../postern-process.ts'
import { processorMicros } from '../process-status.ts'
import { temporaryFolder } from '../temporary-folder.ts'

interface Shape {
  eventsARequest: number
  inFlight: number
}

type Sampled = Party<{ ms: number }, Sample>

/** Webhooks that are invalid: their events are kept and not sent, so that nothing but accepting is measured. */
const WEBHOOKS = 100

const bodyOf = (eventsARequest: number) => {
  const events = Array.from({ length: eventsARequest }, (_, place) => eventFor(place % WEBHOOKS))
  return Buffer.from(JSON.stringify(eventsARequest === 1 ? events[0] : { events }))
}

/** Posts events to a process; what the process itself takes of the processor is what counts. */
function producer(pid: number, url: string, { eventsARequest, inFlight }: Shape): Sampled {
  const body = bodyOf(eventsARequest)
  const headers = ['content-type', 'application/json', 'authorization', `Bearer ${OPERATOR_TOKEN}`]
  const request = { origin: url, path: '/operator/events', method: 'POST' as const, headers, body }
  const loop = createDispatchLoop({ inFlight, status: 202, request: () => request })
  return {
    pid,
    async ask({ ms }) {
      const before = await processorMicros(pid)
      const { count, elapsedMs } = await loop.sample(ms)
      return { count: count * eventsARequest, elapsedMs, processorMicros: (await processorMicros(pid)) - before }
    },
    [Symbol.asyncDispose]: () => loop.close(),
  }
}

async function measure(shape: Shape, pace: Pace): Promise<Record<'postern' | 'fastify' | 'commits', Rate>> {
  const { eventsARequest, inFlight } = shape
  const answer = { data: Array.from({ length: eventsARequest }, () => ({ event_uuid: '1'.repeat(18) })) }
  await using folder = await temporaryFolder()
  await using server = await startPostern(folder.path)
  await using bare = await startParty<object, { url: string }>('bare-fastify.ts', { answer })
  await using commits: Sampled = await startParty('bare-commits.ts', { batch: inFlight * eventsARequest })
  await server.seed({ count: WEBHOOKS, port: 9, valid: false })
  await using postern = producer(server.pid, server.baseUrl, shape)
  await using fastify = producer(bare.pid, (await bare.ask({})).url, shape)
  return await interleave({ postern, fastify, commits }, pace)
}

/** Accepts over HTTP beside both limits: HTTP that keeps nothing, and commits without HTTP. */
export async function measureAccepts(shape: Shape, pace: Pace): Promise<Line[]> {
  const { postern, fastify, commits } = await measure(shape, pace)
  const { eventsARequest, inFlight } = shape
  const what = `Durable accepts/s over HTTP, ${inWords(eventsARequest)} ${eventsARequest === 1 ? 'event' : 'events'} a request, ${inFlight} requests in flight`
  const beside = (limit: Rate, name: string): Line => ({
    what,
    measured: postern.shown,
    limit: `${limit.shown} ${name}`,
    ratio: postern.perSecond / limit.perSecond,
    processor: processorOf(postern, limit),
    aim: '–',
  })
  return [beside(fastify, 'bare Fastify, keeps nothing'), beside(commits, 'bare SQLite commits, no HTTP')]
}
