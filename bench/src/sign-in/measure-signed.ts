import type { Flavour } from '../databases.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { microsWithDatabase } from '../process-status.ts'
import type { Run } from '../run.ts'
import { signInSeed, userAuthorizationOf } from './stand.ts'

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
  const common = { pid, inFlight: IN_FLIGHT, status: 200, micros: () => microsWithDatabase(pid, database.serverPid) }
  const bearerHeaders = { authorization: `Bearer ${await server.bearerToken()}` }
  const ask = () => ({
    ...({ origin, path: SIGNED_PATH, method: 'GET' } as const),
    headers: { authorization: userAuthorizationOf(origin + SIGNED_PATH) },
  })
  const ahead = (ms: number) => {
    const made = Array.from({ length: ms * MOST_PER_MS }, ask)
    return () => made.pop() ?? ask()
  }
  await using signed = createHttpLoad({ ...common, request: ask(), ahead })
  await using bearer = createHttpLoad({ ...common, request: { origin, path: BEARER_PATH, method: 'GET', headers: bearerHeaders } })
  return await interleave({ signed, bearer }, pace)
}
