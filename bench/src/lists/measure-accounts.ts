import { bareAnswerOf } from '../bare-answer-of.ts'
import { startBareFastify } from '../bare-fastify.ts'
import type { Flavour } from '../databases.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { microsWithDatabase, processorMicros } from '../process-status.ts'
import type { Run } from '../run.ts'
import { createSignedLoad } from '../sign-in/signed-load.ts'
import { userAuthorizationOf } from '../sign-in/stand.ts'
import { accountsSeed } from './stand.ts'

export const ACCOUNTS = 200
export const IN_FLIGHT = 32
export const PATH = '/12/accounts'

const MOST_PER_MS = 4

/** A signed list of accounts from Postern, and the same bytes with the same headers from Fastify. */
export async function measureAccounts(flavour: Flavour, { pace, databases }: Run): Promise<Record<'postern' | 'bare', Rate>> {
  await using database = await databases.open(flavour)
  await using server = await startPostern({ database })
  await server.load(accountsSeed(ACCOUNTS))
  const { adsBaseUrl: origin, pid } = server
  const answer = await bareAnswerOf(origin + PATH, { authorization: userAuthorizationOf(origin + PATH) })
  await using fastify = await startBareFastify(answer)
  const ours = { pid, inFlight: IN_FLIGHT, micros: () => microsWithDatabase(pid, database.serverPid) }
  await using postern = createSignedLoad({ ...ours, origin, path: PATH, mostPerMs: MOST_PER_MS })
  await using bare = createHttpLoad({
    ...{ pid: fastify.pid, inFlight: IN_FLIGHT, status: 200, micros: () => processorMicros(fastify.pid) },
    request: { origin: fastify.url, path: PATH, method: 'GET' },
  })
  return await interleave({ postern, bare }, pace)
}
