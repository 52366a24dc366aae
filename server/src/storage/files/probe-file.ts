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
  const inodeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino
  const inode = inodeOf(path)
  /** Made with the first write, and there for as long as the database is open. */
  let walInode = inodeOf(`${path}-wal`)

  const moved = (file: string, advice: string) =>
    Object.assign(new Error(`the ${what} ${file} was deleted or replaced while it was in use: ${advice}`), { errcode: MOVED })

  return {
    assertThere() {
      if (inodeOf(path) !== inode)
        throw moved(path, 'what it had is still under /proc/<pid>/fd; copy it from there, stop Postern and put it back')
      const wal = inodeOf(`${path}-wal`)
      walInode ??= wal
      if (wal !== walInode) throw moved(`${path}-wal`, 'stop Postern with SIGTERM, which saves what was in it; after kill -9 it is gone')
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
