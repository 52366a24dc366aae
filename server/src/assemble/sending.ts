import { createDestinations } from '../delivery/destinations.ts'
import { type AttemptListener, createDispatcher } from '../delivery/dispatcher.ts'
import { createHourlyRound } from '../delivery/hourly-round.ts'
import { tellAttempts } from '../delivery/operator-feed/tell.ts'
import { createReplayRunner } from '../delivery/replay/replay-runner.ts'
import { createResender } from '../delivery/resend.ts'
import { createResendRunner } from '../delivery/resend-runner.ts'
import { createRetention } from '../delivery/retention.ts'
import type { Revalidate } from '../delivery/revalidate.ts'
import type { SignedPost } from '../delivery/signed-request.ts'
import { traceAttempts } from '../telemetry/trace-delivery.ts'
import type { Base } from './parts.ts'

const countAttempts =
  ({ deliveries }: Base['metrics'], load: Base['appLoad']): AttemptListener =>
  (attempt, kind, isLast, { appId, sentBytes }) => {
    deliveries.attempted(attempt, kind, isLast)
    if (attempt.outcome !== 'not_sent' && appId !== undefined)
      load.attempted(appId, attempt.outcome === 'failed', sentBytes, attempt.latencyMs)
  }

/** Whether other processes use the database. */
const isShared = ({ storage }: Base) => storage.logListener !== undefined

/** What sends events: live and retried ones, and those of replays and resends. */
function createDispatch(base: Base, post: SignedPost, onGone: (webhookId: string) => void) {
  const { settings, storage, eventLog: log, clock, logger, metrics, appLoad, feed, activity, telemetry, wing, hold } = base
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
  changes.listen(({ kind }) => kind === 'idle' && void dispatcher.lookAhead())
  const livingWorkers = () => storage.livingWorkers()
  const about = { changes, isShared: isShared(base), clock, logger, worker, livingWorkers, lease, webhooks, dispatcher }
  const resender = createResender(log, dispatcher, clock)
  return {
    dispatcher,
    replayRunner: createReplayRunner({ ...about, jobs: replayJobs, log, destinations, post, activity }),
    resendRunner: createResendRunner({ ...about, jobs: resendJobs, apps, resender }),
  }
}

/** What challenges webhooks, as far as sending needs it. */
interface Challenges {
  revalidate: Revalidate
  onGone: (webhookId: string) => void
}

/** The part of delivery that sends: a process without the role `delivery` does not load it. */
export function assembleSending(base: Base, post: SignedPost, { revalidate, onGone }: Challenges) {
  const { settings, storage, eventLog, clock, logger, wing, activity, hold } = base
  const { dispatcher, replayRunner, resendRunner } = createDispatch(base, post, onGone)
  const isHeld = () => hold.since() !== undefined
  const round = createHourlyRound(storage.webhooks, storage.changes, revalidate, clock, logger, isHeld)
  const trimmed = (events: number) => activity.happened({ kind: 'trim', events, outcome: 'done' })
  const { retentionMs } = settings
  const retention = createRetention({ log: eventLog, retentionMs, clock, logger, isPaced: !wing, isShared: isShared(base), trimmed })
  return {
    dispatcher,
    replayRunner,
    resendRunner,
    retention,
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
    /** Starts nothing any more, and finishes what is in flight. */
    async stop() {
      replayRunner.stop()
      resendRunner.stop()
      retention.stop()
      await round.stop()
      await dispatcher.stop()
    },
  }
}
export type Sending = ReturnType<typeof assembleSending>
