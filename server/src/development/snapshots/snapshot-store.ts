import { Problem } from '../../api/declare/problem.ts'
import { id, integer, iso, object, timestamp } from '../../api/declare/words.ts'
import type { Semaphore } from '../../lib/mutex.ts'

export interface Snapshot {
  id: string
  createdAtMs: number
  sizeBytes: number
}

/** The snapshots of this process. Their calls must not overlap. */
export interface SnapshotStore {
  list(): readonly Snapshot[]
  create(): Promise<Snapshot>
  /** Replaces everything by what the snapshot has. @throws `not-found`. */
  restore(id: string): Promise<Snapshot>
  /** @throws `not-found`. */
  remove(id: string): Promise<void>
}

export interface SnapshotServices {
  snapshots: SnapshotStore
  /** One at a time moves the clock, resets or restores. */
  inTurn: Semaphore
}

export const snapshotId = id({ example: '1997712707928100864' })

export const snapshotSchema = object({
  id: snapshotId,
  created_at: timestamp(),
  size_bytes: integer({ min: 0, description: 'About how much memory or disk its rows take.' }),
})

export const snapshotView = ({ id, createdAtMs, sizeBytes }: Snapshot) => ({ id, created_at: iso(createdAtMs), size_bytes: sizeBytes })

export const noSuchSnapshot = (id: string) => new Problem('not-found', { detail: `There is no snapshot ${id}.` })

const DELETE = 'DELETE /operator/snapshots/:snapshot_id deletes one.'

export const tooMany = (most: number) =>
  new Problem('conflict', { detail: `There are ${most} snapshots already, the most that are kept. ${DELETE}` })

export const tooLarge = (mostBytes: number) =>
  new Problem('conflict', {
    detail: `With this snapshot all of them would take more than ${mostBytes >> 20} MB, the most that is kept. ${DELETE}`,
  })
