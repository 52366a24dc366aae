import { publicId, sequenceOf } from '../../lib/ids.ts'

/** The sequence number that an event's uuid was made from by the log itself; undefined for one that the producer gave. */
export function sequenceOfUuid(eventUuid: string): number | undefined {
  const sequence = sequenceOf(eventUuid)
  return sequence !== undefined && publicId(sequence) === eventUuid ? sequence : undefined
}
