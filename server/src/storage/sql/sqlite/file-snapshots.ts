import type { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { type Copied, createTableCopies } from '../../files/table-copies.ts'
import type { Snapshots } from '../../snapshots.ts'
import type { MemoryRateWindows, WindowCopy } from '../rate-windows/memory-rate-windows.ts'
import type { Database } from '../schema.ts'
import type { NonceJournal } from './nonces/nonce-journal.ts'
import type { NonceCopy } from './nonces/nonce-windows.ts'

export interface FileSnapshotOptions {
  db: Kysely<Database>
  file: DatabaseSync
  rateWindows: MemoryRateWindows
  nonces: NonceJournal
  copied: Copied
  /** The next announcement of everything clears the windows to these. */
  clearTo(windows: WindowCopy | undefined): void
}

const sizeOf = (copy: NonceCopy) => [...copy.values()].reduce((bytes, words) => bytes + words.byteLength, 0)

/** Copies of the state on SQLite, with the rate windows and used nonces, which are in memory. */
export function createFileSnapshots({ db, file, rateWindows, nonces, copied, clearTo }: FileSnapshotOptions): Snapshots {
  const copies = createTableCopies(file, copied)
  const windows = new Map<string, WindowCopy>()
  const nonceCopies = new Map<string, NonceCopy>()
  /** Between transactions. */
  const alone = <T>(run: () => T): Promise<T> => db.connection().execute(async () => run())
  return {
    save: (name) =>
      alone(() => {
        windows.set(name, rateWindows.copy())
        const used = nonces.copy()
        nonceCopies.set(name, used)
        return copies.save(name) + sizeOf(used)
      }),
    restore: (name) =>
      alone(() => {
        copies.restore(name, { after: () => nonces.restore(nonceCopies.get(name) ?? new Map()) })
        clearTo(windows.get(name))
      }),
    drop: (name) =>
      alone(() => {
        windows.delete(name)
        nonceCopies.delete(name)
        copies.drop(name)
      }),
  }
}
