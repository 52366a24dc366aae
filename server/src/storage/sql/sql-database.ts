import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely, Transaction } from 'kysely'
import type { Change } from '../changes.ts'
import { asUnavailable, isUnavailable } from '../unavailable.ts'
import type { Engine } from './engine.ts'
import type { Flavour } from './flavour.ts'
import { createLockQueue } from './lock-queue.ts'
import type { Database } from './schema.ts'

/** The result of a write, with the changes that are announced once it is committed. Made by `announce` or `unannounced`. */
export interface Written<T> {
  result: T
  changes: readonly Change[]
}

/** Whoever keeps one of these in memory is told with the commit. */
export const announce = <T>(result: T, ...changes: [...Change[], Change]): Written<T> => ({ result, changes })

/** Nobody keeps in memory what was written; or nothing was. */
export const unannounced = <T>(result: T): Written<T> => ({ result, changes: [] })

/** What one transaction at a time decides about, over all processes. */
export interface Exclusive<Locked> {
  /** Names it within this process. */
  key: string
  /** Locks it, as the first statement of the transaction; what it finds is handed on. May be tried again. */
  lock(trx: Transaction<Database>): Promise<Locked>
}

/** What every store is made from. A store reads through `db`, and each of its writes says what it announces. */
export interface SqlDatabase {
  /** For single statements that read. */
  db: Pick<Kysely<Database>, 'selectFrom' | 'getExecutor'>
  flavour: Flavour
  assertWorker: Engine['assertWorker']
  /** For single statements that write what nobody keeps in memory. */
  unannounced: Kysely<Database>
  /** The same for statements that outlast the process, though perhaps not a loss of power. */
  unsynced: Engine['unsynced']
  /** Runs one or more statements in a transaction and announces what they changed. For writes that make no id. */
  write<T>(run: (trx: Transaction<Database>) => Promise<Written<T>>): Promise<T>
  /**
   * Runs `run` in one transaction: what it did through `trx` happens as a whole, or not at all when it throws. Its changes are announced
   * with the commit. Within `run` only `trx` may be used: on SQLite there is no other connection.
   * @throws when called within another transaction, and `Unavailable` while this process may not make ids.
   */
  inTransaction<T>(run: (trx: Transaction<Database>) => Promise<Written<T>>): Promise<T>
  /**
   * The same, while no other transaction of any process has what it needs for itself. Whoever waits does so without a connection: so
   * however many wait for one thing, and however long another process holds it, all else goes on.
   * @throws besides `Unavailable` when too many wait for the same, or it is held for too long.
   */
  inExclusiveTransaction<Locked, T>(
    exclusive: Exclusive<Locked>,
    run: (trx: Transaction<Database>, locked: Locked) => Promise<Written<T>>,
  ): Promise<T>
}

/** The connection broke off, perhaps between the commit and its answer. */
const mayHaveCommitted = (error: unknown) => isUnavailable(asUnavailable(error))

export function createSqlDatabase({ db, transactions, flavour, unsynced, announcer, assertWorker, clock }: Engine): SqlDatabase {
  const open = new AsyncLocalStorage<true>()
  const exclusively = createLockQueue(clock)

  const assertOutermost = () => {
    if (open.getStore()) throw new Error('a transaction cannot be opened within another: pass its trx on instead')
  }

  const write: SqlDatabase['write'] = async (run) => {
    assertOutermost()
    let changes: readonly Change[] = []
    const whole = () =>
      transactions.transaction().execute(async (trx) => {
        const written = await run(trx)
        changes = written.changes
        await announcer.beforeCommit(trx, changes)
        return written.result
      })
    const result = await open.run(true, whole).catch((error) => {
      if (mayHaveCommitted(error)) changes.forEach(announcer.tell)
      throw error
    })
    changes.forEach(announcer.tell)
    return result
  }

  const inTransaction: SqlDatabase['inTransaction'] = async (run) => {
    assertOutermost()
    await assertWorker()
    return write(run)
  }

  return {
    db,
    flavour,
    assertWorker,
    unannounced: db,
    unsynced,
    write,
    inTransaction,
    inExclusiveTransaction: ({ key, lock }, run) =>
      exclusively(key, (locking) => inTransaction(async (trx) => run(trx, await locking(() => lock(trx))))),
  }
}
