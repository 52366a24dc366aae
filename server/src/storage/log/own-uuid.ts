import { publicId, sequenceOf } from '../../lib/ids.ts'

/** The number of the event that was given this uuid by the log itself, if it is one of those at all. */
export function ownSequence(eventUuid: string): number | undefined {
  const sequence = sequenceOf(eventUuid)
  return sequence !== undefined && publicId(sequence) === eventUuid ? sequence : undefined
}
