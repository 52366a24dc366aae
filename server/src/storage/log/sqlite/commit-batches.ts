import type { Clock } from '../../../lib/clock.ts'
import { publicId } from '../../../lib/ids.ts'
import type { CommitListener, Delivery, StreamEntry, StreamListener } from '../../event-log.ts'
import type { Ack } from '../ack.ts'
import { Batcher } from '../batcher.ts'
import { streamEntriesOf } from '../stream-entries.ts'
import type { DeliveryTracker } from './delivery-tracker.ts'
import { type Entry, packBatch } from './pack-batch.ts'
import type { WriterChannel } from './writer-channel.ts'

/** An event on its way into the log. `repeated` is set when the commit finds that its uuid exists already. */
export interface Pending extends Entry {
  repeated: boolean
}

interface Parts {
  clock: Clock
  writer: WriterChannel
  tracker: DeliveryTracker
  held(deliveries: Delivery[]): void
  stream(): StreamListener
  stalled(error: unknown | null): void
  committed: CommitListener
}

/** A larger buffer is not reused for the next batch. */
const MAX_SPARE_BYTES = 4 << 20

export const uuidOf = ({ sequence, event }: Entry) => event.eventUuid ?? publicId(sequence)

/** Connects the batcher with the writer thread. Committed deliveries are handed out, or wait in the log if their webhook is parked. */
export function commitBatches({ clock, writer, tracker, held, stream, stalled, committed }: Parts): Batcher<Pending, Ack> {
  let spare: ArrayBuffer | undefined

  /** Returns the indexes of the entries whose uuid exists already. After a failure the next batch writes the marks. */
  const write = async (entries: readonly Entry[], acks: readonly Ack[]) => {
    const marks = tracker.marks()
    const packed = packBatch(entries, acks, spare)
    spare = undefined
    try {
      const answer = await writer.call('commit', { packed, entries: entries.length, acks: acks.length, marks }, [packed])
      if (answer.packed.byteLength <= MAX_SPARE_BYTES) spare = answer.packed
      tracker.written(marks)
      return answer.repeated
    } catch (error) {
      tracker.unwritten(marks)
      throw error
    }
  }

  const hold = (entry: Pending, deliveries: Delivery[]) => {
    const { sequence, event } = entry
    const { eventType, content, traceparent } = event
    const traced = traceparent !== undefined && { traceparent }
    for (const { webhookId, match, notSent } of event.targets) {
      if (notSent !== undefined || tracker.isParked(webhookId)) continue
      tracker.hold(webhookId, sequence)
      deliveries.push({ sequence, eventUuid: uuidOf(entry), eventType, webhookId, match, content, attempts: 0, ...traced })
    }
  }

  const commit = async (entries: Pending[], acks: Ack[]) => {
    for (const index of await write(entries, acks)) entries[index]!.repeated = true
    const last = entries.at(-1)
    if (!last) return
    tracker.committed(last.sequence)
    const deliveries: Delivery[] = []
    for (const entry of entries) if (!entry.repeated) hold(entry, deliveries)
    if (deliveries.length > 0) held(deliveries)
    const streamed: StreamEntry[] = []
    for (const entry of entries) if (!entry.repeated) streamEntriesOf(entry.event, entry.sequence, streamed)
    if (streamed.length > 0) stream().committed(streamed)
  }

  return new Batcher<Pending, Ack>(clock, commit, stalled, committed)
}
