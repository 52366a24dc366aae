// The parts of Postern that accept and deliver, joined as assemble.ts joins them, without HTTP in.
import { join } from 'node:path'
import { pino } from 'pino'
import { dialects } from '../../../server/src/api/declare/dialect.ts'
import { createDestinations } from '../../../server/src/delivery/destinations.ts'
import { createDispatcher } from '../../../server/src/delivery/dispatcher.ts'
import { createPublisher } from '../../../server/src/delivery/publish.ts'
import { createSender } from '../../../server/src/delivery/send/sender.ts'
import { createPost } from '../../../server/src/delivery/signed-request.ts'
import { loadSeed } from '../../../server/src/endpoints/operator/seed/load-seed.ts'
import { createClock } from '../../../server/src/lib/clock.ts'
import { createIds } from '../../../server/src/lib/ids.ts'
import { createSeal } from '../../../server/src/lib/seal.ts'
import { openDatabase } from '../../../server/src/storage/open-database.ts'
import { holdBack } from '../delivery/held-back-log.ts'
import { eventFor, seedOf } from '../delivery/stand.ts'
import type { Sample } from '../party.ts'
import { stopwatchWithServer } from '../stopwatch.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { argument, serve } from './serve.ts'

const EVENTS_AN_APPEND = 250
/** No more than the dispatcher holds in memory, and enough to go on for a while. */
const LEAST_BACKLOG = 4000
const MOST_BACKLOG = 60_000

export interface SenderArgument {
  url: string
  serverPid: number | undefined
  port: number
  webhooks: number
  /** PEM of the authority of the callbacks' certificates, when they are https. */
  ca?: string
}

const { url, serverPid, port, webhooks, ca } = argument<SenderArgument>()
const folder = await temporaryFolder()
const clock = createClock()
const logger = pino({ level: 'warn' }, pino.destination({ dest: join(folder.path, 'log'), sync: false }))
const { storage, eventLog, close } = await openDatabase({ recordTypes: [], url, clock, seal: createSeal(['secret'.repeat(6)]), logger })
const seedServices = { storage, ids: createIds(clock), now: () => clock.now(), loopbackCallbacks: true, earlyAccess: [] }
await loadSeed(seedOf({ count: webhooks, port, secure: ca !== undefined }), seedServices)

const log = holdBack(eventLog)
const sender = createSender({ clock, allow: ['127.0.0.0/8'], refuse: () => [], ca })
const destinations = createDestinations({ ...storage, clock, logger })
const post = createPost({ sender, timeoutMs: 10_000, signatureHeader: 'x-service-webhooks-signature' })
const publisher = createPublisher(storage.subscriptions, log, dialects.spec.anything, () => {})
const dispatcher = createDispatcher({ log, clock, destinations, post, retryPlanMs: [5000], logger, onGone: () => {} })
await dispatcher.start()

/** Accepts events durably while nothing is sent. */
async function accept(count: number) {
  for (let at = 0; at < count; at += EVENTS_AN_APPEND) {
    const size = Math.min(EVENTS_AN_APPEND, count - at)
    const events = Array.from({ length: size }, (_, place) => eventFor((at + place) % webhooks))
    await publisher.publish(events.map(({ event_type, user_id, payload }) => ({ eventType: event_type, userId: user_id, payload })))
  }
}

/** From the moment the backlog may go out until the last attempt is committed. */
async function drain(count: number): Promise<Sample> {
  await accept(count)
  const watch = await stopwatchWithServer(serverPid)
  await log.release()
  await log.flush()
  return { count, ...(await watch()) }
}

let perMs = LEAST_BACKLOG / 1000

async function sample({ ms }: { ms: number }): Promise<Sample> {
  const count = Math.min(MOST_BACKLOG, Math.max(LEAST_BACKLOG, Math.ceil(perMs * ms)))
  const taken = await drain(count)
  perMs = taken.count / taken.elapsedMs
  return taken
}

serve(sample, async () => {
  await dispatcher.stop()
  await sender.close()
  await close()
  await folder[Symbol.asyncDispose]()
})
