import type { Clock } from '../../../lib/clock.ts'
import { type Sequence, sequenceAt } from '../../../lib/ids.ts'
import type { Snapshots } from '../../snapshots.ts'
import type { Batcher } from '../batcher.ts'
import type { DeliveryTracker } from './delivery-tracker.ts'
import type { LogState } from './writer.ts'
import type { WriterChannel } from './writer-channel.ts'

export interface LogSnapshotOptions {
  writer: WriterChannel
  tracker: DeliveryTracker
  batcher: Pick<Batcher<never, never>, 'betweenCommits'>
  clock: Clock
  sequence: Sequence
  /** Told of the state of the restored log: what was never tried is to be recovered again. */
  restored(state: LogState): void
}

/** Copies of the event log on SQLite, made by the thread that writes it. */
export const createLogSnapshots = ({ writer, tracker, batcher, clock, sequence, restored }: LogSnapshotOptions): Snapshots => ({
  save: (name) => batcher.betweenCommits(() => writer.call('saveSnapshot', name)),
  restore: (name) =>
    batcher.betweenCommits(async () => {
      const { state, used } = await writer.call('restoreSnapshot', { name, after: sequenceAt(clock.now()) })
      tracker.clear()
      tracker.load(state)
      sequence.restart()
      sequence.skipPast(state.lastSequence)
      sequence.passOver(used)
      restored(state)
    }),
  drop: (name) => writer.call('dropSnapshot', name),
})
