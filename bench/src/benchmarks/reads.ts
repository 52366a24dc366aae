import { recordResponse, startBareFastify } from '../bare-fastify.ts'
import type { Benchmark, Row, Run } from '../benchmark.ts'
import { besideBaseline } from '../beside-baseline.ts'
import { type Engine, engineName } from '../databases.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { cpuMicrosOf, cpuMicrosWithDatabase } from '../process-status.ts'

const WEBHOOKS = 5
const IN_FLIGHT = 32
const PATH = '/2/webhooks'

interface Shape {
  engine: Engine
  rateLimited: boolean
  minRatio?: number
}

const shapes: readonly Shape[] = [
  { engine: 'sqlite', rateLimited: false, minRatio: 0.4 },
  { engine: 'postgres', rateLimited: false, minRatio: 0.5 },
  { engine: 'sqlite', rateLimited: true },
  { engine: 'postgres', rateLimited: true, minRatio: 0.18 },
]

/** Measures `GET /2/webhooks` of Postern, and the same bytes and headers from bare Fastify. */
async function measure({ engine, rateLimited }: Shape, { config, databases }: Run): Promise<Record<'postern' | 'bare', Rate>> {
  await using database = await databases.open(engine)
  await using server = await startPostern({ database, rateLimits: rateLimited ? { listWebhooks: Number.MAX_SAFE_INTEGER } : undefined })
  await server.seed({ count: WEBHOOKS, port: 9 })
  const headers = { authorization: `Bearer ${await server.bearerToken()}` }
  await using fastify = await startBareFastify(await recordResponse(server.baseUrl + PATH, headers))
  const load = (url: string, pid: number, cpuMicros: () => Promise<number>) =>
    createHttpLoad({ pid, cpuMicros, inFlight: IN_FLIGHT, status: 200, request: { origin: url, path: PATH, method: 'GET', headers } })
  await using postern = load(server.baseUrl, server.pid, () => cpuMicrosWithDatabase(server.pid, database.databasePid))
  await using bare = load(fastify.url, fastify.pid, () => cpuMicrosOf(fastify.pid))
  return await interleave({ postern, bare }, config)
}

const rowOf = ({ engine, rateLimited, minRatio }: Shape, { postern, bare }: Record<'postern' | 'bare', Rate>): Row => ({
  what: `\`GET ${PATH}\`/s with a bearer token, ${IN_FLIGHT} in flight, rate limits ${rateLimited ? 'on' : 'off'}, ${engineName[engine]}`,
  ...besideBaseline(postern, bare, 'bare Fastify', minRatio),
})

export const reads: Benchmark = {
  name: 'reads',
  method: `An app with ${WEBHOOKS} webhooks lists them. The baseline is Fastify that sends the same bytes with the same headers. The client shares the cores with the server. CPU time is that of the server and PostgreSQL. With rate limits on, the limit is so high that no request is refused.`,
  async measure(run) {
    const rows: Row[] = []
    for (const shape of shapes) rows.push(rowOf(shape, await measure(shape, run)))
    return rows
  },
}
