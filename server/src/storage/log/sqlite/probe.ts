import type { DatabaseSync } from 'node:sqlite'
import { isDamage } from '../../files/damage.ts'
import type { FileProbe } from '../../files/probe-file.ts'

/** What every commit touches, from its root to the newest row. */
const NEWEST = [
  'select max(sequence) from event',
  'select max(sequence) from target',
  'select max(sequence) from attempt',
  'select count(*) from mark',
  'select min(due_ms) from retry',
]

/** A log with less room than this would refuse most of what comes. */
const ROOM_BYTES = 64 << 10

/** Tells whether the log can be written and read: from the file as it is now, and from what became of the last commit. */
export function createProbe(db: DatabaseSync, file?: FileProbe) {
  let failure: unknown
  /** Nothing is written to a log that was once found damaged, until the next start: whoever restores it would lose that. */
  let damage: unknown

  const noteDamage = (error: unknown) => {
    if (isDamage((error as { errcode?: number }).errcode)) damage ??= error
    return error
  }

  /** Only a commit that succeeds can tell that there is room again. */
  const writeAgain = () => {
    db.exec(`insert or replace into header values ('probe', hex(zeroblob(${ROOM_BYTES / 2})))`)
    db.exec(`delete from header where name = 'probe'`)
    failure = undefined
  }

  return {
    /** Runs a commit, and remembers whether it failed. */
    watch<T>(commit: () => T): T {
      try {
        if (damage !== undefined) throw damage
        file?.assertThere()
        const result = commit()
        failure = undefined
        return result
      } catch (error) {
        failure = error
        throw noteDamage(error)
      }
    },
    /** Throws what is wrong with the log. A log whose last commit succeeded is only read. */
    probe() {
      file?.assertThere()
      if (damage !== undefined) throw damage
      try {
        file?.readAnew(NEWEST)
      } catch (error) {
        throw noteDamage(error)
      }
      if (failure !== undefined) writeAgain()
    },
  }
}
