import type { Database, Flavour } from '../databases.ts'
import { inTurn } from '../interleave.ts'
import { type Party, type Sample, startParty } from '../party.ts'
import { type PosternProcess, startPostern } from '../postern-process.ts'
import { microsWithDatabase } from '../process-status.ts'
import type { Receiver } from '../receiver.ts'
import { startReceiver } from '../receiver.ts'
import type { Run } from '../run.ts'
import { flow, latencyOf, type Producer, startBareSender, startProducer } from './steady.ts'

export const WEBHOOKS = 1000
export const BURST = 20_000
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
function lookAtPostern(postern: PosternProcess, database: Database, producer: Producer, receiver: Receiver) {
  const micros = () => microsWithDatabase(postern.pid, database.serverPid)
  return async (steadyMs: number): Promise<Look> => {
    const beforeMicros = await micros()
    await postern.publish(BURST, WEBHOOKS)
    await receiver.take(BURST)
    const betweenMicros = await micros()
    const flown = await flow(producer, steadyMs, receiver.take)
    return {
      burstMicrosEach: (betweenMicros - beforeMicros) / BURST,
      microsEach: ((await micros()) - betweenMicros) / flown.count,
      ...latencyOf(flown),
    }
  }
}

function lookAtBare(loop: Party<{ ms: number }, Sample>, sender: Producer, receiver: Receiver) {
  return async (steadyMs: number, loopMs: number): Promise<Look> => {
    const looped = await loop.ask({ ms: loopMs })
    await receiver.take(looped.count)
    const flown = await flow(sender, steadyMs, receiver.take)
    return { burstMicrosEach: looped.processorMicros / looped.count, microsEach: flown.processorMicros / flown.count, ...latencyOf(flown) }
  }
}

/** Looks at Postern on each database and at the bare senders, in turn, against the same callbacks. */
export async function measureSteady({ pace, databases }: Run): Promise<Looks> {
  const { samples, steadyMs, sampleMs, warmMs } = pace
  await using files = await databases.open('sqlite')
  await using tables = await databases.open('postgres')
  await using onFiles = await startPostern({ database: files })
  await using onTables = await startPostern({ database: tables })
  await using receiver = await startReceiver(WEBHOOKS)
  const { port } = receiver
  for (const postern of [onFiles, onTables]) await postern.seed({ count: WEBHOOKS, port })
  await using toFiles = await startProducer(onFiles.baseUrl, WEBHOOKS)
  await using toTables = await startProducer(onTables.baseUrl, WEBHOOKS)
  await using loop: Party<{ ms: number }, Sample> = await startParty('bare-sender.ts', { port, webhooks: WEBHOOKS, inFlight: IN_FLIGHT })
  await using bareSender = await startBareSender(port, WEBHOOKS)

  const sqlite = lookAtPostern(onFiles, files, toFiles, receiver)
  const postgres = lookAtPostern(onTables, tables, toTables, receiver)
  const bare = lookAtBare(loop, bareSender, receiver)
  await inTurn(1, { sqlite: () => sqlite(warmMs), postgres: () => postgres(warmMs), bare: () => bare(warmMs, warmMs) })
  return await inTurn(samples, {
    sqlite: () => sqlite(steadyMs),
    postgres: () => postgres(steadyMs),
    bare: () => bare(steadyMs, sampleMs),
  })
}
