import type { Flavour } from '../databases.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { microsWithDatabase } from '../process-status.ts'
import type { Run } from '../run.ts'
import { createSignedLoad } from './signed-load.ts'
import { signInSeed } from './stand.ts'

export const IN_FLIGHT = 32
export const SIGNED_PATH = '/2/users/me'
export const BEARER_PATH = '/2/webhooks'

/** More than are sent in any look. */
const MOST_PER_MS = 12

/** A call that a user's token signs, and one with a bearer token, of the same Postern. */
export async function measureSigned(flavour: Flavour, { pace, databases }: Run): Promise<Record<'signed' | 'bearer', Rate>> {
  await using database = await databases.open(flavour)
  await using server = await startPostern({ database })
  await server.load(signInSeed)
  const { baseUrl: origin, pid } = server
  const common = { pid, inFlight: IN_FLIGHT, micros: () => microsWithDatabase(pid, database.serverPid) }
  const headers = { authorization: `Bearer ${await server.bearerToken()}` }
  await using signed = createSignedLoad({ ...common, origin, path: SIGNED_PATH, mostPerMs: MOST_PER_MS })
  await using bearer = createHttpLoad({ ...common, status: 200, request: { origin, path: BEARER_PATH, method: 'GET', headers } })
  return await interleave({ signed, bearer }, pace)
}
