import { publicId } from '../../lib/ids.ts'
import type { NewEvent, StreamEntry } from '../event-log.ts'

/** Adds the entries of an event that was committed. */
export function streamEntriesOf({ streams, eventUuid, eventType, userId, content }: NewEvent, sequence: number, found: StreamEntry[]) {
  if (streams === undefined) return
  const event = { sequence, eventUuid: eventUuid ?? publicId(sequence), eventType, userId, content }
  for (const target of streams) found.push({ ...event, ...target })
}
