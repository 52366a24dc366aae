import { Agent, type Dispatcher } from 'undici'
import type { Run } from '../benchmark.ts'
import type { Engine } from '../databases.ts'
import { dispatchOnce } from '../dispatch-loop.ts'
import { interleave, type Rate } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { cpuMicrosWithDatabase, residentMb } from '../process-status.ts'
import { userAuthorizationOf } from '../sign-in/fixtures.ts'
import { type Sample, type Sampler, startWorker } from '../worker.ts'
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

interface BatchLoad {
  pid: number
  cpuMicros(): Promise<number>
  createRequest(): Dispatcher.DispatchOptions
  identifiers: number
}

/** The most batches that a sample sends for each second. */
const MAX_PER_SECOND = 60

/** Sends batches, prepared before the sample, and waits for all of them: few fit in a sample, so those at its end count as a whole. */
function createBatchLoad({ pid, cpuMicros, createRequest, identifiers }: BatchLoad): Sampler {
  const agent = new Agent({ connections: IN_FLIGHT, allowH2: false })
  const prepared = (ms: number) => {
    const most = Math.ceil((ms / 1000) * MAX_PER_SECOND * Math.min(1, 4 * (OPERATIONS / identifiers)))
    return Array.from({ length: most }, createRequest)
  }
  return {
    pid,
    async call({ ms }) {
      const requests = prepared(ms)
      const before = await cpuMicros()
      const startedMs = performance.now()
      let count = 0
      const send = async () => {
        while (performance.now() < startedMs + ms) {
          await dispatchOnce(agent, 200, requests.pop() ?? createRequest())
          count += identifiers
        }
      }
      await Promise.all(Array.from({ length: IN_FLIGHT }, send))
      return { count, elapsedMs: performance.now() - startedMs, cpuMicros: (await cpuMicros()) - before }
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  }
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
  const cpuMicros = () => cpuMicrosWithDatabase(pid, database.databasePid)
  await using postern = createBatchLoad({ pid, cpuMicros, createRequest, identifiers })
  const argument = { url: bareDatabase.url, batch: identifiers, databasePid: bareDatabase.databasePid }
  await using bare = await startWorker<{ ms: number }, Sample>(`bare-members-${engine}.ts`, argument)
  const { result, peakMb } = await withPeakMemory(pid, () => interleave({ postern, bare }, config))
  const rates: Record<'postern' | 'bare', Rate> = result
  return { ...rates, identifiers, peakMb }
}
