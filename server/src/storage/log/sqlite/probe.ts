import type { DatabaseSync } from 'node:sqlite'
import { isDamage } from '../../files/damage.ts'
import type { FileProbe } from '../../files/probe-file.ts'

/** Reads the pages that every commit touches, from the root of each table to its newest row. */
const NEWEST_ROWS = [
  'select max(sequence) from event',
  'select max(sequence) from target',
  'select max(sequence) from attempt',
  'select count(*) from mark',
  'select min(due_ms) from retry',
]

/** With less free space than this most commits would fail. */
const MIN_FREE_BYTES = 64 << 10

/** Checks whether the log can be written and read, from the file as it is now and the result of the last commit. */
export function createProbe(db: DatabaseSync, file?: FileProbe) {
  let failure: unknown
  /** A damaged log takes no more writes until the next start: restoring a backup would lose them. */
  let damage: unknown

  const noteDamage = (error: unknown) => {
    if (isDamage((error as { errcode?: number }).errcode)) damage ??= error
    return error
  }

  /** Only a successful commit proves that there is free space again. */
  const testWrite = () => {
    db.exec(`insert or replace into header values ('probe', hex(zeroblob(${MIN_FREE_BYTES / 2})))`)
    db.exec(`delete from header where name = 'probe'`)
    failure = undefined
  }

  return {
    /** Runs a commit and records whether it failed. */
    watch<T>(commit: () => T): T {
      try {
        if (damage !== undefined) throw damage
        file?.assertExists()
        const result = commit()
        failure = undefined
        return result
      } catch (error) {
        failure = error
        throw noteDamage(error)
      }
    },
    /** Throws if the log cannot be read or written. A log whose last commit succeeded is only read. */
    probe() {
      file?.assertExists()
      if (damage !== undefined) throw damage
      try {
        file?.readUncached(NEWEST_ROWS)
      } catch (error) {
        throw noteDamage(error)
      }
      if (failure !== undefined) testWrite()
    },
  }
}
