import { randomInt } from 'node:crypto'
import type { Clock } from './clock.ts'

/** 2010-01-01. Ids and sequence numbers count milliseconds from here, so that 41 bits last until 2079. */
export const ID_EPOCH_MS = 1_262_304_000_000

const SEQUENCE_SPACE = 4096
const SUFFIX_BITS = 10n

/** How many processes can share one database. Worker numbers are below this. */
export const WORKER_LIMIT = 64

/**
 * Generates unique numbers that grow with time: milliseconds since the epoch times 4096, plus a counter. They are below 2^53, so they are
 * exact as JavaScript numbers. With `workerBits` the low bits are divided between that many processes.
 */
export function createSequence(clock: Clock, worker = 0, workerBits = 0) {
  const perMs = SEQUENCE_SPACE >> workerBits
  let last = -1
  const passedOver = new Set<number>()
  let lowestOffsetMs = 0
  const following = () => {
    const tick = (clock.now() - ID_EPOCH_MS) * perMs
    last = tick > last ? tick : last + 1
    return Math.floor(last / perMs) * SEQUENCE_SPACE + worker * perMs + (last % perMs)
  }
  return {
    next(): number {
      let sequence = following()
      while (passedOver.has(sequence)) sequence = following()
      return sequence
    },
    /** Begins at the clock's time again: all events were deleted, or replaced by earlier ones. */
    restart() {
      last = -1
      lowestOffsetMs = Math.min(lowestOffsetMs, clock.offset())
      // The clock may go back again to the machine's time, or as far behind it as it was set before.
      const earliest = sequenceAt(clock.now() - clock.offset() + lowestOffsetMs)
      for (const sequence of passedOver) if (sequence < earliest) passedOver.delete(sequence)
    },
    /** Never returns these numbers: they were used while the clock was ahead. */
    passOver(used: readonly number[]) {
      for (const sequence of used) passedOver.add(sequence)
    },
    /** Makes every later number greater than `seen`, for a file that was written with a clock ahead of this one. */
    skipPast(seen: number) {
      last = Math.max(last, (Math.floor(seen / SEQUENCE_SPACE) + 1) * perMs)
    },
  }
}

/** The most that `randomInt` takes. */
const REQUEST_IDS_FROM = 2 ** 48 - 1

/** Generates numbers that another process hardly has: they count from a random one of 48 bits, and stay below 2^53. */
export function createRequestIds(): () => number {
  let last = randomInt(REQUEST_IDS_FROM)
  return () => {
    last += 1
    return last
  }
}

export type Sequence = ReturnType<typeof createSequence>

/** The worker of the column `sequence`, in SQL. */
export const WORKER_OF_SEQUENCE = `sequence % ${SEQUENCE_SPACE} / ${SEQUENCE_SPACE / WORKER_LIMIT}`

/** The smallest sequence number of a time, so that a range of time is a range of numbers. */
export const sequenceAt = (ms: number): number => Math.max(0, ms - ID_EPOCH_MS) * SEQUENCE_SPACE

/** The time, in milliseconds since 1970, at which a sequence number was generated. */
export const momentOf = (sequence: number): number => Math.floor(sequence / SEQUENCE_SPACE) + ID_EPOCH_MS

/** The public id that belongs to a sequence number: up to 19 digits, growing with time (`^[0-9]{1,19}$`, §2.1). */
export const publicId = (sequence: number, suffix = 0): string => ((BigInt(sequence) << SUFFIX_BITS) + BigInt(suffix)).toString()

/** The sequence number in a public id; undefined if the id cannot be one of Postern's. */
export function sequenceOf(id: string): number | undefined {
  if (!/^[0-9]{1,19}$/.test(id)) return undefined
  const sequence = BigInt(id) >> SUFFIX_BITS
  return sequence > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(sequence)
}

/** Generates public ids, unique over all processes that share a database. */
export function createIds(clock: Clock, worker = 0) {
  const sequence = createSequence(clock, worker, Math.log2(WORKER_LIMIT))
  return {
    next: () => publicId(sequence.next()),
    /** The uuid of an event that has one before the log has it: none that the log derives from its own numbers, whose suffix is 0. */
    nextEventUuid: () => publicId(sequence.next(), 1),
    /** An id for the advertising API: base 36, in lower case. */
    nextBase36: () => sequence.next().toString(36),
  }
}
export type Ids = ReturnType<typeof createIds>
