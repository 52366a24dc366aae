import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { nameDamage } from './damage.ts'

/** SQLITE_READONLY_DBMOVED: the file is not where it was opened. */
const MOVED = 1032

/** Checks an open database file independently of its connection, which does not notice some damage. */
export interface FileProbe {
  /** Throws if the file was deleted or replaced: commits to it would be lost with the process. */
  assertExists(): void
  /** Runs queries on a new connection, which has no cached pages. */
  readUncached(queries: readonly string[]): void
}

export function createFileProbe(path: string, what: 'database' | 'event log'): FileProbe {
  const inodeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino
  const inode = inodeOf(path)
  /** Created with the first write. It exists while the database is open. */
  let walInode = inodeOf(`${path}-wal`)

  const moved = (file: string, advice: string) =>
    Object.assign(new Error(`the ${what} ${file} was deleted or replaced while it was in use: ${advice}`), { errcode: MOVED })

  return {
    assertExists() {
      if (inodeOf(path) !== inode)
        throw moved(path, 'what it had is still under /proc/<pid>/fd; copy it from there, stop Postern and put it back')
      const wal = inodeOf(`${path}-wal`)
      walInode ??= wal
      if (wal !== walInode) throw moved(`${path}-wal`, 'stop Postern with SIGTERM, which saves what was in it; after kill -9 it is gone')
    },
    readUncached(queries) {
      try {
        using fresh = new DatabaseSync(path, { readOnly: true })
        for (const query of queries) fresh.prepare(query).get()
      } catch (error) {
        throw nameDamage(error, what, path)
      }
    },
  }
}
