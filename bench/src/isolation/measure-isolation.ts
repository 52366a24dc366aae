import type { Flavour } from '../databases.ts'
import { mannerOf } from '../delivery/trouble.ts'
import { inTurn } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { startReceiver } from '../receiver.ts'
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

/** One fresh Postern under a steady flow. Callbacks are disposed of first: a Postern that stops does not wait for them then. */
async function look(flavour: Flavour, troubled: boolean, { pace, databases }: Run): Promise<Healthy> {
  await using database = await databases.open(flavour)
  await using postern = await startPostern({ database })
  await using receiver = await startReceiver(WEBHOOKS, troubled)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  await using producer = await startProducer(postern.baseUrl, WEBHOOKS)
  const share = troubled ? healthyShare : 1
  const take = (count: number) => receiver.takeWithin(Math.round(count * share), MOST_MS)
  await flow(producer, pace.warmMs, take)
  const flown = await flow(producer, pace.pairMs, take)
  return { sent: Math.round(flown.count * share), arrived: flown.received, p99Ms: latencyOf(flown).p99Ms }
}

/** Runs with and without callbacks that misbehave, in turn. */
export const measureIsolation = (flavour: Flavour, run: Run): Promise<Record<'clean' | 'troubled', Healthy[]>> =>
  inTurn(run.pace.pairs, { clean: () => look(flavour, false, run), troubled: () => look(flavour, true, run) })
