import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { Consents } from '../storage/consents.ts'
import { type Attempt, type Delivery, type EventLog, RANGE_PAGE_BYTES } from '../storage/event-log.ts'
import { asUnavailable, isUnavailable, Unavailable } from '../storage/unavailable.ts'
import { notSent } from './attempt.ts'
import { type Destinations, isNoDestination } from './destinations.ts'
import { type AttemptOptions, createAttempts } from './dispatch/attempt-delivery.ts'
import { type Backlog, backlogOf } from './dispatch/backlog.ts'
import { changeState, createItem, type Item, isOpen } from './dispatch/item.ts'
import { createPostponed } from './dispatch/postponed.ts'
import { createRecorder } from './dispatch/record-attempts.ts'
import { createTakeOver } from './dispatch/take-over.ts'
import { type UnderWay, underWayOf } from './dispatch/under-way.ts'
import { createDueRetries, type DueRetries } from './due-retries.ts'
import type { Hold } from './hold.ts'
import type { WorkKind } from './lanes/lane.ts'
import { createLanes, type Lanes } from './lanes/lanes.ts'
import { createReadBack, type ReadBack } from './read-back.ts'
import type { Jitter } from './retry-plan.ts'
import type { SignedPost } from './signed-request.ts'

export const IN_FLIGHT_PER_WEBHOOK = 4
const IN_FLIGHT_WINDOW = 64
const SLOW_MS = 250

/** How many deliveries of one webhook are held in memory. With more the webhook is parked, and its deliveries wait in the log. */
const MAX_HELD = 256
/** With fewer held, the next page is read back. */
const READ_BACK_BELOW = 128
/** How many due retries of one webhook wait in memory; more are left in the log. */
const MAX_RETRIES_HELD = 64
const PAGE = 256
/** How much content all webhooks together hold in memory. */
const MAX_HELD_BYTES = 64 * 1024 * 1024

export interface DispatcherOptions {
  log: EventLog
  clock: Clock
  destinations: Destinations
  consents: Consents
  post: SignedPost
  /** Milliseconds before each retry. */
  retryPlanMs: readonly number[]
  retryJitter: Jitter
  /** While it is held, deliveries wait. */
  hold?: Pick<Hold, 'since' | 'onRelease'>
  logger: Logger
  /** What else the log line of a failed attempt says. */
  explains?: (attempt: Attempt) => Record<string, string>
  /** Called when a callback answered 410, to challenge the webhook at once. */
  onGone: (webhookId: string) => void
  /** Told of each attempt, and whether it ended the delivery. */
  attempted?: AttemptListener
}

/** An attempt of this delivery; `nextAtMs` is when the next one is due, if any. */
export interface AttemptAbout {
  delivery: Delivery
  nextAtMs: number | null
  /** Whose webhook it is; undefined where that was not found. */
  appId: string | undefined
  /** The length of the body, 0 where none was sent. */
  sentBytes: number
}

export type AttemptListener = (attempt: Attempt, kind: WorkKind, isLast: boolean, about: AttemptAbout) => void

export interface Dispatcher {
  /** Starts taking over the deliveries that no live process holds. */
  start(): void
  /**
   * Sends one event of a replay, within the webhook's limit in flight. Rejects with `Unavailable` if this process was frozen or cut off: another
   * one may have the job.
   */
  replay(delivery: Delivery): Promise<Attempt>
  /** Takes due retries, when something else than an attempt has made some due. */
  takeDue(): Promise<void>
  /** Finds out when the next retry of any process is due, when another one may have planned some. */
  lookAhead(): Promise<void>
  /** Whether the webhook holds as many due retries as it may: the others stay in the log. */
  isSkipped(webhookId: string): boolean
  backlog(): Backlog
  /** What is in flight or waits in memory, one by one. */
  underWay(): UnderWay
  /** Drops everything that is held or in flight, because the log is replaced. */
  clear(): void
  /** Waits for the attempts in flight. The rest stays in the log. */
  stop(): Promise<void>
}

/** The deliveries that this process holds: their lanes, and the size of their content. */
interface Held {
  lanes: Lanes<Item>
  bytes: number
  /** For the pages that are being read. */
  reservedBytes: number
}

