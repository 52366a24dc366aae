import type { Clock } from '../../../lib/clock.ts'
import { publicId } from '../../../lib/ids.ts'
import type { CommitListener, Delivery } from '../../event-log.ts'
import type { Ack } from '../ack.ts'
import { Batcher } from '../batcher.ts'
import type { Coverage } from './coverage.ts'
import { type Entry, packBatch } from './pack-batch.ts'
import type { WriterChannel } from './writer-channel.ts'

/** An event on its way into the log. `repeated` becomes true when its uuid turns out to be known. */
export interface Pending extends Entry {
  repeated: boolean
}

interface Parts {
  clock: Clock
  writer: WriterChannel
  coverage: Coverage
  held(deliveries: Delivery[]): void
  stalled(error: unknown | null): void
  committed: CommitListener
}

/** A buffer larger than this is not kept for the next batch. */
const SPARE_BYTES = 4 << 20

export const uuidOf = ({ sequence, event }: Entry) => event.eventUuid ?? publicId(sequence)

/** Joins group commit with the writer's thread: what is committed is handed out or waits, as the coverage says. */
export function commitBatches({ clock, writer, coverage, held, stalled, committed }: Parts): Batcher<Pending, Ack> {
  let spare: ArrayBuffer | undefined

  /** The places of the entries whose uuid was known. A failure leaves to the next batch what this one was to write of the state. */
  const write = async (entries: readonly Entry[], acks: readonly Ack[]) => {
    const marks = coverage.marks()
    const packed = packBatch(entries, acks, spare)
    spare = undefined
    try {
      const answer = await writer.call('commit', { packed, entries: entries.length, acks: acks.length, marks }, [packed])
      if (answer.packed.byteLength <= SPARE_BYTES) spare = answer.packed
      coverage.written(marks)
      return answer.repeated
    } catch (error) {
      coverage.unwritten(marks)
      throw error
    }
  }

  const hold = (entry: Pending, deliveries: Delivery[]) => {
    const { sequence, event } = entry
    const { eventType, content } = event
    for (const { webhookId, match, notSent } of event.targets) {
      if (notSent !== undefined || coverage.isParked(webhookId)) continue
      coverage.hold(webhookId, sequence)
      deliveries.push({ sequence, eventUuid: uuidOf(entry), eventType, webhookId, match, content, attempts: 0 })
    }
  }

  const commit = async (entries: Pending[], acks: Ack[]) => {
    for (const place of await write(entries, acks)) entries[place]!.repeated = true
    const last = entries.at(-1)
    if (!last) return
    coverage.committed(last.sequence)
    const deliveries: Delivery[] = []
    for (const entry of entries) if (!entry.repeated) hold(entry, deliveries)
    if (deliveries.length > 0) held(deliveries)
  }

  return new Batcher<Pending, Ack>(clock, commit, stalled, committed)
}
