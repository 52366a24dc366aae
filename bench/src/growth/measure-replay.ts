import { setTimeout } from 'node:timers/promises'
import type { Run } from '../benchmark.ts'
import type { Database, Engine } from '../databases.ts'
import { webhookId } from '../delivery/fixtures.ts'
import { type PosternProcess, startPostern } from '../postern-process.ts'
import { residentMb } from '../process-status.ts'
import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import type { RunConfig } from '../run-config.ts'
import { median } from '../statistics.ts'
import { latencyOf, type SteadyArgument, type SteadyRate } from '../steady/steady-load.ts'
import { type Sampler, startWorker } from '../worker.ts'
import { fillLog } from './fill-log.ts'

const WEBHOOKS = 1000
/** Live events beside the replay, which takes what is left of the cores. */
export const LIVE_RATE: SteadyRate = { perSecond: 200, batch: 2 }
const MINUTE_MS = 60_000
/** After the last live event was sent, until all have come. */
const SETTLE_MS = 2000
const SAMPLE_MS = 1000
/** A replay that sends nothing for so long has failed. */
const MAX_PAUSE_MS = 60_000

export interface Replayed {
  /** p99 of live events from sending to receipt, without a replay and beside it. */
  aloneP99Ms: number
  besideP99Ms: number
  /** Resident memory after the first tenth of the replay, and the most after that. */
  firstMb: number
  mostMb: number
  perSecond: number
}

/** A minute as the parameters of a replay have it. */
const minuteOf = (ms: number) => new Date(ms).toISOString().replace(/[-T:]/g, '').slice(0, 12)

async function startReplay({ baseUrl, bearerToken }: PosternProcess, sinceMs: number) {
  const response = await fetch(`${baseUrl}/2/webhooks/replay`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await bearerToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ webhook_id: webhookId(0), from_date: minuteOf(sinceMs), to_date: minuteOf(Date.now() + MINUTE_MS) }),
  })
  if (!response.ok) throw new Error(`the replay was answered ${response.status}: ${await response.text()}`)
}

/** p99 of live events, the median of samples, and how many other deliveries came meanwhile. */
async function measureLive(producer: Sampler, receiver: Receiver, { samples, steadyMs }: RunConfig) {
  const taken: Awaited<ReturnType<typeof sampleLive>>[] = []
  while (taken.length < samples) taken.push(await sampleLive(producer, receiver, steadyMs))
  return { p99Ms: median(taken.map(({ p99Ms }) => p99Ms)), others: taken.reduce((sum, { others }) => sum + others, 0) }
}

const othersOf = ({ received, latenciesMs }: Received) => received - latenciesMs.length

async function sampleLive(producer: Sampler, receiver: Receiver, ms: number) {
  const before = othersOf(await receiver.receiveWithin(0, 0))
  const { count } = await producer.call({ ms })
  await setTimeout(SETTLE_MS)
  const received = await receiver.receiveWithin(0, 0)
  if (received.latenciesMs.length < count) throw new Error(`${received.latenciesMs.length} of ${count} live events came`)
  return { p99Ms: latencyOf(received).p99Ms, others: before + othersOf(received) }
}

/** Waits for the rest of the replay; samples the memory. */
async function watchReplay(pid: number, receiver: Receiver, replayed: number, total: number) {
  const samples: { at: number; mb: number }[] = []
  let at = replayed
  for (let quietMs = 0; at < total && quietMs < MAX_PAUSE_MS; ) {
    const { received } = await receiver.receiveWithin(total - at, SAMPLE_MS)
    quietMs = received === 0 ? quietMs + SAMPLE_MS : 0
    at += received
    samples.push({ at, mb: await residentMb(pid) })
  }
  if (at < total) throw new Error(`${at} of ${total} deliveries were replayed`)
  const first = samples.find((sample) => sample.at >= total / 10)!
  return { firstMb: first.mb, mostMb: Math.max(...samples.filter((sample) => sample.at >= first.at).map(({ mb }) => mb)) }
}

/** Replays many deliveries of one webhook, the first of them beside live events for a thousand. */
export async function measureReplay(engine: Engine, { config, databases }: Run): Promise<Replayed> {
  await using database: Database = await databases.open(engine)
  const sinceMs = Date.now() - MINUTE_MS
  await fillLog(database, { webhooks: 1, deliveries: config.rows })
  await using postern = await startPostern({ database })
  await using receiver = await startReceiver(WEBHOOKS)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  const argument: SteadyArgument<string> = { ...LIVE_RATE, to: postern.baseUrl, webhooks: WEBHOOKS }
  await using producer: Sampler = await startWorker('steady-producer.ts', argument)
  await sampleLive(producer, receiver, config.steadyMs)
  const alone = await measureLive(producer, receiver, config)
  const startedMs = performance.now()
  await startReplay(postern, sinceMs)
  const beside = await measureLive(producer, receiver, config)
  const memory = await watchReplay(postern.pid, receiver, beside.others, config.rows)
  const perSecond = (config.rows / (performance.now() - startedMs)) * 1000
  return { aloneP99Ms: alone.p99Ms, besideP99Ms: beside.p99Ms, ...memory, perSecond }
}