const hasMemory = ({ bytes, reservedBytes }: Held) => bytes + reservedBytes < MAX_HELD_BYTES

/** Reserves memory for each page while it is read: the pages of many webhooks are read at the same time. */
const reserving = (log: EventLog, held: Held): Pick<EventLog, 'read'> => ({
  async read(webhookId, limit) {
    const bytes = (limit / PAGE) * RANGE_PAGE_BYTES
    held.reservedBytes += bytes
    try {
      return await log.read(webhookId, limit)
    } finally {
      held.reservedBytes -= bytes
    }
  },
})

function push(held: Held, delivery: Delivery, kind: WorkKind) {
  held.bytes += delivery.content.length
  held.lanes.push(delivery.webhookId, kind, createItem(delivery))
}

/** Reads what waits of parked webhooks. Without memory it is as much of each as may be in flight. */
const readBackInto = (held: Held, { log, clock, logger }: Pick<DispatcherOptions, 'log' | 'clock' | 'logger'>): ReadBack =>
  createReadBack({
    log: reserving(log, held),
    clock,
    logger,
    hold: (delivery) => push(held, delivery, 'live'),
    pageSize: () => (hasMemory(held) ? PAGE : IN_FLIGHT_PER_WEBHOOK),
  })

/** Puts deliveries into their lanes. A webhook with too many is parked: the rest waits in the log. */
function hold(held: Held, deliveries: readonly Delivery[], log: EventLog, readBack: ReadBack) {
  const overflow = new Map<string, Delivery[]>()
  for (const delivery of deliveries) {
    const { webhookId } = delivery
    const isFull = held.lanes.waiting(webhookId, 'live') >= MAX_HELD || !hasMemory(held)
    if (overflow.has(webhookId)) overflow.get(webhookId)!.push(delivery)
    else if (isFull) overflow.set(webhookId, [delivery])
    else push(held, delivery, 'live')
  }
  for (const [webhookId, unsent] of overflow) {
    readBack.park(webhookId)
    log.park(webhookId, unsent)
    if (held.lanes.waiting(webhookId, 'live') === 0) void readBack.next(webhookId)
  }
}

/** Pauses sending while attempts cannot be committed, and in a copy that is held. */
function pauseAtTimes(lanes: Lanes<Item>, log: EventLog, logger: Logger, copy: DispatcherOptions['hold']) {
  let isStalled = false
  const update = () => (isStalled || copy?.since() !== undefined ? lanes.pause() : lanes.resume())
  update()
  copy?.onRelease(update)
  log.onStalled((error) => {
    isStalled = error !== null
    update()
    if (error === null) logger.info('the event log accepts attempts again: sending resumes')
    else if (isUnavailable(asUnavailable(error))) logger.info('cannot record attempts in the event log: sending is paused')
    else logger.error({ err: error }, 'cannot record attempts in the event log: sending is paused')
  })
}

/** Another process takes over what was dropped. Returns how many of them were held. */
function lose(dropped: readonly Item[], logger: Logger): number {
  for (const { replay } of dropped) replay?.failed(new Unavailable('Another process takes over the work of this one.'))
  const { length: replayed } = dropped.filter(({ replay }) => replay)
  const deliveries = dropped.length - replayed
  if (dropped.length > 0)
    logger.warn(
      { deliveries, replayed },
      'this process was frozen or cut off, and another one takes over its deliveries: it has dropped them',
    )
  return deliveries
}

async function takeOver(log: EventLog, readBack: ReadBack, retries: DueRetries) {
  const { parked } = await log.recover()
  for (const webhookId of parked) {
    readBack.park(webhookId)
    void readBack.next(webhookId)
  }
  // Nothing is due most of the time: a look takes less than a claim.
  const nextAtMs = await log.nextDueMs([])
  if (nextAtMs !== undefined) retries.wakeAt(nextAtMs)
}

/**
 * Moves deliveries from held to acknowledged.
 *
 * A delivery from the log waits in its webhook's lane, which has room for 256. When it is full, the webhook is parked: its deliveries wait
 * in the log and are read back page by page when the lane has few left. In a lane, live events, due retries and replays take turns, with
 * at most 4 in flight.
 *   sent, 2xx            → acknowledged as delivered
 *   sent, anything else  → retrying until the plan ends, then given up
 *   webhook invalid, deleted or unreadable, or its app suspended → acknowledged as not sent
 *   private, and its user's consent revoked → acknowledged as not sent
 *
 * While the log cannot commit attempts, nothing is sent. Attempts in flight end, and wait in memory to be recorded.
 */
