import { publicId, sequenceOf } from '../../lib/ids.ts'

/** The sequence number from which the log derived an event's uuid; undefined for a uuid of the producer. */
export function sequenceOfUuid(eventUuid: string): number | undefined {
  const sequence = sequenceOf(eventUuid)
  return sequence !== undefined && publicId(sequence) === eventUuid ? sequence : undefined
}
