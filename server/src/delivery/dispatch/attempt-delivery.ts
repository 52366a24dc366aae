import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import type { Consents } from '../../storage/consents.ts'
import type { Attempt, Delivery, EventLog } from '../../storage/event-log.ts'
import { isUnavailable } from '../../storage/unavailable.ts'
import { attemptOf, notSent } from '../attempt.ts'
import { CONSENT_REVOKED, createMayStillReceive, needsConsent } from '../consent.ts'
import { type Destination, type Destinations, isNoDestination, type NoDestination } from '../destinations.ts'
import { bodyOf } from '../envelope.ts'
import type { WorkKind } from '../lanes/lane.ts'
import { notSentReason } from '../publish.ts'
import { type Jitter, nextTryMs, retryAfterMs } from '../retry-plan.ts'
import { wasSent } from '../send/outcome.ts'
import type { SignedPost } from '../signed-request.ts'
import { changeState, type Item, isOpen } from './item.ts'

/** Why nothing is sent if there is no destination. */
const notSentReasons: Record<NoDestination, string> = { missing: 'webhook deleted', unreadable: 'webhook cannot be read' }

/** The callback says that it no longer exists. A challenge decides whether that is so. */
const GONE = 410

export interface AttemptOptions {
  clock: Clock
  confirmHeld: EventLog['confirmHeld']
  destinations: Destinations
  consents: Consents
  post: SignedPost
  retryPlanMs: readonly number[]
  retryJitter: Jitter
  logger: Logger
  /** Called when a callback answered 410, to challenge the webhook at once. */
  onGone: (webhookId: string) => void
  /** Called when an attempt has ended. `nextAtMs` is when the next one is due, if any; `sentBytes` the length of the body, if it was sent. */
  ended(
    item: Item,
    kind: WorkKind,
    destination: Destination | NoDestination,
    attempt: Attempt,
    nextAtMs: number | null,
    sentBytes?: number,
  ): void
  /** Called when the database did not answer, to attempt the item later. */
  postpone(webhookId: string, item: Item, kind: WorkKind): void
}

/** Makes delivery attempts. One function, because each promise in the chain adds latency. */
export function createAttempts({
  clock,
  confirmHeld,
  destinations,
  consents,
  post,
  retryPlanMs,
  retryJitter,
  logger,
  onGone,
  ended,
  postpone,
}: AttemptOptions) {
  const mayStillReceive = createMayStillReceive(consents, clock)

  const isDeleted = async (webhookId: string) =>
    !destinations.get(webhookId) && (await destinations.load(webhookId).catch(() => undefined)) === 'missing'

  const nextTry = ({ attempts }: Delivery, retryAfter: string | undefined) =>
    nextTryMs(retryPlanMs, attempts + 1, clock.now(), retryAfterMs(retryAfter, clock.now()), retryJitter)

  /** False if the database did not answer, or another process has the delivery. */
  const isConfirmed = (confirming: Promise<void>) =>
    confirming.then(
      () => true,
      (error) => {
        if (!isUnavailable(error)) logger.error({ err: error }, 'could not confirm that deliveries are still held')
        return false
      },
    )

  /** Never rejects. */
  return async (webhookId: string, item: Item, kind: WorkKind): Promise<void> => {
    changeState(item, 'sending')
    try {
      const confirming = confirmHeld(item.delivery)
      if (confirming && !(await isConfirmed(confirming))) return isOpen(item) ? postpone(webhookId, item, kind) : undefined
      const destination = destinations.get(webhookId) ?? (await destinations.load(webhookId))
      const atMs = clock.now()
      if (isNoDestination(destination)) return ended(item, kind, destination, notSent(notSentReasons[destination], atMs), null)
      const reason = notSentReason(destination)
      if (reason) return ended(item, kind, destination, notSent(reason, atMs), null)
      const isRevoked = needsConsent(item.delivery.eventType) && !(await mayStillReceive(item.delivery, destination.appId))
      if (isRevoked) return ended(item, kind, destination, notSent(CONSENT_REVOKED, atMs), null)
      // Another process has it now, or the log was replaced.
      if (!isOpen(item)) return
      const body = bodyOf(item.delivery)
      const outcome = await post(destination, body, item.delivery)
      const answer = outcome.kind === 'answered' ? outcome : undefined
      if (answer?.status === GONE) onGone(webhookId)
      const attempt = attemptOf(outcome, atMs, destination.secrets)
      const isRetried = attempt.outcome === 'failed' && !item.replay && !(await isDeleted(webhookId))
      const nextAtMs = isRetried ? nextTry(item.delivery, answer?.headers['retry-after']) : null
      ended(item, kind, destination, attempt, nextAtMs, wasSent(outcome) ? body.length : 0)
    } catch (error) {
      if (!isOpen(item) && isUnavailable(error)) return
      if (item.state === 'sending' && isUnavailable(error)) return postpone(webhookId, item, kind)
      logger.error({ err: error, webhook_id: webhookId }, 'delivery failed with an unexpected error')
      if (item.state === 'sending') ended(item, kind, 'unreadable', notSent(notSentReasons.unreadable, clock.now()), null)
    }
  }
}
