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
  /** Nothing is written to a log that was found damaged: whoever restores it would lose that. */
  let damage: unknown

  /** Only a commit that succeeds can tell that there is room again; that damage is mended, not even that. */
  const writeAgain = () => {
    if (isDamage((failure as { errcode?: number }).errcode)) throw failure
    db.exec(`insert or replace into header values ('probe', hex(zeroblob(${ROOM_BYTES / 2})))`)
    db.exec(`delete from header where name = 'probe'`)
    failure = undefined
  }

  const damageFound = (): unknown => {
    try {
      file?.readAnew(NEWEST)
    } catch (error) {
      if (isDamage((error as { errcode?: number }).errcode)) return error
      throw error
    }
    return undefined
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
        throw error
      }
    },
    /** Throws what is wrong with the log. A log whose last commit succeeded is only read. */
    probe() {
      file?.assertThere()
      damage = damageFound()
      if (damage !== undefined) throw damage
      if (failure !== undefined) writeAgain()
    },
  }
}
