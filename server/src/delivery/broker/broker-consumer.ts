import type { Logger } from 'pino'
import { type Clock, endOfTurn, type Timer } from '../../lib/clock.ts'
import type { Ids } from '../../lib/ids.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/time.ts'
import type { BrokerCounts } from '../../metrics/broker-counts.ts'
import { MOST_PARKED, MOST_PARKED_BYTES, type ParkedMessageStore } from '../../storage/parked-messages.ts'
import { isUnavailable, logUnlessUnavailable } from '../../storage/unavailable.ts'
import type { Hold } from '../hold.ts'
import type { PublishedEvent, Publisher } from '../publish.ts'
import type { BrokerState } from './broker-state.ts'
import type { EventSource, SourceMessage } from './event-source.ts'
import { messageUuid } from './message-uuid.ts'

/** What a message says: its events, or why it can never be published, as sentences. */
export type ReadMessage = { events: PublishedEvent[] } | { refusal: string }

export interface BrokerConsumerOptions {
  source: EventSource
  /** Reads a body as a call that publishes would be read. */
  read: (body: Buffer) => Promise<ReadMessage>
  publisher: Publisher
  /** Rejects while no event can be accepted, because a database is away or full. */
  probe: () => Promise<unknown>
  parked: Pick<ParkedMessageStore, 'park'>
  ids: Pick<Ids, 'next'>
  hold: Pick<Hold, 'since' | 'onRelease'>
  counts: BrokerCounts
  clock: Clock
  logger: Logger
}

export interface BrokerConsumer {
  start(): void
  state(): BrokerState
  /** Takes nothing more, and finishes or gives back what was taken. */
  stop(): Promise<void>
}

/** So many events are published together: as many as a call may have. */
const MOST_EVENTS = 1_000

/** Until the event log is asked again whether it can be written, at first and at most. */
const FIRST_PAUSE_MS = SECOND_MS
const LONGEST_PAUSE_MS = 30 * SECOND_MS

/** Until a message comes again that the log refused while it took others, at first and at most. */
const FIRST_DELAY_MS = SECOND_MS
const LONGEST_DELAY_MS = MINUTE_MS

/** Until a message comes again for which there was no room among the parked ones. */
const NO_ROOM_DELAY_MS = 5 * MINUTE_MS

/** A message with which something fails that never should is tried so often. */
const MOST_TRIES = 5

/** Bodies of so many bytes are read before others are let pass. */
const SLICE_BYTES = 128 * 1024

/** A message with what it says. */
interface Item {
  message: SourceMessage
  events: PublishedEvent[]
}

/** Nothing can be accepted: all that was taken is given back. */
class LogAway extends Error {}

const delayOf = ({ deliveries }: SourceMessage) => Math.min(FIRST_DELAY_MS * 2 ** Math.min(deliveries - 1, 10), LONGEST_DELAY_MS)

/** Items in their order, in groups of up to so many events; a message is never split. */
function grouped(items: readonly Item[]): Item[][] {
  const groups: Item[][] = []
  let events = MOST_EVENTS
  for (const item of items) {
    events += item.events.length
    if (events > MOST_EVENTS) {
      groups.push([])
      events = item.events.length
    }
    groups.at(-1)!.push(item)
  }
  return groups
}

const named = ({ message, events }: Item): PublishedEvent[] =>
  events.map((event, place) => (event.eventUuid === undefined ? { ...event, eventUuid: messageUuid(message, place) } : event))

/**
 * Publishes the events of a broker's messages, in the order of the stream. A message is accepted once its events are durable in the log. One
 * that can never be published is parked, for operators, and then discarded. While no event can be accepted, nothing is taken.
 */
