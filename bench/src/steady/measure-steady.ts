import type { Database, Flavour } from '../databases.ts'
import { inTurn } from '../interleave.ts'
import { type Sampled, startParty } from '../party.ts'
import { type PosternProcess, startPostern } from '../postern-process.ts'
import { microsWithDatabase } from '../process-status.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import type { Run } from '../run.ts'
import { flow, latencyOf, startBareSender, startProducer } from './steady.ts'

export const WEBHOOKS = 1000
const IN_FLIGHT = 64

/** One look at a sender: processor time for each event, and how long events were under way. */
export interface Look {
  burstMicrosEach: number
  microsEach: number
  p50Ms: number
  p99Ms: number
}

export type Looks = Record<Flavour | 'bare', Look[]>

/** A Postern under load: first a burst, then a steady flow. */
function lookAtPostern(postern: PosternProcess, database: Database, producer: Sampled, receiver: Receiver, burst: number) {
  const micros = () => microsWithDatabase(postern.pid, database.serverPid)
  return async (steadyMs: number): Promise<Look> => {
    const beforeMicros = await micros()
    await postern.publish(burst, WEBHOOKS)
    await receiver.take(burst)
    const betweenMicros = await micros()
    const flown = await flow(producer, steadyMs, receiver.take)
    return {
      burstMicrosEach: (betweenMicros - beforeMicros) / burst,
      microsEach: ((await micros()) - betweenMicros) / flown.count,
      ...latencyOf(flown),
    }
  }
}

function lookAtBare(loop: Sampled, sender: Sampled, receiver: Receiver) {
  return async (steadyMs: number, loopMs: number): Promise<Look> => {
    const looped = await loop.ask({ ms: loopMs })
    await receiver.take(looped.count)
    const flown = await flow(sender, steadyMs, receiver.take)
    return { burstMicrosEach: looped.processorMicros / looped.count, microsEach: flown.processorMicros / flown.count, ...latencyOf(flown) }
  }
}

/** Looks at Postern on each database and at the bare senders, in turn, against the same callbacks. */
export async function measureSteady({ pace, databases }: Run): Promise<Looks> {
  const { samples, burst, steadyMs, sampleMs, warmMs } = pace
  await using files = await databases.open('sqlite')
  await using tables = await databases.open('postgres')
  await using onFiles = await startPostern({ database: files })
  await using onTables = await startPostern({ database: tables })
  await using receiver = await startReceiver(WEBHOOKS)
  const { port } = receiver
  for (const postern of [onFiles, onTables]) await postern.seed({ count: WEBHOOKS, port })
  await using toFiles = await startProducer(onFiles.baseUrl, WEBHOOKS)
  await using toTables = await startProducer(onTables.baseUrl, WEBHOOKS)
  await using loop: Sampled = await startParty('bare-sender.ts', { port, webhooks: WEBHOOKS, inFlight: IN_FLIGHT })
  await using bareSender = await startBareSender(port, WEBHOOKS)

  const sqlite = lookAtPostern(onFiles, files, toFiles, receiver, burst)
  const postgres = lookAtPostern(onTables, tables, toTables, receiver, burst)
  const bare = lookAtBare(loop, bareSender, receiver)
  await inTurn(1, { sqlite: () => sqlite(warmMs), postgres: () => postgres(warmMs), bare: () => bare(warmMs, warmMs) })
  return await inTurn(samples, {
    sqlite: () => sqlite(steadyMs),
    postgres: () => postgres(steadyMs),
    bare: () => bare(steadyMs, sampleMs),
  })
}
