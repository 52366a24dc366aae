import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { lazy } from '../../../lib/lazy.ts'
import { nameDamage } from '../../files/damage.ts'
import type { Engine } from '../engine.ts'
import type { Database } from '../schema.ts'

/** How writes are committed without waiting for the disk: those of `unsynced` until the next commit that waits, those of `repeatably` until it ends. */
export function createWithoutSync(db: Kysely<Database>, file: DatabaseSync): Required<Pick<Engine, 'unsynced' | 'repeatably'>> {
  const set = (level: 'normal' | 'full') => file.exec(`pragma synchronous = ${level}`)
  /** A transaction that is open would refuse it. */
  const setAlone = (level: 'normal' | 'full') => db.connection().execute(async () => set(level))
  return {
    unsynced: (run) =>
      db.connection().execute(async (alone) => {
        set('normal')
        try {
          return await run(alone)
        } finally {
          set('full')
        }
      }),
    async repeatably(run) {
      await setAlone('normal')
      try {
        return await run()
      } finally {
        await setAlone('full')
        // A commit that waits syncs the whole write-ahead log. A checkpoint would copy the mark of an open file (see `markOpen`).
        await db.connection().execute(async () => file.exec('pragma user_version = 0'))
      }
    },
  }
}

/** An open file, and what follows each of its commits. */
interface Committing {
  file: DatabaseSync
  path: string
  committed(): void
}

/**
 * Makes a writing statement whose commit does not wait for the disk. It runs at once, unless a transaction is open on the connection; its rows
 * are arrays.
 */
export function createUnsyncedStatement(db: Kysely<Database>, { file, path, committed }: Committing, text: string) {
  const prepared = lazy(() => {
    const statement = file.prepare(text)
    statement.setReturnArrays(true)
    return statement
  })
  const run = (values: SQLInputValue[]) => {
    file.exec('pragma synchronous = normal')
    try {
      const rows = prepared().all(...values) as unknown as unknown[][]
      committed()
      return rows
    } catch (error) {
      throw nameDamage(error, 'database', path)
    } finally {
      file.exec('pragma synchronous = full')
    }
  }
  return async (...values: SQLInputValue[]) => (file.isTransaction ? db.connection().execute(async () => run(values)) : run(values))
}
