import { bareAnswerOf } from '../bare-answer-of.ts'
import { startBareFastify } from '../bare-fastify.ts'
import type { Flavour } from '../databases.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { microsWithDatabase, processorMicros } from '../process-status.ts'
import type { Run } from '../run.ts'

export const WEBHOOKS = 5
export const IN_FLIGHT = 32
export const PATH = '/2/webhooks'

/** `GET /2/webhooks` from Postern, and the same bytes with the same headers from Fastify. */
export async function measureReads(
  flavour: Flavour,
  limited: boolean,
  { pace, databases }: Run,
): Promise<Record<'postern' | 'bare', Rate>> {
  await using database = await databases.open(flavour)
  await using server = await startPostern({ database, rateLimits: limited ? { listWebhooks: Number.MAX_SAFE_INTEGER } : undefined })
  await server.seed({ count: WEBHOOKS, port: 9 })
  const headers = { authorization: `Bearer ${await server.bearerToken()}` }
  await using fastify = await startBareFastify(await bareAnswerOf(server.baseUrl + PATH, headers))
  const load = (url: string, pid: number, micros: () => Promise<number>) =>
    createHttpLoad({ pid, micros, inFlight: IN_FLIGHT, status: 200, request: { origin: url, path: PATH, method: 'GET', headers } })
  await using postern = load(server.baseUrl, server.pid, () => microsWithDatabase(server.pid, database.serverPid))
  await using bare = load(fastify.url, fastify.pid, () => processorMicros(fastify.pid))
  return await interleave({ postern, bare }, pace)
}
