import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs'

/** The needed part of an open SQLite database. */
interface Executes {
  exec(sql: string): void
}

/** Offsets in the first 100 bytes of a database (https://www.sqlite.org/fileformat.html#the_database_header). */
const HEADER_BYTES = 100
const WRITE_VERSION_AT = 18
const APPLICATION_ID_AT = 68
/** The write version of a database with a write-ahead log. `vacuum into` makes copies without one. */
const WITH_WAL = 2

/**
 * Two application ids for this file and no copy of it, derived from its inode and creation time. Never 0. While the file is open, the file
 * itself has `dirty`, and its write-ahead log, which is newer, `ok`.
 */
function marksOf(path: string) {
  const { ino, birthtimeNs } = statSync(path, { bigint: true })
  const even = Number(BigInt.asUintN(30, (ino * 0x9e3779b97f4a7c15n) ^ birthtimeNs)) * 2 || 2
  return { ok: even, dirty: even + 1 }
}

/** Only for a file that this process does not have open (see `OpenMark`). */
function readHeader(path: string): Buffer | undefined {
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    return readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES ? header : undefined
  } finally {
    closeSync(file)
  }
}

/** After so many commits marking is tried again if it failed. */
const SKIPPED_COMMITS = 100

/** What is known about a database file before it is opened. */
export interface FileState {
  /** The file is empty or does not exist. */
  isEmpty: boolean
  /** It was copied from a file that was in use. */
  isCopy: boolean
  /** It was not closed cleanly, and its write-ahead log is missing. */
  hasLostWal: boolean
  /** It is a copy without a write-ahead log, and there is one beside it, of the file that was there before. */
  hasOtherWal: boolean
}

const markIn = (header: Buffer) => header.readInt32BE(APPLICATION_ID_AT)

/** Reads the state of a database file that no process has open. */
export function readFileState(path: string): FileState {
  const header = existsSync(path) ? readHeader(path) : undefined
  if (!header) return { isEmpty: true, isCopy: false, hasLostWal: false, hasOtherWal: false }
  const { ok, dirty } = marksOf(path)
  const hasWal = header[WRITE_VERSION_AT] === WITH_WAL
  const mark = hasWal ? markIn(header) : Number.NaN
  const wal = statSync(`${realpathSync(path)}-wal`, { throwIfNoEntry: false })
  const isOriginal = mark === ok || mark === dirty || markIn(header) === 0
  return { isEmpty: false, isCopy: !isOriginal, hasLostWal: mark === dirty && !wal, hasOtherWal: !hasWal && (wal?.size ?? 0) > 0 }
}

/**
 * Marks the file as open: `dirty` in the file itself, then `ok` only in the write-ahead log. If the write-ahead log of a killed process is
 * deleted, `dirty` is left. If another program opens both and checkpoints the log, `ok` is left. Without free space the file stays unmarked.
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
  /** Marks the file again if SQLite has checkpointed `ok` into it. Called after commits: it reads 100 bytes. Never throws. */
  again(): void
  /** Call it after the database was closed. */
  release(): void
}

/**
 * Marks the file as open, and keeps a descriptor for checking the mark. The descriptor must not be closed earlier: when a process closes any
 * descriptor of a file, POSIX drops all of its fcntl locks on that file, including SQLite's. Then another program would consider itself the
 * last one with the database open, and delete its write-ahead log.
 */
export function keepOpenMark(db: Executes, path: string): OpenMark {
  const file = openSync(path, 'r')
  const header = Buffer.alloc(HEADER_BYTES)
  const { ok } = marksOf(path)
  const isUnmarked = () => readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES && markIn(header) === ok
  let skipped = 0
  markOpen(db, path)
  return {
    again() {
      if (skipped > 0) {
        skipped -= 1
        return
      }
      try {
        if (!isUnmarked()) return
        markOpen(db, path)
        // A reader of an older state, such as a backup, keeps the file from being marked until it ends.
        if (isUnmarked()) skipped = SKIPPED_COMMITS
      } catch {}
    },
    release: () => closeSync(file),
  }
}

/** Removes the mark. Call it right before closing, which checkpoints the write-ahead log. */
export function markClosed(db: Executes): void {
  try {
    db.exec('pragma application_id = 0')
  } catch {}
}

/** Throws if SQLite would write the write-ahead log of another file into this one, which damages it. */
export function assertOwnWal(path: string, { hasOtherWal }: FileState): void {
  if (!hasOtherWal) return
  throw new Error(
    `${path} is a copy, and beside it is the write-ahead log of the file that was there before, which would damage it: delete ${path}-wal and ${path}-shm, and start again`,
  )
}

/** Throws if the write-ahead log of the database at `path` was deleted, or is that of another file. */
export function assertWriteAheadLog(path: string): void {
  const state = readFileState(path)
  assertOwnWal(path, state)
  if (!state.hasLostWal) return
  throw new Error(
    `${path}-wal, the write-ahead log of the database, is gone, and with it what was last committed: put it back, or restore a backup of ${path} and ${path}.events. To go on without what was in it, make an empty one: touch '${path}-wal'`,
  )
}
