import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely, Transaction } from 'kysely'
import type { Change } from '../changes.ts'
import { asUnavailable, isUnavailable } from '../unavailable.ts'
import type { Engine } from './engine.ts'
import { createExclusive } from './exclusive.ts'
import type { Flavour } from './flavour.ts'
import type { Database } from './schema.ts'

type Tell = (change: Change) => void

/** What one transaction at a time decides about, over all processes. */
export interface Exclusive<Locked> {
  /** Names it within this process. */
  key: string
  /** Takes it, as the first thing in the transaction; what it finds is handed on. May be tried again. */
  lock(trx: Transaction<Database>): Promise<Locked>
}

/** What every store is made from. */
export interface SqlDatabase {
  db: Kysely<Database>
  flavour: Flavour
  unsynced: Engine['unsynced']
  assertWorker: Engine['assertWorker']
  /**
   * Runs `run` in one transaction: what it did through `trx` happens as a whole, or not at all when it throws. The changes
   * that it tells are announced with the commit. Within `run` only `trx` may be used: on SQLite there is no other connection.
   * @throws when called within another transaction, and `Unavailable` while this process may not make ids.
   */
  inTransaction<T>(run: (trx: Transaction<Database>, tell: Tell) => Promise<T>): Promise<T>
  /**
   * The same, while no other transaction of any process has what it needs for itself. Whoever waits does so without a connection: so
   * however many wait for one thing, and however long another process holds it, all else goes on.
   * @throws besides `Unavailable` when too many wait for the same, or it is held for too long.
   */
  inExclusiveTransaction<Locked, T>(
    exclusive: Exclusive<Locked>,
    run: (trx: Transaction<Database>, tell: Tell, locked: Locked) => Promise<T>,
  ): Promise<T>
}

/** The connection broke off, perhaps between the commit and its answer. */
const mayHaveCommitted = (error: unknown) => isUnavailable(asUnavailable(error))

export function createSqlDatabase({ db, transactions, flavour, unsynced, announcer, assertWorker, clock }: Engine): SqlDatabase {
  const open = new AsyncLocalStorage<true>()
  const exclusively = createExclusive(clock)

  const inTransaction: SqlDatabase['inTransaction'] = async (run) => {
    if (open.getStore()) throw new Error('a transaction cannot be opened within another: pass its trx on instead')
    await assertWorker()
    const changes: Change[] = []
    const whole = () =>
      transactions.transaction().execute(async (trx) => {
        const result = await run(trx, (change) => void changes.push(change))
        await announcer.beforeCommit(trx, changes)
        return result
      })
    const tellAll = () => changes.forEach(announcer.tell)
    const result = await open.run(true, whole).catch((error) => {
      if (mayHaveCommitted(error)) tellAll()
      throw error
    })
    tellAll()
    return result
  }

  return {
    db,
    flavour,
    unsynced,
    assertWorker,
    inTransaction,
    inExclusiveTransaction: ({ key, lock }, run) =>
      exclusively(key, (locking) => inTransaction(async (trx, tell) => run(trx, tell, await locking(() => lock(trx))))),
  }
}
