import { noSuchSnapshot, type Snapshot, type SnapshotStore, tooLarge, tooMany } from '../endpoints/operator/snapshots/snapshot-store.ts'
import type { Snapshots } from '../storage/snapshots.ts'
import type { Delivery } from './delivery.ts'
import type { MediaParts } from './media.ts'
import type { OutboxParts } from './outbox.ts'
import type { Base } from './parts.ts'

const MOST = 10
const MOST_BYTES = 512 << 20

/** What stops before all data are replaced. */
export type Quiesce = () => Promise<void>

interface Kept extends Snapshot {
  clockOffsetMs: number
}

export interface SnapshotParts {
  delivery: Delivery
  media: MediaParts
  outbox: OutboxParts['outbox']
  /** Drops what is held in memory of the data that are about to be replaced. */
  clear: Quiesce
}

/** Snapshots of everything: both databases, files of media, the clock. Calls must not overlap. */
export function createSnapshotStore(base: Base, { delivery, media, outbox, clear }: SnapshotParts): SnapshotStore {
  const { storage, eventLog, ids, clock, activity, testTools } = base
  const kept = new Map<string, Kept>()
  const parts: Snapshots[] = [storage.snapshots, eventLog.snapshots, media.snapshots]

  const settle = async () => {
    await activity.quiet()
    await outbox.settled()
  }

  const drop = async (id: string) => {
    kept.delete(id)
    for (const part of parts) await part.drop(id)
  }

  const saveAll = async (id: string) => {
    let bytes = 0
    for (const part of parts) bytes += await part.save(id)
    return bytes
  }

  return {
    list: () => [...kept.values()],
    async create() {
      if (kept.size >= MOST) throw tooMany(MOST)
      await settle()
      const id = ids.next()
      const snapshot = { id, createdAtMs: clock.now(), clockOffsetMs: clock.offset(), sizeBytes: 0 }
      kept.set(id, snapshot)
      try {
        snapshot.sizeBytes = await saveAll(id)
      } catch (error) {
        await drop(id).catch(() => {})
        throw error
      }
      const bytes = [...kept.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
      if (bytes <= MOST_BYTES) return snapshot
      await drop(id)
      throw tooLarge(MOST_BYTES)
    },
    async restore(id) {
      const snapshot = kept.get(id)
      if (!snapshot) throw noSuchSnapshot(id)
      await settle()
      try {
        await clear()
        // Files come first: the restored state wakes the worker of uploads, which reads them.
        await media.snapshots.restore(id)
        clock.setOffset(snapshot.clockOffsetMs)
        for (const part of [eventLog.snapshots, storage.snapshots]) await part.restore(id)
        await testTools?.restored()
      } finally {
        await delivery.resume()
      }
      await settle()
      return snapshot
    },
    async remove(id) {
      if (!kept.has(id)) throw noSuchSnapshot(id)
      await drop(id)
    },
  }
}
