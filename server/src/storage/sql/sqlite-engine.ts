import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { type FileLock, lockFile } from '../file-lock.ts'
import type { StorageLog } from '../storage-log.ts'
import { noLease } from '../work-lease.ts'
import { createLocalAnnouncer } from './announcer.ts'
import { cacheApps } from './cached-apps.ts'
import { cacheBearerTokens } from './cached-bearer-tokens.ts'
import { cacheCandidates } from './cached-candidates.ts'
import { cacheUserTokens } from './cached-user-tokens.ts'
import { cacheWebhooks } from './cached-webhooks.ts'
import type { Engine } from './engine.ts'
import { sqliteFlavour } from './flavour.ts'
import { createMemoryRateWindows } from './memory-rate-windows.ts'
import type { Database } from './schema.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'
import { openSqliteFile } from './sqlite-file.ts'

function lockOrClose(path: string, file: DatabaseSync): FileLock {
  try {
    return lockFile(path)
  } catch (error) {
    file.close()
    throw error
  }
}

/** A SQLite file, which one process has for itself. */
export function openSqliteEngine(path: string, clock: Clock, log?: StorageLog): Engine {
  const file = openSqliteFile(path)
  const lock = path === ':memory:' ? undefined : lockOrClose(path, file)
  const announcer = createLocalAnnouncer(log)
  const rateWindows = createMemoryRateWindows()
  announcer.listen(({ kind }) => kind === 'everything' && rateWindows.clear())
  const db = new Kysely<Database>({ dialect: createSqliteDialect(file) })
  return {
    clock,
    db,
    transactions: db,
    maintenance: db,
    flavour: sqliteFlavour,
    announcer,
    rateWindows,
    refine: ({ apps, bearerTokens, userTokens, webhooks, subscriptions, ...others }) => ({
      ...others,
      apps: cacheApps(apps, announcer),
      bearerTokens: cacheBearerTokens(bearerTokens, announcer),
      userTokens: cacheUserTokens(userTokens, announcer),
      webhooks: cacheWebhooks(webhooks, announcer),
      subscriptions: cacheCandidates(subscriptions, announcer),
    }),
    unsynced: (run) =>
      db.connection().execute(async (alone) => {
        file.exec('pragma synchronous = normal')
        try {
          return await run(alone)
        } finally {
          file.exec('pragma synchronous = full')
        }
      }),
    worker: 0,
    livingWorkers: async () => [0],
    assertWorker() {},
    lease: noLease,
    async ready() {},
    async close() {
      await db.destroy()
      lock?.release()
    },
  }
}
