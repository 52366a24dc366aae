import { type Challenger, createChallenger } from '../delivery/challenge/challenger.ts'
import { createCountUsage } from '../delivery/count-usage.ts'
import { tellChallenges, tellPublished } from '../delivery/operator-feed/tell.ts'
import { createPublisher } from '../delivery/publish.ts'
import { createResender } from '../delivery/resend.ts'
import { createOnGone, createRevalidate } from '../delivery/revalidate.ts'
import type { Sender } from '../delivery/send/sender.ts'
import { createSignedPost } from '../delivery/signed-request.ts'
import type { StreamHub } from '../delivery/stream/hub.ts'
import { contentSpeller } from '../endpoints/events/spell-content.ts'
import { does, nameRoles } from '../settings/roles.ts'
import { Unavailable } from '../storage/unavailable.ts'
import { traceAppends } from '../telemetry/trace-delivery.ts'
import { configuredSender } from './configured-sender.ts'
import { noSending, type UsedSending } from './no-sending.ts'
import type { Base } from './parts.ts'
import { createQueues } from './queues.ts'

/** Tells of each challenge whether it passed. */
const counted = ({ challenge }: Challenger, challenged: (passed: boolean) => void): Challenger => ({
  async challenge(callback) {
    const result = await challenge(callback)
    challenged(result.passed)
    return result
  },
})

/** What challenges webhooks: at once, when a callback answered 410, and every hour. */
function createChallenges({ storage, clock, now, logger, development, metrics, feed, wing }: Base, sender: Sender, headerName: string) {
  const { webhooks, apps } = storage
  const send = wing?.disturbChallenges(sender.send) ?? sender.send
  const challenging = createChallenger({ sender: { send }, clock, headerName, hideRestricted: !development })
  const challenger = tellChallenges(feed, now, counted(challenging, metrics.deliveries.challenged))
  const revalidating = createRevalidate(webhooks, apps, challenger, clock, logger)
  const revalidate = wing?.tellChallenge(revalidating) ?? revalidating
  return { challenger, revalidate, onGone: createOnGone(webhooks, revalidate, logger) }
}

async function createStreams({ settings: { roles }, storage, eventLog: log, ids, clock, logger, metrics }: Base): Promise<StreamHub> {
  if (!does(roles, 'streams')) {
    const detail = `This process has the ${nameRoles(roles)} and holds no streams: lead GET /2/activity/stream to one with the role stream.`
    return { open: () => Promise.reject(new Unavailable(detail)), clear() {}, stop: async () => {} }
  }
  const { createStillConsented } = await import('../delivery/stream/catch-up.ts')
  const { createStreamHub } = await import('../delivery/stream/hub.ts')
  const { streamConnections: connections, subscriptions, consents, changes, lease } = storage
  const mayReceive = createStillConsented(consents, clock)
  return createStreamHub({ log, connections, subscriptions, changes, lease, ids, clock, logger, mayReceive, counts: metrics.streams })
}

/** Joins what turns events into signed POSTs and lines of streams, as far as the roles of this process go. */
export async function assembleDelivery(base: Base) {
  const { settings, storage, eventLog, clock, now, logger, dialect, metrics, feed, telemetry, wing } = base
  const signatureHeader = dialect.out('x-service-webhooks-signature')
  const sender = configuredSender(base)
  const challenges = createChallenges(base, sender, signatureHeader)
  const signedPost = createSignedPost({ sender, timeoutMs: settings.callbackTimeoutMs, signatureHeader })
  const post = wing?.disturbPost(signedPost) ?? signedPost
  const sending: UsedSending = does(settings.roles, 'sending')
    ? (await import('./sending.ts')).assembleSending(base, post, challenges)
    : noSending(base)
  const { dispatcher, replayRunner, resendRunner, retention } = sending
  const countUsage = createCountUsage(storage.usage, clock, logger)
  const publishing = createPublisher({
    subscriptions: storage.subscriptions,
    log: telemetry?.traces ? traceAppends(telemetry.traces, eventLog) : eventLog,
    respell: contentSpeller(dialect),
    appending: retention.wake,
    accepted: metrics.deliveries.accepted,
    countFor: base.appLoad.published,
    published: tellPublished(feed, now, wing?.published),
    countUsage,
    usage: storage.usage,
    now,
  })
  const publisher = wing?.watchPublisher(publishing) ?? publishing

  return {
    streams: await createStreams(base),
    challenger: challenges.challenger,
    revalidate: challenges.revalidate,
    replayRunner,
    resendRunner,
    publisher,
    resender: createResender(eventLog, dispatcher, clock),
    queues: createQueues(base, dispatcher),
    dispatcher,
    start: sending.start,
    resume: sending.resume,
    /** Trims what is older than the retention, from here on. */
    trim: () => retention.wake(),
    /** Starts nothing any more, and finishes what is in flight. */
    async stop() {
      base.hold.stop()
      await sending.stop()
    },
    /** Ends what is still being sent. */
    close: () => sender.close(),
  }
}
export type Delivery = Awaited<ReturnType<typeof assembleDelivery>>
