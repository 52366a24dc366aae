import type { Database, Flavour } from '../databases.ts'
import { mannerOf } from '../delivery/trouble.ts'
import { inTurn } from '../interleave.ts'
import type { Pace } from '../pace.ts'
import { type PosternProcess, startPostern } from '../postern-process.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import type { Run } from '../run.ts'
import { flow, latencyOf, startProducer } from '../steady/steady.ts'

export const WEBHOOKS = 1000
/** From the last event to the last receipt. */
const MOST_MS = 10_000

/** What became of the events for healthy webhooks. */
export interface Healthy {
  sent: number
  arrived: number
  p99Ms: number
}

const healthyShare = Array.from({ length: WEBHOOKS }, (_, place) => mannerOf(place)).filter((manner) => manner === 'well').length / WEBHOOKS

interface Stand {
  seeded: Database
  flavour: Flavour
  receiver: Receiver
}

async function seed({ seeded, receiver }: Stand) {
  await using postern = await startPostern({ database: seeded })
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
}

/** A fresh Postern under a steady flow. */
async function flowThrough(postern: PosternProcess, receiver: Receiver, share: number, pace: Pace): Promise<Healthy> {
  await using producer = await startProducer(postern.baseUrl, WEBHOOKS)
  const take = (count: number) => receiver.takeWithin(Math.round(count * share), MOST_MS)
  await flow(producer, pace.warmMs, take)
  const flown = await flow(producer, pace.pairMs, take)
  return { sent: Math.round(flown.count * share), arrived: flown.received, p99Ms: latencyOf(flown).p99Ms }
}

/**
 * The callbacks change before Postern starts: its first act is to challenge what came due since the seeding, and a challenge whose
 * connection breaks fails. At the end all connections break, so that Postern does not wait for those that hang when it stops.
 */
async function look({ seeded, flavour, receiver }: Stand, troubled: boolean, { pace, databases }: Run): Promise<Healthy> {
  await using database = await databases.open(flavour, seeded)
  await receiver.behave(troubled)
  await using postern = await startPostern({ database })
  try {
    return await flowThrough(postern, receiver, troubled ? healthyShare : 1, pace)
  } finally {
    await receiver.behave(false)
  }
}

/** Runs with and without callbacks that misbehave, in turn. */
export async function measureIsolation(flavour: Flavour, run: Run): Promise<Record<'clean' | 'troubled', Healthy[]>> {
  await using seeded = await run.databases.open(flavour)
  await using receiver = await startReceiver(WEBHOOKS)
  const stand = { seeded, flavour, receiver }
  await seed(stand)
  return await inTurn(run.pace.pairs, { clean: () => look(stand, false, run), troubled: () => look(stand, true, run) })
}
