import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { Attempt, Delivery, EventLog } from '../storage/event-log.ts'
import { asUnavailable, isUnavailable, logUnlessUnavailable } from '../storage/unavailable.ts'
import { attemptOf, notSent } from './attempt.ts'
import { attemptLine } from './attempt-line.ts'
import { type Destination, type Directory, isNowhere, type Nowhere } from './directory.ts'
import { AGAIN_MS, createDueRetries } from './due-retries.ts'
import { bodyOf } from './envelope.ts'
import { createLanes, type Kind } from './lanes.ts'
import { APP_SUSPENDED, keptBack } from './publish.ts'
import { createReadBack } from './read-back.ts'
import { nextTryMs, retryAfterMs } from './retry-plan.ts'
import type { Post } from './signed-request.ts'

export const IN_FLIGHT_PER_WEBHOOK = 4
export const IN_FLIGHT_WINDOW = 64
const SLOW_MS = 250

/** What one webhook may hold in memory; beyond it the webhook is parked and its deliveries wait in the log. */
const MOST_HELD = 256
const FEW_HELD = 128
/** How many due retries of one webhook wait in memory before the next are left in the log. */
const MOST_RETRIES_HELD = 64
const PAGE = 256
/** What all webhooks together may hold in memory, in bytes of content. */
const MOST_HELD_BYTES = 64 * 1024 * 1024
/** Why nothing is sent to a webhook that is nowhere. */
const nowhere: Record<Nowhere, string> = { missing: 'webhook deleted', unreadable: 'webhook cannot be read' }

/** The callback says that it is no more, which the challenge then decides. */
const GONE = 410

export interface DispatcherOptions {
  log: EventLog
  clock: Clock
  directory: Directory
  post: Post
  retryPlanMs: readonly number[]
  logger: Logger
  /** A callback answered 410: challenge the webhook at once. */
  onGone: (webhookId: string) => void
}

interface Item {
  delivery: Delivery
  /** Told of the attempt when this is a replay's, which acknowledges nothing. */
  replay?: (attempt: Attempt) => void
}

export interface Dispatcher {
  /** Begins to take over what no living process holds, beside what comes. */
  start(): void
  /** Sends one event of a replay, within the webhook's limit in flight. */
  replay(delivery: Delivery): Promise<Attempt>
  /** Forgets what is held: the log was wiped. */
  clear(): void
  /** Finishes what is in flight; the rest stays in the log. */
  stop(): Promise<void>
}

