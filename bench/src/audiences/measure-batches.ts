import type { Run } from '../benchmark.ts'
import type { Engine } from '../databases.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { cpuMicrosWithDatabase, residentMb } from '../process-status.ts'
import { userAuthorizationOf } from '../sign-in/fixtures.ts'
import { type Sample, startWorker } from '../worker.ts'
import { audienceSeed, newBody, OPERATIONS, USERS_PATH } from './fixtures.ts'

export const IN_FLIGHT = 4
const MEMORY_EVERY_MS = 100

/** The highest resident memory of a process while `run` runs. */
async function withPeakMemory<T>(pid: number, run: () => Promise<T>): Promise<{ result: T; peakMb: number }> {
  let peakMb = 0
  const look = async () => {
    peakMb = Math.max(peakMb, await residentMb(pid))
  }
  const timer = setInterval(() => void look(), MEMORY_EVERY_MS)
  const result = await run().finally(() => clearInterval(timer))
  await look()
  return { result, peakMb }
}

/** Identifiers a second that Postern takes in batches of so many users in each operation, and that the database inserts bare in batches of that size. */
export async function measureBatches(engine: Engine, users: number, { config, databases }: Run) {
  await using database = await databases.open(engine)
  await using bareDatabase = await databases.open(engine)
  await using server = await startPostern({ database })
  await server.load(audienceSeed)
  const { pid, adsBaseUrl: origin } = server
  const url = origin + USERS_PATH
  const createRequest = () => ({
    ...({ origin, path: USERS_PATH, method: 'POST' } as const),
    headers: { authorization: userAuthorizationOf(url, 'POST'), 'content-type': 'application/json' },
    body: newBody(users),
  })
  const identifiers = OPERATIONS * users
  const prepare = (ms: number) => {
    const prepared = Array.from({ length: Math.ceil((ms / 1000) * Math.max(4, 60 / users)) }, createRequest)
    return () => prepared.pop() ?? createRequest()
  }
  await using postern = createHttpLoad({
    ...{ pid, inFlight: IN_FLIGHT, status: 200, request: createRequest(), prepare, operationsPerRequest: identifiers },
    cpuMicros: () => cpuMicrosWithDatabase(pid, database.databasePid),
  })
  const argument = { url: bareDatabase.url, batch: identifiers, databasePid: bareDatabase.databasePid }
  await using bare = await startWorker<{ ms: number }, Sample>(`bare-members-${engine}.ts`, argument)
  const { result, peakMb } = await withPeakMemory(pid, () => interleave({ postern, bare }, config))
  const rates: Record<'postern' | 'bare', Rate> = result
  return { ...rates, identifiers, peakMb }
}
