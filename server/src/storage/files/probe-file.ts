import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { nameDamage } from './damage.ts'

/** SQLITE_READONLY_DBMOVED: the file is not where it was opened. */
const MOVED = 1032

/** Looks at an open database file from outside, for what its connection does not notice. */
export interface FileProbe {
  /** Throws when the file was deleted or replaced: what is committed to it is gone with the process. */
  assertThere(): void
  /** Runs queries on a connection of its own, which has nothing of the file in memory. */
  readAnew(queries: readonly string[]): void
}

export function createFileProbe(path: string, what: 'database' | 'event log'): FileProbe {
  const { ino } = statSync(path)
  return {
    assertThere() {
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) return
      const message = `the ${what} ${path} was deleted or replaced while it was in use: stop Postern and put it back`
      throw Object.assign(new Error(message), { errcode: MOVED })
    },
    readAnew(queries) {
      try {
        using fresh = new DatabaseSync(path, { readOnly: true })
        for (const query of queries) fresh.prepare(query).get()
      } catch (error) {
        throw nameDamage(error, what, path)
      }
    },
  }
}