/**
 * Moves deliveries from held to acknowledged.
 *
 * A delivery that the log hands out waits in its webhook's lane, at most 256 of them; then the webhook is parked, its
 * deliveries wait in the log, and the lane reads them back page by page when it has few left. In a lane, live events, due
 * retries and replays take turns, at most 4 in flight.
 *   sent, 2xx                → acknowledged as delivered
 *   sent, anything else      → retrying until the plan ends, then given up
 *   webhook invalid, gone or unreadable, or its app suspended → acknowledged as not sent
 *
 * While the log cannot commit what became of them, nothing is sent: what is in flight ends, and waits in memory to be recorded.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { log, clock, directory, post, retryPlanMs, logger, onGone } = options
  let heldBytes = 0
  let stopped = false
  /** The commit of the last attempt: its failure is reported. */
  let watched: Promise<void> | undefined

  const lanes = createLanes<Item>({ clock, perLane: IN_FLIGHT_PER_WEBHOOK, window: IN_FLIGHT_WINDOW, slowMs: SLOW_MS, run })

  const note = (delivery: Delivery, destination: Destination | Nowhere, attempt: Attempt, kind: Kind, nextAtMs: number | null) => {
    if (logger.isLevelEnabled('info')) logger.info(attemptLine(delivery, destination, attempt, kind, nextAtMs), 'attempt')
  }

  /** Never rejects: when the database does not answer, the work goes back to its lane for a second. */
  async function run(webhookId: string, item: Item, kind: Kind): Promise<void> {
    try {
      const destination = directory.get(webhookId) ?? (await directory.load(webhookId))
      const atMs = clock.now()
      if (isNowhere(destination)) return done(item, kind, destination, notSent(nowhere[destination], atMs))
      const reason = keptBack(destination)
      if (reason === APP_SUSPENDED || (reason && kind !== 'replay')) return done(item, kind, destination, notSent(reason, atMs))
      const outcome = await post(destination, bodyOf(item.delivery))
      const answer = outcome.kind === 'answered' ? outcome : undefined
      if (answer?.status === GONE) onGone(webhookId)
      const attempt = attemptOf(outcome, atMs)
      const isRetried = attempt.outcome === 'failed' && !item.replay && !(await isDeleted(webhookId))
      done(item, kind, destination, attempt, isRetried ? nextTry(item.delivery, answer?.headers['retry-after']) : null)
    } catch (error) {
      if (!isUnavailable(error)) {
        logger.error({ err: error, webhook_id: webhookId }, 'a delivery could not be made')
        return done(item, kind, 'unreadable', notSent(nowhere.unreadable, clock.now()))
      }
      if (!stopped) clock.after(AGAIN_MS, () => lanes.push(webhookId, kind, item))
    }
  }

  const isDeleted = async (webhookId: string) =>
    !directory.get(webhookId) && (await directory.load(webhookId).catch(() => undefined)) === 'missing'

  const nextTry = ({ attempts }: Delivery, retryAfter: string | undefined) =>
    nextTryMs(retryPlanMs, attempts + 1, clock.now(), retryAfterMs(retryAfter, clock.now()))

  function done(
    { delivery, replay }: Item,
    kind: Kind,
    destination: Destination | Nowhere,
    attempt: Attempt,
    nextAtMs: number | null = null,
  ) {
    const { webhookId } = delivery
    if (replay) {
      note(delivery, destination, attempt, kind, null)
      return replay(attempt)
    }
    heldBytes -= delivery.content.length
    note(delivery, destination, attempt, kind, nextAtMs)
    acknowledge(delivery, attempt, nextAtMs)
    retries.acknowledged(webhookId)
    if (readBack.isParked(webhookId) && lanes.waiting(webhookId, 'live') < FEW_HELD) void readBack.next(webhookId)
  }

  const notRecorded = (error: unknown) => logUnlessUnavailable(logger, error, 'attempts could not be recorded')

  /** A retry is waited for only once it is committed: before that the log would not find it. Attempts of one commit share a promise. */
  const acknowledge = (delivery: Delivery, attempt: Attempt, nextAtMs: number | null) => {
    const committed = log.acknowledge(delivery, attempt, nextAtMs)
    if (nextAtMs !== null) committed.then(() => retries.wakeAt(nextAtMs), notRecorded)
    else if (committed !== watched) committed.catch(notRecorded)
    watched = committed
  }

  const pushHeld = (delivery: Delivery, kind: Kind) => {
    heldBytes += delivery.content.length
    lanes.push(delivery.webhookId, kind, { delivery })
  }

  const retries = createDueRetries({
    log,
    clock,
    logger,
    hold: (delivery) => pushHeld(delivery, 'retry'),
    mayHoldMore: (webhookId) => lanes.waiting(webhookId, 'retry') < (heldBytes < MOST_HELD_BYTES ? MOST_RETRIES_HELD : 1),
  })

  const readBack = createReadBack({
    log,
    clock,
    logger,
    hold: (delivery) => pushHeld(delivery, 'live'),
    pageSize: () => (heldBytes < MOST_HELD_BYTES ? PAGE : IN_FLIGHT_PER_WEBHOOK),
  })

  const hold = (deliveries: readonly Delivery[]) => {
    const overflow = new Map<string, Delivery[]>()
    for (const delivery of deliveries) {
      const { webhookId } = delivery
      const full = lanes.waiting(webhookId, 'live') >= MOST_HELD || heldBytes >= MOST_HELD_BYTES
      if (overflow.has(webhookId)) overflow.get(webhookId)!.push(delivery)
      else if (full) overflow.set(webhookId, [delivery])
      else pushHeld(delivery, 'live')
    }
    for (const [webhookId, unsent] of overflow) {
      readBack.park(webhookId)
      log.park(webhookId, unsent)
      if (lanes.waiting(webhookId, 'live') === 0) void readBack.next(webhookId)
    }
  }

  const takeOver = async () => {
    const found = await log.recover()
    for (const webhookId of found.parked) {
      readBack.park(webhookId)
      void readBack.next(webhookId)
    }
    await retries.take()
  }

  let takingOver: Promise<void> | undefined
  const recover = () => {
    takingOver ??= takeOver().finally(() => {
      takingOver = undefined
    })
    return takingOver
  }

  /** What has come to light since a taking over began is the next one's. */
  const recoverLater = () => {
    if (stopped) return
    const underWay = takingOver?.catch(() => {})
    Promise.resolve(underWay)
      .then(recover)
      .catch((error) => {
        if (!isUnavailable(error)) logger.error({ err: error }, 'what a process left could not be taken over')
        clock.after(AGAIN_MS, recoverLater)
      })
  }

  const stalled = (error: unknown | null) => {
    if (error === null) lanes.resume()
    else lanes.pause()
    if (error === null) logger.info('attempts are recorded again')
    else if (isUnavailable(asUnavailable(error))) logger.info('attempts cannot be recorded: nothing is sent until they can')
    else logger.error({ err: error }, 'attempts cannot be recorded: nothing is sent until they can')
  }

  log.onHeld(hold)
  log.onWork(recoverLater)
  log.onStalled(stalled)

  return {
    start: recoverLater,
    replay: (delivery) => new Promise((done) => lanes.push(delivery.webhookId, 'replay', { delivery, replay: done })),
    clear() {
      const dropped = notSent('the event log was wiped', clock.now())
      for (const { replay } of lanes.clear()) replay?.(dropped)
      readBack.clear()
      heldBytes = 0
      retries.clear()
    },
    async stop() {
      stopped = true
      readBack.stop()
      retries.stop()
      await lanes.stop()
      await log.flush().catch(notRecorded)
    },
  }
}
