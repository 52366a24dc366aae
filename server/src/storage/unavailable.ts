/** The database is unavailable, full or damaged. Nothing was changed, unless the message says otherwise. Answered with 503. */
export class Unavailable extends Error {
  readonly unavailable = true
}

/** The database restarts, fails over or cannot be reached: in a moment the same may succeed. */
export class DatabaseAway extends Unavailable {}

/** What a row refers to was deleted while the row was added; asked again, the request meets the deletion itself. */
export class DeletedMeanwhile extends Unavailable {}

export const isUnavailable = (error: unknown): boolean => error instanceof Unavailable

const AWAY = 'The database is unavailable. Nothing was changed; retry in a moment.'
const FULL = 'The database is out of disk space. Nothing was changed; retry later.'
const IN_DOUBT = 'The database was lost while it committed this. It may have been done: look before you repeat it.'

const OUTDATED = 'The tables have just got another shape, as when a newer version starts. Nothing was changed; retry in a moment.'

const DELETED = 'The app or user that this concerns was deleted meanwhile. Nothing was changed; retry to see what is left.'

/** Foreign keys: SQLITE_CONSTRAINT_FOREIGNKEY and `foreign_key_violation`. */
const FOREIGN_KEY = new Set<unknown>([787, '23503'])

/** Primary result codes of SQLite. */
const SQLITE_FULL = 13
/** BUSY, READONLY, IOERR, CORRUPT, CANTOPEN, NOTADB. */
const SQLITE_AWAY = new Set([5, 8, 10, 11, 14, 26])
const primary = (errcode: number) => errcode & 0xff

/**
 * SQLSTATEs: disk_full; then connections, resources, shutdown, I/O errors, a read-only server, timeouts of statements, locks and idle
 * transactions, serialization failures and deadlocks, corrupt tables and indexes.
 */
const POSTGRES_FULL = '53100'
/** A quota or a file size limit has no SQLSTATE of its own: it is an internal error of the functions that extend a file (md.c). */
const POSTGRES_INTERNAL = 'XX000'
const POSTGRES_EXTENDS = new Set<unknown>(['mdextend', 'mdzeroextend'])
const POSTGRES_AWAY = /^(08...|53...|57P..|58...|25006|57014|55P03|25P03|40001|40P01|XX001|XX002)$/
/** Those of them that say that connections end, or that the server takes none or no writes: a restart, a failover. */
const POSTGRES_RESTARTS = /^(08...|57P..|25006)$/
const NETWORK_AWAY = /^(ECONN|EHOST|ENET|EAI_)|^(EPIPE|ETIMEDOUT|ENOTFOUND)$/
/** Messages of the driver for errors without a code. */
const DRIVER_AWAY = /^(Connection terminated|timeout e|Query read timeout|Client (has encountered a connection error|was closed))/

/** What PostgreSQL says no to a prepared statement with, where the columns of its result are no longer those that it was planned with. */
const POSTGRES_REPLANS = 'RevalidateCachedQuery'

interface Failure {
  errcode?: unknown
  code?: unknown
  routine?: unknown
  message?: unknown
}

/** True if a foreign key was violated: a row refers to a deleted one. */
export const isDeletedMeanwhile = (error: unknown): boolean => {
  const { errcode, code } = (error ?? {}) as Failure
  return FOREIGN_KEY.has(errcode ?? code)
}

/**
 * Whether a statement that is prepared on a connection of PostgreSQL is refused there from now on, because a migration has changed the columns
 * of its result.
 */
export const isOutdatedPlan = (error: unknown): boolean => ((error ?? {}) as Failure).routine === POSTGRES_REPLANS

/** Whether SQLite, or the system for it, has no room for a file. */
export const isFileFull = ({ errcode, code }: Failure): boolean =>
  typeof errcode === 'number' ? primary(errcode) === SQLITE_FULL : code === 'ENOSPC' || code === 'EDQUOT'

function messageOf({ errcode, code, routine, message }: Failure): string | undefined {
  if (typeof errcode === 'number') {
    if (primary(errcode) === SQLITE_FULL) return FULL
    return SQLITE_AWAY.has(primary(errcode)) ? AWAY : undefined
  }
  if (isOutdatedPlan({ routine })) return OUTDATED
  if (code === POSTGRES_FULL || (code === POSTGRES_INTERNAL && POSTGRES_EXTENDS.has(routine))) return FULL
  if (typeof code === 'string') return POSTGRES_AWAY.test(code) || NETWORK_AWAY.test(code) ? AWAY : undefined
  return DRIVER_AWAY.test(String(message)) ? AWAY : undefined
}

const isRestart = ({ code, routine, message }: Failure) =>
  typeof code === 'string'
    ? POSTGRES_RESTARTS.test(code) || NETWORK_AWAY.test(code) || isOutdatedPlan({ routine })
    : /^(Connection terminated|Client (has encountered a connection error|was closed))/.test(String(message))

/** Those of them that end a connection, so that it is not known how far a statement came. */
const POSTGRES_ENDS = /^(08...|57P..)$/

/** The server has said that a statement failed. */
const isAnswered = ({ code }: Failure) => typeof code === 'string' && !POSTGRES_ENDS.test(code) && !NETWORK_AWAY.test(code)

const commitsInDoubt = new WeakSet<Error>()

/** Told of the error of a commit: without an answer of the server it may have taken effect, or may yet. */
export function doubtCommit(error: unknown): void {
  if (error instanceof Error && !isAnswered(error)) commitsInDoubt.add(error)
}

/** Wraps an error that means an outage in `Unavailable`; returns any other error as it is. The message contains no address. */
export function asUnavailable(error: unknown): unknown {
  if (isUnavailable(error) || !(error instanceof Error)) return error
  if (isDeletedMeanwhile(error)) return new DeletedMeanwhile(DELETED, { cause: error })
  const message = messageOf(error)
  if (message === undefined) return error
  return new (isRestart(error) ? DatabaseAway : Unavailable)(commitsInDoubt.has(error) ? IN_DOUBT : message, { cause: error })
}

/** Logs an error, unless it means an outage, which the storage logs once for all callers. */
export function logUnlessUnavailable(log: { error(detail: object, message: string): void }, error: unknown, message: string, detail = {}) {
  if (!isUnavailable(asUnavailable(error))) log.error({ err: error, ...detail }, message)
}
