import type { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { type Copied, createTableCopies } from '../../files/table-copies.ts'
import type { Snapshots } from '../../snapshots.ts'
import type { MemoryRateWindows, WindowCopy } from '../rate-windows/memory-rate-windows.ts'
import type { Database } from '../schema.ts'

export interface FileSnapshotOptions {
  db: Kysely<Database>
  file: DatabaseSync
  rateWindows: MemoryRateWindows
  copied: Copied
  /** The next announcement of everything clears the windows to these. */
  clearTo(windows: WindowCopy | undefined): void
}

/** Copies of the state on SQLite, with the rate windows, which are in memory. */
export function createFileSnapshots({ db, file, rateWindows, copied, clearTo }: FileSnapshotOptions): Snapshots {
  const copies = createTableCopies(file, copied)
  const windows = new Map<string, WindowCopy>()
  /** Between transactions. */
  const alone = <T>(run: () => T): Promise<T> => db.connection().execute(async () => run())
  return {
    save: (name) =>
      alone(() => {
        windows.set(name, rateWindows.copy())
        return copies.save(name)
      }),
    restore: (name) =>
      alone(() => {
        copies.restore(name)
        clearTo(windows.get(name))
      }),
    drop: (name) =>
      alone(() => {
        windows.delete(name)
        copies.drop(name)
      }),
  }
}
