import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import type { Ids } from '../../lib/ids.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/time.ts'
import type { BrokerCounts } from '../../metrics/broker-counts.ts'
import { MOST_PARKED, MOST_PARKED_BYTES, type ParkedMessageStore } from '../../storage/parked-messages.ts'
import { isUnavailable } from '../../storage/unavailable.ts'
import type { SourceMessage } from './event-source.ts'

export interface RefusalOptions {
  parked: Pick<ParkedMessageStore, 'park'>
  ids: Pick<Ids, 'next'>
  counts: BrokerCounts
  clock: Clock
  logger: Logger
}

/** Until a message comes again that was refused while others were accepted, at first and at most. */
const FIRST_DELAY_MS = SECOND_MS
const LONGEST_DELAY_MS = MINUTE_MS

/** Until a message comes again for which there was no room among the parked ones. */
const NO_ROOM_DELAY_MS = 5 * MINUTE_MS

/** A message with which something fails that never should is tried so often. */
const MOST_TRIES = 5

const delayOf = ({ deliveries }: SourceMessage) => Math.min(FIRST_DELAY_MS * 2 ** Math.min(deliveries - 1, 10), LONGEST_DELAY_MS)

/** What is done about messages whose events are not accepted. */
export function createRefusals({ parked, ids, counts, clock, logger }: RefusalOptions) {
  let isFullTold = false

  const later = (message: SourceMessage, ms: number) => {
    message.giveBack(ms)
    counts.settled('given_back')
  }

  /** Discards a message once it is kept for operators. */
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

  /** Of a message that was refused alone, although others are accepted. */
  const refuse = async (message: SourceMessage, error: unknown) => {
    if (isUnavailable(error)) return later(message, delayOf(message))
    logger.error({ err: error, stream: message.stream, sequence: message.sequence }, 'could not publish a message of the broker')
    if (message.deliveries < MOST_TRIES) return later(message, delayOf(message))
    await park(message, 'An unexpected error, which the log of the server has.')
  }

  return { park, refuse }
}
