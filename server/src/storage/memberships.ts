import type { Snapshots } from './snapshots.ts'

/** Who is in which audience: users are known by hashed identifiers alone, and a membership has a begin and an end. */
export interface Memberships {
  /**
   * Applies a batch of operations (`memberships/packed-batch.ts`) to an audience: all of it or nothing, also if the process dies. It is
   * durable once this resolves. The batch is moved: its buffer is empty afterwards. Resolves to false if the audience was removed.
   */
  apply(audienceId: string, batch: ArrayBuffer, nowMs: number): Promise<boolean>
  /** How many users are in these audiences now. An audience that never had users is not in the result. */
  sizes(audienceIds: readonly string[], nowMs: number): Promise<ReadonlyMap<string, number>>
  /** Forgets all users of an audience for good. Their rows are deleted by later calls of `sweep`. */
  remove(audienceId: string): Promise<void>
  /** Some audiences that were not removed, in the order of their ids, after an id. */
  audiences(after: string, limit: number): Promise<string[]>
  /** Deletes some rows of removed audiences and of memberships that have ended. Resolves to true while there may be more. */
  sweep(nowMs: number): Promise<boolean>
  /** Deletes everything. */
  wipe(): Promise<void>
  snapshots: Snapshots
  close(): Promise<void>
}