export function createDispatcher({
  log,
  clock,
  logger,
  explains,
  attempted = () => {},
  hold: copy,
  ...sending
}: DispatcherOptions): Dispatcher {
  const ended: AttemptOptions['ended'] = (item, kind, destination, attempt, nextAtMs, sentBytes = 0) => {
    if (item.state === 'dropped') return
    const { delivery, replay } = item
    changeState(item, 'ended')
    const appId = isNoDestination(destination) ? undefined : destination.appId
    attempted(attempt, kind, nextAtMs === null && !replay, { delivery, nextAtMs, appId, sentBytes })
    recorder.note(delivery, attempt, { kind, destination, nextAtMs })
    if (replay) return replay.ended(attempt)
    const { webhookId, content } = delivery
    held.bytes -= content.length
    recorder.acknowledge(delivery, attempt, nextAtMs)
    retries.acknowledged(webhookId)
    if (readBack.isParked(webhookId) && held.lanes.waiting(webhookId, 'live') < READ_BACK_BELOW) void readBack.next(webhookId)
  }

  const postponed = createPostponed(clock, (...work) => lanes.push(...work))
  const run = createAttempts({ clock, logger, confirmHeld: log.confirmHeld, ...sending, ended, postpone: postponed.postpone })
  const lanes = createLanes<Item>({ clock, perLane: IN_FLIGHT_PER_WEBHOOK, window: IN_FLIGHT_WINDOW, slowMs: SLOW_MS, run })
  const held: Held = { lanes, bytes: 0, reservedBytes: 0 }
  const retries = createDueRetries({
    log,
    clock,
    logger,
    hold: (delivery) => push(held, delivery, 'retry'),
    mayHoldMore: (webhookId) => lanes.waiting(webhookId, 'retry') < (hasMemory(held) ? MAX_RETRIES_HELD : 1),
  })
  const readBack = readBackInto(held, { log, clock, logger })
  const recorder = createRecorder({ log, logger, explains, retryAt: retries.wakeAt })
  const taking = createTakeOver({ takeOver: () => takeOver(log, readBack, retries), clock, logger })

  /** Drops what waits or is in flight: all, or what is lost. */
  const drop = (isLost: (delivery: Delivery) => boolean = () => true): Item[] => {
    const isDropped = ({ delivery }: Item) => isLost(delivery)
    const inFlight = [...lanes.all()].flatMap(({ running }) => running.map(([, item]) => item)).filter(isDropped)
    // A request that was dropped, or has just ended, is in flight until its lane hears of it.
    return [...lanes.clear(isDropped), ...postponed.clear(isDropped), ...inFlight].filter((item) => {
      if (!isOpen(item)) return false
      changeState(item, 'dropped')
      if (!item.replay) held.bytes -= item.delivery.content.length
      return true
    })
  }

  log.onHeld((deliveries) => hold(held, deliveries, log, readBack))
  log.onWork(taking.wake)
  pauseAtTimes(lanes, log, logger, copy)
  log.onLost((isLost) => {
    const deliveries = lose(drop(isLost), logger)
    retries.clear()
    readBack.nextOfAll()
    return deliveries
  })

  return {
    start: taking.wake,
    replay: (delivery) => new Promise((ended, failed) => lanes.push(delivery.webhookId, 'replay', createItem(delivery, { ended, failed }))),
    takeDue: retries.take,
    lookAhead: retries.lookAhead,
    isSkipped: retries.isSkipped,
    backlog: () => backlogOf(lanes.all(), postponed.waiting),
    underWay: () => underWayOf({ lanes, postponed, readBack }),
    clear() {
      const attempt = notSent('the event log was wiped', clock.now())
      for (const { replay } of drop()) replay?.ended(attempt)
      readBack.clear()
      retries.clear()
    },
    async stop() {
      postponed.stop()
      taking.stop()
      readBack.stop()
      retries.stop()
      await lanes.stop()
      await recorder.flush()
    },
  }
}
