import { Agent } from 'undici'
import type { Run } from '../benchmark.ts'
import type { Engine } from '../databases.ts'
import { dispatchOnce } from '../dispatch-loop.ts'
import { type PosternProcess, startPostern } from '../postern-process.ts'
import { userAuthorizationOf } from '../sign-in/fixtures.ts'
import { percentile } from '../statistics.ts'
import { audienceSeed, LIMIT_PER_SECOND, newBody, READ_PATH, USERS_PATH } from './fixtures.ts'

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

/** Between two reads. */
const READ_EVERY_MS = 5

/** Latencies of reads, one after the other, for so long. */
async function readFor(agent: Agent, origin: string, ms: number): Promise<number[]> {
  const latencies: number[] = []
  const endsAtMs = performance.now() + ms
  while (performance.now() < endsAtMs) {
    const headers = { authorization: userAuthorizationOf(origin + READ_PATH) }
    const startedMs = performance.now()
    await dispatchOnce(agent, 200, { origin, path: READ_PATH, method: 'GET', headers })
    latencies.push(performance.now() - startedMs)
    await pause(READ_EVERY_MS)
  }
  return latencies
}

/** Sends batches at the documented limit until it is stopped. */
function streamBatches(agent: Agent, origin: string, bodies: readonly string[]) {
  let isStopped = false
  const headers = () => ({ authorization: userAuthorizationOf(origin + USERS_PATH, 'POST'), 'content-type': 'application/json' })
  const run = async () => {
    const sent: Promise<void>[] = []
    for (let place = 0; !isStopped; place += 1) {
      const body = bodies[place % bodies.length]!
      const answer = dispatchOnce(agent, 200, { origin, path: USERS_PATH, method: 'POST', headers: headers(), body })
      sent.push(answer)
      await pause(1000 / LIMIT_PER_SECOND)
    }
    await Promise.all(sent)
  }
  const done = run()
  return async () => {
    isStopped = true
    await done
  }
}

async function measure({ adsBaseUrl: origin }: PosternProcess, { config }: Run) {
  await using stack = new AsyncDisposableStack()
  const agentOf = (connections: number) => stack.adopt(new Agent({ connections, allowH2: false }), (agent) => agent.destroy())
  const [reading, writing] = [agentOf(1), agentOf(8)]
  await readFor(reading, origin, config.warmUpMs)
  const idle: number[] = []
  const busy: number[] = []
  const seconds = (config.samples * config.sampleMs) / 1000
  const bodies = Array.from({ length: Math.ceil(seconds * LIMIT_PER_SECOND) }, () => newBody(1))
  for (let sample = 0; sample < config.samples; sample += 1) {
    idle.push(...(await readFor(reading, origin, config.sampleMs)))
    const stop = streamBatches(writing, origin, bodies)
    busy.push(...(await readFor(reading, origin, config.sampleMs)))
    await stop()
  }
  return { idleP99Ms: percentile(idle, 0.99), busyP99Ms: percentile(busy, 0.99) }
}

/** The p99 of a cheap read while batches stream in at the documented limit, and without them. */
export async function measureReads(engine: Engine, run: Run) {
  await using database = await run.databases.open(engine)
  await using server = await startPostern({ database })
  await server.load(audienceSeed)
  return await measure(server, run)
}
