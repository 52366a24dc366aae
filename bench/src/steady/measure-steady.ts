import type { Run } from '../benchmark.ts'
import type { Database, Engine } from '../databases.ts'
import { roundRobin } from '../interleave.ts'
import { type PosternProcess, startPostern } from '../postern-process.ts'
import { cpuMicrosWithDatabase } from '../process-status.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { type Sampler, startWorker } from '../worker.ts'
import { latencyOf, runLoad, startBareSender, startProducer } from './steady-load.ts'

export const WEBHOOKS = 1000
const IN_FLIGHT = 64

/** One measurement of a sender: CPU time per event, and latencies. */
export interface Measurement {
  burstCpuMicrosPerEvent: number
  cpuMicrosPerEvent: number
  p50Ms: number
  p99Ms: number
}

export type Measurements = Record<Engine | 'bare', Measurement[]>

/** Postern under load: first a burst, then a steady rate. */
function measurePostern(postern: PosternProcess, database: Database, producer: Sampler, receiver: Receiver, burst: number) {
  const cpuMicros = () => cpuMicrosWithDatabase(postern.pid, database.databasePid)
  return async (steadyMs: number): Promise<Measurement> => {
    const beforeMicros = await cpuMicros()
    await postern.publish(burst, WEBHOOKS)
    await receiver.receive(burst)
    const betweenMicros = await cpuMicros()
    const load = await runLoad(producer, steadyMs, receiver.receive)
    return {
      burstCpuMicrosPerEvent: (betweenMicros - beforeMicros) / burst,
      cpuMicrosPerEvent: ((await cpuMicros()) - betweenMicros) / load.count,
      ...latencyOf(load),
    }
  }
}

function measureBareSender(loop: Sampler, sender: Sampler, receiver: Receiver) {
  return async (steadyMs: number, loopMs: number): Promise<Measurement> => {
    const looped = await loop.call({ ms: loopMs })
    await receiver.receive(looped.count)
    const load = await runLoad(sender, steadyMs, receiver.receive)
    return { burstCpuMicrosPerEvent: looped.cpuMicros / looped.count, cpuMicrosPerEvent: load.cpuMicros / load.count, ...latencyOf(load) }
  }
}

/** Measures Postern on each database and the bare senders, round robin, against the same callbacks. */
export async function measureSteady({ config, databases }: Run): Promise<Measurements> {
  const { samples, burst, steadyMs, sampleMs, warmUpMs } = config
  await using files = await databases.open('sqlite')
  await using tables = await databases.open('postgres')
  await using onFiles = await startPostern({ database: files })
  await using onTables = await startPostern({ database: tables })
  await using receiver = await startReceiver(WEBHOOKS)
  const { port } = receiver
  for (const postern of [onFiles, onTables]) await postern.seed({ count: WEBHOOKS, port })
  await using toFiles = await startProducer(onFiles.baseUrl, WEBHOOKS)
  await using toTables = await startProducer(onTables.baseUrl, WEBHOOKS)
  await using loop: Sampler = await startWorker('bare-sender.ts', { port, webhooks: WEBHOOKS, inFlight: IN_FLIGHT })
  await using bareSender = await startBareSender(port, WEBHOOKS)

  const sqlite = measurePostern(onFiles, files, toFiles, receiver, burst)
  const postgres = measurePostern(onTables, tables, toTables, receiver, burst)
  const bare = measureBareSender(loop, bareSender, receiver)
  await roundRobin(1, { sqlite: () => sqlite(warmUpMs), postgres: () => postgres(warmUpMs), bare: () => bare(warmUpMs, warmUpMs) })
  return await roundRobin(samples, {
    sqlite: () => sqlite(steadyMs),
    postgres: () => postgres(steadyMs),
    bare: () => bare(steadyMs, sampleMs),
  })
}
