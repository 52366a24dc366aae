import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { createKeyedMutex, TooManyWaiting } from '../../lib/mutex.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { Change } from '../changes.ts'
import { asUnavailable, doubtCommit, isUnavailable, Unavailable } from '../unavailable.ts'
import type { PendingChanges } from './announcer.ts'
import { type AskValue, createAskValue } from './ask-value.ts'
import type { Engine } from './engine.ts'
import type { Flavour } from './flavour.ts'
import type { Database } from './schema.ts'

/** How many tasks of this process wait for one lock. */
const MAX_WAITING = 1000
/** How long a task waits, including the queue: longer than the server lets a frozen process keep a lock. */
const MAX_WAIT_MS = 12 * SECOND_MS
/** The pause between two tries, so that others get the connection. */
const PAUSE_MS = 200

const TOO_MANY = 'Too many concurrent changes to the same app or account. Nothing was changed; retry in a moment.'
const TOO_LONG = 'Timed out waiting for a lock on this app or account. Nothing was changed; retry in a moment.'

/** PostgreSQL's `lock_not_available`: `lock_timeout` passed. */
const LOCK_NOT_AVAILABLE = '55P03'

/** The first lock was not available. Nothing was done. */
class NotLocked extends Error {}

const locking = async <T>(lock: () => Promise<T>): Promise<T> => {
  try {
    return await lock()
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
    throw new NotLocked('not locked', { cause: error })
  }
}

type Locking = typeof locking

/**
 * Runs tasks with the same key one at a time in this process, and retries a task while another process holds the lock with which it begins.
 * Throws `Unavailable` if too many tasks wait, or one waits too long.
 */
export function createLockQueue(clock: Clock) {
  const inQueue = createKeyedMutex(MAX_WAITING)

  const pause = () => new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve))

  const untilLocked = async <T>(run: (locking: Locking) => Promise<T>, givenUpAtMs: number): Promise<T> => {
    while (clock.monotonic() <= givenUpAtMs) {
      try {
        return await run(locking)
      } catch (error) {
        if (!(error instanceof NotLocked)) throw error
        await pause()
      }
    }
    throw new Unavailable(TOO_LONG)
  }

  return async <T>(key: string, run: (locking: Locking) => Promise<T>): Promise<T> => {
    const givenUpAtMs = clock.monotonic() + MAX_WAIT_MS
    try {
      return await inQueue(key, () => untilLocked(run, givenUpAtMs))
    } catch (error) {
      throw error instanceof TooManyWaiting ? new Unavailable(TOO_MANY, { cause: error }) : error
    }
  }
}

/** The result of a write, with the changes that are announced once it is committed. Made by `announce`, `unannounced` or `repeated`. */
export interface Written<T> {
  result: T
  changes: readonly Change[]
  isRepeated?: boolean
}

/** A result whose changes are announced with the commit, so that caches are invalidated. */
export const announce = <T>(result: T, ...changes: [...Change[], Change]): Written<T> => ({ result, changes })

/** A result without announcements: no cache has what was written, or nothing was written. */
export const unannounced = <T>(result: T): Written<T> => ({ result, changes: [] })

/**
 * A result of a call that finds its change already made. Another call that made it may not have been answered yet, because some process has
 * not acknowledged the change: this call waits for that, too.
 */
export const repeated = <T>(result: T): Written<T> => ({ result, changes: [], isRepeated: true })

/** A resource for which only one transaction at a time runs, over all processes. */
export interface Exclusive<Locked> {
  /** Its name within this process. */
  key: string
  /** Locks it with the first statement of the transaction. Its result is passed to the transaction. It may be retried. */
  lock(trx: Transaction<Database>): Promise<Locked>
}

/** What stores need of the database. A store reads through `db`, and each of its writes declares what it announces. */
export interface SqlDatabase {
  /** For single statements that read. */
  db: Pick<Kysely<Database>, 'selectFrom' | 'getExecutor'>
  readRows: Engine['readRows']
  askValue: AskValue
  flavour: Flavour
  assertWorker: Engine['assertWorker']
  /** For single statements that write data that no cache has. */
  unannounced: Kysely<Database>
  /** The same for statements that survive the process, but maybe not a power failure. */
  unsynced: Engine['unsynced']
  /** Runs statements in a transaction and announces their changes. For writes that create no id. */
  write<T>(run: (trx: Transaction<Database>) => Promise<Written<T>>): Promise<T>
  /**
   * Runs `run` in one transaction, which is rolled back if it throws. Its changes are announced with the commit. `run` may only use `trx`:
   * on SQLite there is no other connection.
   * @throws if called within another transaction, and `Unavailable` while this process must not create ids.
   */
  inTransaction<T>(run: (trx: Transaction<Database>) => Promise<Written<T>>): Promise<T>
  /**
   * The same with an exclusive lock on a resource, over all processes. A transaction waits without a connection, so however many wait for
   * one resource, and however long another process holds it, others are not delayed.
   * @throws also `Unavailable` if too many wait for the same resource, or it is held too long.
   */
  inExclusiveTransaction<Locked, T>(
    exclusive: Exclusive<Locked>,
    run: (trx: Transaction<Database>, locked: Locked) => Promise<Written<T>>,
  ): Promise<T>
}

/** The connection was lost, maybe between the commit and its response. */
const mayHaveCommitted = (error: unknown) => isUnavailable(asUnavailable(error))

export function createSqlDatabase({ db, readRows, transactions, flavour, unsynced, announcer, assertWorker, clock }: Engine): SqlDatabase {
  const open = new AsyncLocalStorage<true>()
  const exclusively = createLockQueue(clock)

  const assertOutermost = () => {
    if (open.getStore()) throw new Error('a transaction cannot be opened within another: pass its trx on instead')
  }

  /** Resolves with the commit; `acknowledged` once no process believes the former values. */
  const commit = async <T>(run: (trx: Transaction<Database>) => Promise<Written<T>>) => {
    assertOutermost()
    let pending: PendingChanges | undefined
    const whole = () =>
      transactions.transaction().execute(async (trx) => {
        const written = await run(trx)
        pending = await announcer.beforeCommit(trx, written.changes, written.isRepeated)
        return written.result
      })
    const result = await open.run(true, whole).catch((error) => {
      if (pending) doubtCommit(error)
      if (mayHaveCommitted(error)) pending?.doubt()
      else pending?.cancel()
      throw error
    })
    pending!.tell()
    return { result, acknowledged: pending!.acknowledged() }
  }

  const commitAsWorker: typeof commit = async (run) => {
    assertOutermost()
    await assertWorker()
    return commit(run)
  }

  const acknowledge = async <T>({ result, acknowledged }: Awaited<ReturnType<typeof commit<T>>>) => {
    await acknowledged
    return result
  }

  return {
    db,
    readRows,
    askValue: createAskValue(db),
    flavour,
    assertWorker,
    unannounced: db,
    unsynced,
    write: async (run) => acknowledge(await commit(run)),
    inTransaction: async (run) => acknowledge(await commitAsWorker(run)),
    // The next transaction need not wait for the acknowledgements.
    inExclusiveTransaction: async ({ key, lock }, run) =>
      acknowledge(await exclusively(key, (locking) => commitAsWorker(async (trx) => run(trx, await locking(() => lock(trx)))))),
  }
}
