import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely, Transaction } from 'kysely'
import type { Change } from '../changes.ts'
import { asUnavailable, isUnavailable } from '../unavailable.ts'
import type { Engine } from './engine.ts'
import type { Flavour } from './flavour.ts'
import type { Database } from './schema.ts'

/** What every store is made from. */
export interface SqlDatabase {
  db: Kysely<Database>
  flavour: Flavour
  unsynced: Engine['unsynced']
  /**
   * Runs `run` in one transaction: what it did through `trx` happens as a whole, or not at all when it throws. The changes
   * that it tells are announced with the commit. Within `run` only `trx` may be used: on SQLite there is no other connection.
   * @throws when called within another transaction, and `Unavailable` while this process may not make ids.
   */
  inTransaction<T>(run: (trx: Transaction<Database>, tell: (change: Change) => void) => Promise<T>): Promise<T>
}

/** The connection broke off, perhaps between the commit and its answer. */
const mayHaveCommitted = (error: unknown) => isUnavailable(asUnavailable(error))

export function createSqlDatabase({ db, flavour, unsynced, announcer, assertWorker }: Engine): SqlDatabase {
  const open = new AsyncLocalStorage<true>()

  const inTransaction: SqlDatabase['inTransaction'] = async (run) => {
    if (open.getStore()) throw new Error('a transaction cannot be opened within another: pass its trx on instead')
    assertWorker()
    const changes: Change[] = []
    const whole = () =>
      db.transaction().execute(async (trx) => {
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

  return { db, flavour, unsynced, inTransaction }
}
