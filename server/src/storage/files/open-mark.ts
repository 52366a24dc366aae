import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs'

/** The part of an open SQLite database that is needed here. */
interface Executes {
  exec(sql: string): void
}

/** Where things stand in the first 100 bytes of a database (https://www.sqlite.org/fileformat.html#the_database_header). */
const HEADER_BYTES = 100
const WRITE_VERSION_AT = 18
const APPLICATION_ID_AT = 68
/** The write version of a database with a write-ahead log. `vacuum into` makes copies without one. */
const WITH_WAL = 2

/**
 * Two application ids that stand for this very file, and for no copy of it, by its inode and when that was made. Never 0.
 * While it is open the file itself holds `dirty`, and its write-ahead log, which is newer, `ok`.
 */
function marksOf(path: string) {
  const { ino, birthtimeNs } = statSync(path, { bigint: true })
  const even = Number(BigInt.asUintN(30, (ino * 0x9e3779b97f4a7c15n) ^ birthtimeNs)) * 2 || 2
  return { ok: even, dirty: even + 1 }
}

function readHeaderOf(file: number): Buffer | undefined {
  const header = Buffer.alloc(HEADER_BYTES)
  return readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES ? header : undefined
}

/** Only for a file that this process does not have open (see `OpenMark`). */
function readHeader(path: string): Buffer | undefined {
  const file = openSync(path, 'r')
  try {
    return readHeaderOf(file)
  } finally {
    closeSync(file)
  }
}

/** What can be said of a database file before it is opened. */
export interface FileState {
  /** There is nothing in it, or no file. */
  isEmpty: boolean
  /** It was copied from a file that was in use. */
  isCopy: boolean
  /** Whoever had it open did not close it, and the write-ahead log that was left then is gone. */
  hasLostWal: boolean
}

const markIn = (header: Buffer) => header.readInt32BE(APPLICATION_ID_AT)

/** Looks at a database file that nobody has open. */
export function readFileState(path: string): FileState {
  const header = existsSync(path) ? readHeader(path) : undefined
  if (!header) return { isEmpty: true, isCopy: false, hasLostWal: false }
  const { ok, dirty } = marksOf(path)
  const mark = header[WRITE_VERSION_AT] === WITH_WAL ? markIn(header) : Number.NaN
  const isOriginal = mark === ok || mark === dirty || markIn(header) === 0
  return { isEmpty: false, isCopy: !isOriginal, hasLostWal: mark === dirty && !existsSync(`${realpathSync(path)}-wal`) }
}

/**
 * Marks the file as open: `dirty` in the file itself, then `ok` in the write-ahead log alone. Whoever deletes the write-ahead log of a
 * process that was killed leaves `dirty`; whoever opens both with another program, which moves one into the other, leaves `ok`.
 * Where there is no room it stays unmarked.
 */
export function markOpen(db: Executes, path: string): void {
  const { ok, dirty } = marksOf(path)
  try {
    db.exec(`pragma application_id = ${dirty}`)
    db.exec('pragma wal_checkpoint(passive)')
    db.exec(`pragma application_id = ${ok}`)
  } catch {}
}

/** The mark of a file while it is open. */
export interface OpenMark {
  /** Marks it again once SQLite has moved `ok` into the file. Now and then, while it is written to. */
  again(): void
  /** To be called after the database was closed. */
  release(): void
}

/**
 * Marks the file as open, and keeps a descriptor to see whether the mark is still there. When a process closes any descriptor of a file, the
 * system drops every lock that it has on it (POSIX, fcntl), SQLite's too: then another program would take itself for the last one that has
 * the database open, and delete its write-ahead log.
 */
export function keepOpenMark(db: Executes, path: string): OpenMark {
  const file = openSync(path, 'r')
  markOpen(db, path)
  return {
    again() {
      const header = readHeaderOf(file)
      if (header && markIn(header) === marksOf(path).ok) markOpen(db, path)
    },
    release: () => closeSync(file),
  }
}

/** Takes the mark away. Just before the file is closed, which empties the write-ahead log into it. */
export function markClosed(db: Executes): void {
  try {
    db.exec('pragma application_id = 0')
  } catch {}
}

/** Throws when the write-ahead log that belongs to the database at `path` was deleted. */
export function assertWriteAheadLog(path: string): void {
  if (!readFileState(path).hasLostWal) return
  throw new Error(
    `${path}-wal, the write-ahead log of the database, is gone, and with it what was last committed: put it back, or restore a backup of ${path} and ${path}.events. To go on without what was in it, make an empty one: touch '${path}-wal'`,
  )
}
