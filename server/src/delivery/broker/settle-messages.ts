import type { Logger } from 'pino'
import { type Clock, endOfTurn } from '../../lib/clock.ts'
import type { BrokerCounts } from '../../metrics/broker-counts.ts'
import { isUnavailable } from '../../storage/unavailable.ts'
import type { PublishedEvent, Publisher } from '../publish.ts'
import type { SourceMessage } from './event-source.ts'
import { messageUuid } from './message-uuid.ts'
import { createRefusals, type RefusalOptions } from './refused-messages.ts'

/** What a message says: its events, or why it can never be published, as sentences. */
export type ReadMessage = { events: PublishedEvent[] } | { refusal: string }

export interface SettleOptions extends RefusalOptions {
  /** Reads a body as a call that publishes would be read. */
  read: (body: Buffer) => Promise<ReadMessage>
  publisher: Publisher
  counts: BrokerCounts
  clock: Clock
  logger: Logger
}

/**
 * Settles messages, and removes from `left` those that are. Throws `NothingAccepted`, or an error of a database, with the rest in it, which is
 * to be given back.
 */
export type SettleMessages = (left: Set<SourceMessage>) => Promise<void>

/** No event can be accepted now. */
export class NothingAccepted extends Error {}

/** So many events are published together: as many as a call may have. */
const MOST_EVENTS = 1_000

/** Bodies of so many bytes are read before others are let pass. */
const SLICE_BYTES = 128 * 1024

/** A message with what it says. */
interface Item {
  message: SourceMessage
  events: PublishedEvent[]
}

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

/** What becomes of messages while they are published. */
interface Outcomes {
  accepted(message: SourceMessage): void
  refused(message: SourceMessage, error: unknown): Promise<void>
}

/** Makes what publishes items in their order, and accepts each message once its events are durable. */
function createPublish({ publisher, counts, clock }: SettleOptions, canAccept: () => Promise<boolean>) {
  const publishTogether = async (items: readonly Item[], { accepted }: Outcomes) => {
    const published = await publisher.publish(items.flatMap(named))
    let place = 0
    for (const { message, events } of items) {
      const isRepeated = published.slice(place, place + events.length).every(({ repeated }) => repeated)
      place += events.length
      message.accept()
      counts.settled(isRepeated ? 'repeated' : 'accepted')
      counts.accepted(clock.now() - message.receivedAtMs)
      accepted(message)
    }
  }

  /** Publishes items together. Where that is refused, halves of them, so that one that is refused keeps no other back. */
  return async function publish(items: readonly Item[], outcomes: Outcomes): Promise<void> {
    try {
      return await publishTogether(items, outcomes)
    } catch (error) {
      if (isUnavailable(error) && !(await canAccept())) throw new NothingAccepted()
      if (items.length === 1) return outcomes.refused(items[0]!.message, error)
    }
    const half = items.length >> 1
    await publish(items.slice(0, half), outcomes)
    await publish(items.slice(half), outcomes)
  }
}

/** Makes what settles messages: they are published, or given back, or kept for operators. */
export function createSettleMessages(options: SettleOptions, canAccept: () => Promise<boolean>): SettleMessages {
  const { read, counts } = options
  const { park, refuse } = createRefusals(options)
  const publish = createPublish(options, canAccept)

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

  return async (left) => {
    const { items, refused } = await readAll(left)
    const outcomes: Outcomes = {
      accepted: (message) => left.delete(message),
      async refused(message, error) {
        await refuse(message, error)
        left.delete(message)
      },
    }
    for (const group of grouped(items)) await publish(group, outcomes)
    for (const [message, settleAlone] of refused) {
      await settleAlone()
      left.delete(message)
    }
  }
}
