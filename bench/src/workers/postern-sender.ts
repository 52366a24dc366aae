// The parts of Postern that publish and deliver events, without the HTTP server.
import { join } from 'node:path'
import { pino } from 'pino'
import { createSender } from '../../../server/src/delivery/send/sender.ts'
import { createSignedPost } from '../../../server/src/delivery/signed-request.ts'
import { loadSeedDocument } from '../../../server/src/endpoints/operator/seed/load-seed.ts'
import { createClock } from '../../../server/src/lib/clock.ts'
import { createIds } from '../../../server/src/lib/ids.ts'
import { createSeal } from '../../../server/src/lib/seal.ts'
import type { Delivery, EventLog } from '../../../server/src/storage/event-log.ts'
import { openDatabase } from '../../../server/src/storage/open-database.ts'
import { eventFor, seedOf } from '../fixtures.ts'
import { stopwatchWithDatabase } from '../process-status.ts'
import { assembleSending } from '../sending.ts'
import { readArgument, type Sample, serve, temporaryFolder } from '../worker.ts'

const EVENTS_PER_APPEND = 250
/** No more than the dispatcher queues in memory, and enough for a while. */
const MIN_BACKLOG = 4000
const MAX_BACKLOG = 60_000
const PRODUCERS = 4

export interface SenderArgument {
  url: string
  databasePid: number | undefined
  port: number
  webhooks: number
  /** CA certificate (PEM) of the callbacks, when they use https. */
  ca?: string
  /** The databases of the event log, where there are several. */
  logUrls?: readonly string[]
  /** `appends`: what is measured is the commit of events, and not their delivery. */
  measures?: 'deliveries' | 'appends'
}

const { url, databasePid, port, webhooks, ca, logUrls, measures = 'deliveries' } = readArgument<SenderArgument>()
const folder = await temporaryFolder()
const clock = createClock()
const logger = pino({ level: 'warn' }, pino.destination({ dest: join(folder.path, 'log'), sync: false }))
const seal = createSeal(['secret'.repeat(6)])
const { storage, eventLog, close } = await openDatabase({ recordTypes: [], url, clock, seal, logger, logUrls })
const seedServices = {
  storage,
  ids: createIds(clock),
  now: () => clock.now(),
  loopbackCallbacks: true,
  refusesWeakSecrets: false,
  usualEarlyAccess: [],
  accountResources: [],
}
await loadSeedDocument(seedOf({ count: webhooks, port, secure: ca !== undefined }), seedServices)

/** An event log that buffers the deliveries of committed events until they are released together, as a backlog. */
function bufferDeliveries(log: EventLog) {
  let buffered: Delivery[] = []
  let passOn: (deliveries: Delivery[]) => void = () => {}
  let left = 0
  let drained: PromiseWithResolvers<void> | undefined

  return {
    ...log,
    onHeld(listener: (deliveries: Delivery[]) => void) {
      passOn = listener
      log.onHeld((deliveries) => {
        for (const delivery of deliveries) buffered.push(delivery)
      })
    },
    acknowledge(...[delivery, attempt, retryAtMs]: Parameters<EventLog['acknowledge']>) {
      if (attempt.outcome !== 'delivered') drained?.reject(new Error(`a delivery failed: ${attempt.error}`))
      left -= 1
      if (left === 0) drained?.resolve()
      return log.acknowledge(delivery, attempt, retryAtMs)
    },
    /** Passes all buffered deliveries on at once; resolves when all are acknowledged. Rejects when one fails. */
    async release() {
      const backlog = buffered
      buffered = []
      left = backlog.length
      const acknowledged = Promise.withResolvers<void>()
      drained = acknowledged
      passOn(backlog)
      await acknowledged.promise
    },
  }
}

const log = bufferDeliveries(eventLog)
const sender = createSender({ clock, allow: ['127.0.0.0/8'], refuse: () => [], ca })
const post = createSignedPost({ sender, timeoutMs: 10_000, signatureHeader: 'x-service-webhooks-signature' })
const { publisher, dispatcher } = assembleSending({ storage, log, clock, logger, post, retryPlanMs: [5000] })

/** Commits events to the log while nothing is sent. */
async function publish(count: number) {
  for (let at = 0; at < count; at += EVENTS_PER_APPEND) {
    const size = Math.min(EVENTS_PER_APPEND, count - at)
    const events = Array.from({ length: size }, (_, place) => eventFor((at + place) % webhooks))
    await publisher.publish(events.map(({ event_type, user_id, payload }) => ({ eventType: event_type, userId: user_id, payload })))
  }
}

/** Measures from the release of the backlog until the last attempt is committed. */
async function drain(count: number): Promise<Sample> {
  await publish(count)
  const watch = await stopwatchWithDatabase(databasePid)
  await log.release()
  await log.flush()
  return { count, ...(await watch()) }
}

/** Measures the commits of events, by several producers at once, and delivers them afterwards. */
async function append(count: number): Promise<Sample> {
  const watch = await stopwatchWithDatabase(databasePid)
  await Promise.all(Array.from({ length: PRODUCERS }, () => publish(count / PRODUCERS)))
  const measured = { count, ...(await watch()) }
  await log.release()
  await log.flush()
  return measured
}

let perMs = MIN_BACKLOG / 1000

async function sample({ ms }: { ms: number }): Promise<Sample> {
  const count = Math.min(MAX_BACKLOG, Math.max(MIN_BACKLOG, Math.ceil(perMs * ms)))
  const drained = await (measures === 'appends' ? append(count - (count % PRODUCERS)) : drain(count))
  perMs = drained.count / drained.elapsedMs
  return drained
}

serve(sample, async () => {
  await dispatcher.stop()
  await sender.close()
  await close()
  await folder[Symbol.asyncDispose]()
})
