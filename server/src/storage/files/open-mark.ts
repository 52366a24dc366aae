import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs'

interface Loss {
  /** What is lost, as a sentence without its full stop. */
  loss: string
  /** What the operator may do instead of accepting it, as a sentence without its full stop. */
  remedy: string
  /** What is lost, in a few words. */
  lost: string
  /** The id of this loss. */
  id: string
  /** The id that `POSTERN_ACCEPT_LOG_LOSS` has. */
  accepted: string | undefined
}

/** Returns a warning if the operator accepts this loss. Throws otherwise, and names the id to accept it with. */
export function acceptLoss({ loss, remedy, lost, id, accepted }: Loss): string {
  if (accepted === id) return `${loss}. Starting without ${lost}, as POSTERN_ACCEPT_LOG_LOSS says; unset it now`
  throw new Error(`${loss}. ${remedy}. To start without ${lost}: POSTERN_ACCEPT_LOG_LOSS=${id}`)
}

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
 * itself has `dirty`, which is odd, and its write-ahead log, which is newer, `ok`, which is even.
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
  /** It, or the file that it was copied from, was in use, and its write-ahead log is missing or empty. */
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
  const walBytes = statSync(`${realpathSync(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const isOriginal = mark === ok || mark === dirty || markIn(header) === 0
  return {
    isEmpty: false,
    isCopy: !isOriginal,
    hasLostWal: mark % 2 === 1 && walBytes === 0,
    hasOtherWal: !hasWal && walBytes > 0,
  }
}

/** An id of the file as it is now: the next commit changes it. */
function idOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true })
  return createHash('sha256').update(`${size} ${mtimeNs} `).update(readHeader(path)!).digest('hex').slice(0, 16)
}

/**
 * Marks the file as open: `dirty` in the file itself, then `ok` only in the write-ahead log. If the write-ahead log of a killed process is
 * deleted, `dirty` is left. If another program opens both and checkpoints the log, `ok` is left. Returns false if it failed, for example without
 * free space: the file is unmarked, or `dirty` alone was written.
 */
function markOpen(db: Executes, path: string): boolean {
  const { ok, dirty } = marksOf(path)
  try {
    db.exec(`pragma application_id = ${dirty}`)
    db.exec('pragma wal_checkpoint(passive)')
    db.exec(`pragma application_id = ${ok}`)
    return true
  } catch {
    return false
  }
}

/** The mark of a file while it is open. */
export interface OpenMark {
  /** Marks the file again if SQLite has checkpointed `ok` into it, or if marking failed. Called after commits: it reads 100 bytes. Never throws. */
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
  let isMarked = markOpen(db, path)
  return {
    again() {
      if (skipped > 0) {
        skipped -= 1
        return
      }
      try {
        if (isMarked && !isUnmarked()) return
        isMarked = markOpen(db, path)
        // A reader of an older state, such as a backup, keeps the file from being marked until it ends.
        if (!isMarked || isUnmarked()) skipped = SKIPPED_COMMITS
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

const inWords = new Intl.ListFormat('en')

/** Throws if SQLite would write the write-ahead log of another file into one of these, which damages it. */
export function assertOwnWal(...paths: string[]): void {
  const copies = paths.filter((path) => readFileState(path).hasOtherWal)
  if (copies.length === 0) return
  const [are, them] = copies.length === 1 ? ['is a copy', 'it'] : ['are copies', 'each']
  const old = inWords.format(copies.flatMap((path) => [`${path}-wal`, `${path}-shm`]))
  throw new Error(
    `${inWords.format(copies)} ${are}, and beside ${them} is the write-ahead log of the file that was there before, which would damage it: delete ${old}, and start again`,
  )
}

/**
 * Throws if the write-ahead log of the database at `path` is missing or empty. If `accepted` is the id of that loss, returns a warning
 * instead.
 */
export function assertWriteAheadLog(path: string, accepted?: string): string | undefined {
  if (!readFileState(path).hasLostWal) return undefined
  return acceptLoss({
    loss: `${path}-wal, the write-ahead log of the database, is missing or empty, and with it what was last committed`,
    remedy: `Put it back (a copy of a database in use needs it too), or restore a backup of ${path} and ${path}.events`,
    lost: 'what was in it',
    id: idOf(path),
    accepted,
  })
}
