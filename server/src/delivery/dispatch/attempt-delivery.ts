import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import type { Attempt, Delivery } from '../../storage/event-log.ts'
import { isUnavailable } from '../../storage/unavailable.ts'
import { attemptOf, notSent } from '../attempt.ts'
import { type Destination, type Destinations, isNoDestination, type NoDestination } from '../destinations.ts'
import { bodyOf } from '../envelope.ts'
import type { WorkKind } from '../lanes/lane.ts'
import { APP_SUSPENDED, keptBack } from '../publish.ts'
import { nextTryMs, retryAfterMs } from '../retry-plan.ts'
import type { Post } from '../signed-request.ts'
import { changeState, type Item } from './item.ts'

/** Why nothing is sent to a webhook that is nowhere. */
const nowhere: Record<NoDestination, string> = { missing: 'webhook deleted', unreadable: 'webhook cannot be read' }

/** The callback says that it is no more, which a challenge then decides. */
const GONE = 410

export interface AttemptOptions {
  clock: Clock
  destinations: Destinations
  post: Post
  retryPlanMs: readonly number[]
  logger: Logger
  /** A callback answered 410: challenge the webhook at once. */
  onGone: (webhookId: string) => void
  /** Told how an attempt ended, and when the next one is due, if there is to be one. */
  ended(item: Item, kind: WorkKind, destination: Destination | NoDestination, attempt: Attempt, nextAtMs: number | null): void
  /** The database did not answer: the item is to be attempted later. */
  putOff(webhookId: string, item: Item, kind: WorkKind): void
}

/** Makes attempts to deliver: one function, because an event is as quick as its longest chain of promises. */
export function createAttempts({ clock, destinations, post, retryPlanMs, logger, onGone, ended, putOff }: AttemptOptions) {
  const isDeleted = async (webhookId: string) =>
    !destinations.get(webhookId) && (await destinations.load(webhookId).catch(() => undefined)) === 'missing'

  const nextTry = ({ attempts }: Delivery, retryAfter: string | undefined) =>
    nextTryMs(retryPlanMs, attempts + 1, clock.now(), retryAfterMs(retryAfter, clock.now()))

  /** Never rejects. */
  return async (webhookId: string, item: Item, kind: WorkKind): Promise<void> => {
    changeState(item, 'sending')
    try {
      const destination = destinations.get(webhookId) ?? (await destinations.load(webhookId))
      const atMs = clock.now()
      if (isNoDestination(destination)) return ended(item, kind, destination, notSent(nowhere[destination], atMs), null)
      const reason = keptBack(destination)
      if (reason === APP_SUSPENDED || (reason && kind !== 'replay')) return ended(item, kind, destination, notSent(reason, atMs), null)
      const outcome = await post(destination, bodyOf(item.delivery))
      const answer = outcome.kind === 'answered' ? outcome : undefined
      if (answer?.status === GONE) onGone(webhookId)
      const attempt = attemptOf(outcome, atMs, destination.secrets)
      const isRetried = attempt.outcome === 'failed' && !item.replay && !(await isDeleted(webhookId))
      ended(item, kind, destination, attempt, isRetried ? nextTry(item.delivery, answer?.headers['retry-after']) : null)
    } catch (error) {
      if (item.state === 'sending' && isUnavailable(error)) return putOff(webhookId, item, kind)
      logger.error({ err: error, webhook_id: webhookId }, 'delivery failed with an unexpected error')
      if (item.state === 'sending') ended(item, kind, 'unreadable', notSent(nowhere.unreadable, clock.now()), null)
    }
  }
}
