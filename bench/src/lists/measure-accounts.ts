import { recordResponse, startBareFastify } from '../bare-fastify.ts'
import type { Run } from '../benchmark.ts'
import type { Engine } from '../databases.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { cpuMicrosOf, cpuMicrosWithDatabase } from '../process-status.ts'
import { userAuthorizationOf } from '../sign-in/fixtures.ts'
import { createSignedLoad } from '../sign-in/signed-load.ts'
import { accountsSeed } from './fixtures.ts'

export const ACCOUNTS = 200
export const IN_FLIGHT = 32
export const PATH = '/12/accounts'

const MAX_PER_MS = 4

/** Measures a signed list of accounts from Postern, and the same bytes and headers from bare Fastify. */
export async function measureAccounts(engine: Engine, { config, databases }: Run): Promise<Record<'postern' | 'bare', Rate>> {
  await using database = await databases.open(engine)
  await using server = await startPostern({ database })
  await server.load(accountsSeed(ACCOUNTS))
  const { adsBaseUrl: origin, pid } = server
  const response = await recordResponse(origin + PATH, { authorization: userAuthorizationOf(origin + PATH) })
  await using fastify = await startBareFastify(response)
  const ours = { pid, inFlight: IN_FLIGHT, cpuMicros: () => cpuMicrosWithDatabase(pid, database.databasePid) }
  await using postern = createSignedLoad({ ...ours, origin, path: PATH, maxPerMs: MAX_PER_MS })
  await using bare = createHttpLoad({
    ...{ pid: fastify.pid, inFlight: IN_FLIGHT, status: 200, cpuMicros: () => cpuMicrosOf(fastify.pid) },
    request: { origin: fastify.url, path: PATH, method: 'GET' },
  })
  return await interleave({ postern, bare }, config)
}
