import type { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
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
