import { sql, type Transaction } from 'kysely'
import type { Change, Changes } from '../changes.ts'
import type { StorageLog } from '../storage-log.ts'
import type { Database } from './schema.ts'

/** Carries what a transaction changed to those who listen, if and only if it commits. */
export interface Announcer extends Changes {
  beforeCommit(trx: Transaction<Database>, changes: readonly Change[]): Promise<void>
  afterCommit(changes: readonly Change[]): void
}

/** The channel of PostgreSQL on which the processes of a database tell one another. */
export const CHANNEL = 'postern_changes'

/** The listeners of this process. One that throws is logged and keeps nothing from the others. */
export function createListeners(log?: StorageLog) {
  const listeners: ((change: Change) => void)[] = []
  const tell = (change: Change) => {
    for (const heard of listeners) {
      try {
        heard(change)
      } catch (error) {
        log?.error({ err: error, change }, 'a listener of storage changes failed')
      }
    }
  }
  return { listen: (heard: (change: Change) => void) => void listeners.push(heard), tell }
}
export type Listeners = ReturnType<typeof createListeners>

/** For the only process of a database. */
export const createLocalAnnouncer = ({ listen, tell }: Listeners): Announcer => ({
  listen,
  beforeCommit: async () => {},
  afterCommit: (changes) => changes.forEach(tell),
})

/** PostgreSQL sends a notification when its transaction commits. This process hears it on its session, as all others do. */
export const createNotifyingAnnouncer = ({ listen }: Listeners): Announcer => ({
  listen,
  async beforeCommit(trx, changes) {
    for (const change of changes) await sql`select pg_notify(${CHANNEL}, ${JSON.stringify(change)})`.execute(trx)
  },
  afterCommit: () => {},
})