export function createBrokerConsumer(options: BrokerConsumerOptions): BrokerConsumer {
  const { source, read, publisher, probe, parked, ids, hold, counts, clock, logger } = options
  let isStopped = false
  let isPaused = false
  let pauseMs = 0
  let timer: Timer | undefined
  /** Ends what it waits for. */
  let wake = () => {}
  let running: Promise<void> = Promise.resolve()
  let isFullTold = false

  const wait = (ms: number | undefined) =>
    new Promise<void>((resolve) => {
      wake = resolve
      if (isStopped) resolve()
      else if (ms !== undefined) timer = clock.after(ms, resolve)
    }).finally(() => timer?.cancel())

  const isWritable = () =>
    probe().then(
      () => true,
      () => false,
    )

  const assertWritable = async () => {
    if (!(await isWritable())) throw new LogAway()
  }

  const later = (message: SourceMessage, ms: number) => {
    message.giveBack(ms)
    counts.settled('given_back')
  }

  const accepted = (message: SourceMessage, isRepeated: boolean) => {
    message.accept()
    counts.settled(isRepeated ? 'repeated' : 'accepted')
    counts.accepted(clock.now() - message.receivedAtMs)
  }

  const park = async (message: SourceMessage, reason: string) => {
    const { stream, streamLife, sequence, subject, body, receivedAtMs } = message
    const content = body.toString('utf8', 0, MOST_PARKED_BYTES)
    // Without the reason, which may quote what only operators shall read.
    const about = { stream, sequence, subject, bytes: body.length }
    const row = { ...about, id: ids.next(), reason, content, receivedAtMs, parkedAtMs: clock.now() }
    if (await parked.park(row, streamLife)) {
      message.discard()
      counts.settled('parked')
      isFullTold = false
      return logger.warn(about, 'a message of the broker can never be published: it is parked')
    }
    if (!isFullTold) logger.error(about, `a message of the broker cannot be parked: ${MOST_PARKED} are; it stays at the broker`)
    isFullTold = true
    later(message, NO_ROOM_DELAY_MS)
  }

  /** What is done about a message whose events were refused although others are accepted. */
  const refuse = async (message: SourceMessage, error: unknown) => {
    if (isUnavailable(error)) return later(message, delayOf(message))
    logger.error({ err: error, stream: message.stream, sequence: message.sequence }, 'could not publish a message of the broker')
    if (message.deliveries < MOST_TRIES) return later(message, delayOf(message))
    await park(message, 'An unexpected error, which the log of the server has.')
  }

  const publishTogether = async (items: readonly Item[]) => {
    const published = await publisher.publish(items.flatMap(named))
    let place = 0
    for (const { message, events } of items) {
      const isRepeated = published.slice(place, place + events.length).every(({ repeated }) => repeated)
      place += events.length
      accepted(message, isRepeated)
    }
  }

  /** Publishes items together. Where that is refused, halves of them, so that one that is refused keeps no other back. */
  const publish = async (items: readonly Item[], left: Set<SourceMessage>): Promise<void> => {
    try {
      await publishTogether(items)
    } catch (error) {
      if (isUnavailable(error)) await assertWritable()
      if (items.length > 1) {
        const half = items.length >> 1
        await publish(items.slice(0, half), left)
        return publish(items.slice(half), left)
      }
      await refuse(items[0]!.message, error)
    }
    for (const { message } of items) left.delete(message)
  }

  /** What messages say, and what is done about those that say nothing that can be published. */
  const readAll = async (messages: Iterable<SourceMessage>) => {
    const items: Item[] = []
    const refused: [SourceMessage, () => Promise<void>][] = []
    let bytes = 0
    for (const message of messages) {
      counts.taken(message.deliveries)
      try {
        const said = await read(message.body)
        if ('events' in said) items.push({ message, events: said.events })
        else refused.push([message, () => park(message, said.refusal)])
      } catch (error) {
        refused.push([message, () => refuse(message, error)])
      }
      bytes += message.body.length
      if (bytes < SLICE_BYTES) continue
      bytes = 0
      await endOfTurn()
    }
    return { items, refused }
  }

  /** Settles messages. Throws `LogAway`, or an error of the database, with those that are not settled in `left`. */
  const settle = async (left: Set<SourceMessage>) => {
    const { items, refused } = await readAll(left)
    for (const group of grouped(items)) await publish(group, left)
    for (const [message, settleAlone] of refused) {
      await settleAlone()
      left.delete(message)
    }
  }

  /** Until the log can be written again, and this is no held copy. */
  const pause = async () => {
    isPaused = true
    while (!isStopped) {
      if (hold.since() !== undefined) {
        await wait(undefined)
        continue
      }
      pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, pauseMs * 2), LONGEST_PAUSE_MS)
      await wait(pauseMs)
      if (await isWritable()) break
    }
    isPaused = false
  }

  const consume = async () => {
    if (hold.since() !== undefined) await pause()
    while (!isStopped) {
      const left = new Set(await source.take())
      try {
        await settle(left)
        pauseMs = 0
      } catch (error) {
        if (!(error instanceof LogAway)) logUnlessUnavailable(logger, error, 'could not settle messages of the broker')
        for (const _ of left) counts.settled('given_back')
        await source.giveBack([...left])
        if (!isStopped) await pause()
      }
    }
  }

  return {
    start() {
      hold.onRelease(() => wake())
      running = consume()
    },
    state: () => (isPaused ? 'paused' : source.isConnected() ? 'consuming' : 'away'),
    async stop() {
      isStopped = true
      wake()
      await source.stop()
      await running
      await source.close()
    },
  }
}
