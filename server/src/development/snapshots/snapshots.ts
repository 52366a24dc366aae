import type { SeedDocument } from '../../endpoints/operator/seed/seed-document.ts'
import { FOLDERS, type MediaFiles } from '../../storage/media-files.ts'
import type { Snapshots } from '../../storage/snapshots.ts'
import type { Given } from '../given.ts'
import { noSuchSnapshot, type Snapshot, type SnapshotStore, tooLarge, tooMany } from './snapshot-store.ts'

const MOST = 10
const MOST_BYTES = 512 << 20

interface Kept extends Snapshot {
  clockOffsetMs: number
  goBack: GoBack
}

/** Makes what development keeps in memory fit the restored state. */
export type GoBack = () => Promise<unknown>

/** What of the running server holds the data that are replaced. */
export interface Held {
  load(seed: SeedDocument): Promise<unknown>
  /** Drops what is held in memory of the data that are about to be replaced. */
  clear(): Promise<void>
  /** Takes up what the event log has now. */
  resume(): Promise<void>
  /** Resolves once the outbox publishes nothing. */
  settled(): Promise<void>
  media: Snapshots
  mediaFiles: MediaFiles
}

/**
 * Waits for what is under way, deletes everything, sets the clock right and loads the seed again. `forget` clears what development keeps
 * besides. Resolves with false where more than it waits for was under way.
 */
export function createBackToSeed(
  { storage, eventLog, clock, activity, seed }: Given,
  { load, clear, resume, mediaFiles }: Held,
  forget: () => void,
) {
  return async (): Promise<boolean> => {
    const isQuiet = await activity.quiet()
    try {
      await clear()
      await eventLog.wipe()
      await storage.wipe()
      forget()
      for (const folder of FOLDERS) await mediaFiles.remove(await mediaFiles.list(folder))
      clock.setOffset(0)
      if (seed) await load(seed)
      return isQuiet
    } finally {
      // If it failed, what is still in the log waits for its lanes.
      await resume()
    }
  }
}

/** Snapshots of everything: both databases, files of media, the clock. Calls must not overlap. `remember` is called for each snapshot. */
export function createSnapshotStore(
  { storage, eventLog, ids, clock, activity }: Given,
  { clear, resume, settled, media, remember }: Held & { remember: () => GoBack },
): SnapshotStore {
  const kept = new Map<string, Kept>()
  const parts: Snapshots[] = [storage.snapshots, eventLog.snapshots, media]

  const settle = async () => {
    await activity.quiet()
    await settled()
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
      const snapshot = { id, createdAtMs: clock.now(), clockOffsetMs: clock.offset(), goBack: remember(), sizeBytes: 0 }
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
        await media.restore(id)
        clock.setOffset(snapshot.clockOffsetMs)
        for (const part of [eventLog.snapshots, storage.snapshots]) await part.restore(id)
        await snapshot.goBack()
      } finally {
        await resume()
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
