import { recordResponse, startBareFastify } from '../bare-fastify.ts'
import type { Run } from '../benchmark.ts'
import type { Engine } from '../databases.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { cpuMicrosOf, cpuMicrosWithDatabase } from '../process-status.ts'
import { signInSeed, userAuthorizationOf } from './fixtures.ts'
import { createSignedLoad } from './signed-load.ts'

export const IN_FLIGHT = 32
export const SIGNED_PATH = '/2/users/me'
export const BEARER_PATH = '/2/webhooks'

/** More than can be sent in a sample. */
const MAX_PER_MS = 12

/** Measures a request signed for a user, one with a bearer token on the same Postern, and bare Fastify that sends the bytes of the first. */
export async function measureSigned(engine: Engine, { config, databases }: Run): Promise<Record<'signed' | 'bearer' | 'bare', Rate>> {
  await using database = await databases.open(engine)
  await using server = await startPostern({ database })
  await server.load(signInSeed)
  const { baseUrl: origin, pid } = server
  const common = { pid, inFlight: IN_FLIGHT, cpuMicros: () => cpuMicrosWithDatabase(pid, database.databasePid) }
  const headers = { authorization: `Bearer ${await server.bearerToken()}` }
  await using signed = createSignedLoad({ ...common, origin, path: SIGNED_PATH, maxPerMs: MAX_PER_MS })
  await using bearer = createHttpLoad({ ...common, status: 200, request: { origin, path: BEARER_PATH, method: 'GET', headers } })
  const response = await recordResponse(origin + SIGNED_PATH, { authorization: userAuthorizationOf(origin + SIGNED_PATH) })
  await using fastify = await startBareFastify(response)
  await using bare = createHttpLoad({
    pid: fastify.pid,
    inFlight: IN_FLIGHT,
    status: 200,
    cpuMicros: () => cpuMicrosOf(fastify.pid),
    request: { origin: fastify.url, path: SIGNED_PATH, method: 'GET' },
  })
  return await interleave({ signed, bearer, bare }, config)
}
