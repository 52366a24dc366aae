import { type Challenger, createChallenger } from '../delivery/challenge/challenger.ts'
import { createCountUsage } from '../delivery/count-usage.ts'
import { createDestinations } from '../delivery/destinations.ts'
import { type AttemptListener, createDispatcher, type Dispatcher } from '../delivery/dispatcher.ts'
import { heldBack } from '../delivery/hold.ts'
import { createHourlyRound } from '../delivery/hourly-round.ts'
import { tellAttempts, tellChallenges, tellPublished } from '../delivery/operator-feed/tell.ts'
import { createPublisher } from '../delivery/publish.ts'
import { createReplayRunner } from '../delivery/replay/replay-runner.ts'
import { createResender } from '../delivery/resend.ts'
import { createResendRunner } from '../delivery/resend-runner.ts'
import { createRetention } from '../delivery/retention.ts'
import { createOnGone, createRevalidate } from '../delivery/revalidate.ts'
import { createSender, type Sender } from '../delivery/send/sender.ts'
import { createSignedPost, type SignedPost } from '../delivery/signed-request.ts'
import { createStillConsented } from '../delivery/stream/catch-up.ts'
import { createStreamHub } from '../delivery/stream/hub.ts'
import { contentSpeller } from '../endpoints/events/spell-content.ts'
import { traceAppends, traceAttempts } from '../telemetry/trace-delivery.ts'
import type { Base } from './parts.ts'
import { createQueues } from './queues.ts'

/** A sender by the settings of this process, closed while the database is a held copy. In development its requests count as work under way. */
export function createWayOut({ settings, clock, listening, wing, hold }: Base, maxIdleConnections?: number): Sender {
  const sender = createSender({
    clock,
    allow: settings.callbackAllow,
    refuse: () => listening.listeners,
    ca: settings.callbackCa,
    resolver: settings.callbackResolvers,
    maxIdleConnections,
  })
  return heldBack(wing?.trackSender(sender) ?? sender, hold)
}

/** Tells of each challenge whether it passed. */
const counted = ({ challenge }: Challenger, challenged: (passed: boolean) => void): Challenger => ({
  async challenge(callback) {
    const result = await challenge(callback)
    challenged(result.passed)
    return result
  },
})

/** What challenges webhooks: at once, when a callback answered 410, and every hour. */
function createChallenges(
  { storage, clock, now, logger, development, metrics, feed, wing, hold }: Base,
  sender: Sender,
  headerName: string,
) {
  const { webhooks, apps, changes } = storage
  const send = wing?.disturbChallenges(sender.send) ?? sender.send
  const challenging = createChallenger({ sender: { send }, clock, headerName, hideRestricted: !development })
  const challenger = tellChallenges(feed, now, counted(challenging, metrics.deliveries.challenged))
  const revalidating = createRevalidate(webhooks, apps, challenger, clock, logger)
  const revalidate = wing?.tellChallenge(revalidating) ?? revalidating
  const onGone = createOnGone(webhooks, revalidate, logger)
  const isHeld = () => hold.since() !== undefined
  return { challenger, revalidate, onGone, round: createHourlyRound(webhooks, changes, revalidate, clock, logger, isHeld) }
}

const countAttempts =
  ({ deliveries }: Base['metrics'], load: Base['appLoad']): AttemptListener =>
  (attempt, kind, isLast, { appId, sentBytes }) => {
    deliveries.attempted(attempt, kind, isLast)
    if (attempt.outcome !== 'not_sent' && appId !== undefined)
      load.attempted(appId, attempt.outcome === 'failed', sentBytes, attempt.latencyMs)
  }

/** What sends events: live and retried ones, and those of replays and resends. */
function createDispatch(
  { settings, storage, eventLog: log, clock, logger, metrics, appLoad, feed, activity, telemetry, wing, hold }: Base,
  post: SignedPost,
  onGone: (webhookId: string) => void,
) {
  const { webhooks, apps, consents, changes, replayJobs, resendJobs, worker, lease } = storage
  const destinations = createDestinations({ webhooks, apps, changes, clock, logger })
  const counted = countAttempts(metrics, appLoad)
  const attempted = tellAttempts(feed, telemetry?.traces ? traceAttempts(telemetry.traces, counted) : counted)
  const dispatcher = createDispatcher({
    log,
    clock,
    destinations,
    consents,
    post,
    retryPlanMs: settings.retryPlanMs,
    retryJitter: settings.retryJitter,
    hold,
    logger,
    onGone,
    attempted: wing?.tellAttempt(attempted) ?? attempted,
    explains: wing?.sayAnswer,
  })
  const livingWorkers = () => storage.livingWorkers()
  const about = { changes, clock, logger, worker, livingWorkers, lease, webhooks, dispatcher }
  const resender = createResender(log, dispatcher, clock)
  return {
    dispatcher,
    resender,
    replayRunner: createReplayRunner({ ...about, jobs: replayJobs, log, destinations, post, activity }),
    resendRunner: createResendRunner({ ...about, jobs: resendJobs, apps, resender }),
  }
}

const createStreams = ({ storage, eventLog: log, ids, clock, logger, metrics }: Base) => {
  const { streamConnections: connections, subscriptions, consents, changes, lease } = storage
  const mayReceive = createStillConsented(consents, clock)
  return createStreamHub({ log, connections, subscriptions, changes, lease, ids, clock, logger, mayReceive, counts: metrics.streams })
}

/** Joins what turns events into signed POSTs. */
export function assembleDelivery(base: Base) {
  const { settings, storage, eventLog, clock, now, logger, dialect, metrics, feed, telemetry, wing, activity } = base
  const signatureHeader = dialect.out('x-service-webhooks-signature')
  const sender = createWayOut(base)
  const { challenger, revalidate, onGone, round } = createChallenges(base, sender, signatureHeader)
  const signedPost = createSignedPost({ sender, timeoutMs: settings.callbackTimeoutMs, signatureHeader })
  const post = wing?.disturbPost(signedPost) ?? signedPost
  const { dispatcher, resender, replayRunner, resendRunner } = createDispatch(base, post, onGone)
  const trimmed = (events: number) => activity.happened({ kind: 'trim', events, outcome: 'done' })
  const retention = createRetention({ log: eventLog, retentionMs: settings.retentionMs, clock, logger, isPaced: !wing, trimmed })
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
    streams: createStreams(base),
    challenger,
    revalidate,
    replayRunner,
    resendRunner,
    publisher,
    resender,
    queues: createQueues(base, dispatcher),
    dispatcher: dispatcher as Pick<Dispatcher, 'clear' | 'backlog' | 'underWay'>,
    /** Takes over what no living process works on. */
    async start() {
      dispatcher.start()
      await Promise.all([replayRunner.wake(), resendRunner.wake(), round.start()])
    },
    /** Takes up what the log and the jobs have now, after a restore. */
    async resume() {
      dispatcher.start()
      retention.wake()
      await Promise.all([replayRunner.wake(), resendRunner.wake()])
    },
    /** Trims what is older than the retention, from here on. */
    trim: () => retention.wake(),
    /** Starts nothing any more, and finishes what is in flight. */
    async stop() {
      base.hold.stop()
      replayRunner.stop()
      resendRunner.stop()
      retention.stop()
      await round.stop()
      await dispatcher.stop()
    },
    /** Ends what is still being sent. */
    close: () => sender.close(),
  }
}
export type Delivery = ReturnType<typeof assembleDelivery>
