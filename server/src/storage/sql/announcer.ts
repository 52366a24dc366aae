import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { Change, Changes } from '../changes.ts'
import type { StorageLog } from '../storage-log.ts'
import type { Database } from './schema.ts'

/** Announces the changes of a transaction to the listeners if, and only if, it commits. */
export interface Announcer extends Changes {
  /** Schedules the notification of other processes with the commit. */
  beforeCommit(trx: Transaction<Database>, changes: readonly Change[]): Promise<void>
  /** Notifies the listeners of this process. If one throws, that is logged and the others are still called. */
  tell(change: Change): void
}

/** The announcer of a shared database. */
export interface NotifyingAnnouncer extends Announcer {
  /** Handles a message of the channel. A missing or unknown message means that some may have been missed. */
  hear(message?: string): void
}

/** The PostgreSQL notification channel of the processes of a database. */
export const CHANNEL = 'postern_changes'

interface Message {
  change: Change
  /** The sender, if it has already notified its own listeners. */
  by?: string
}

export const messageOf = (change: Change, by?: string) => JSON.stringify({ change, by } satisfies Message)

const EVERYTHING: Message = { change: { kind: 'everything' } }

function parseMessage(text: string | undefined): Message {
  try {
    const { change, by }: Partial<Message> = JSON.parse(text ?? '')
    return change ? { change, by } : EVERYTHING
  } catch {
    return EVERYTHING
  }
}

/** For the only process of a database. */
export function createLocalAnnouncer(log?: StorageLog): Announcer {
  const listeners: ((change: Change) => void)[] = []
  return {
    listen: (heard) => void listeners.push(heard),
    beforeCommit: async () => {},
    tell(change) {
      for (const heard of listeners) {
        try {
          heard(change)
        } catch (error) {
          log?.error({ err: error, change }, 'a change listener threw')
        }
      }
    },
  }
}

/** PostgreSQL sends a notification when the transaction commits. This process notifies its own listeners without waiting for it. */
export function createNotifyingAnnouncer(log?: StorageLog): NotifyingAnnouncer {
  const { listen, tell } = createLocalAnnouncer(log)
  const self = randomUUID()
  return {
    listen,
    tell,
    async beforeCommit(trx, changes) {
      for (const change of changes) await sql`select pg_notify(${CHANNEL}, ${messageOf(change, self)})`.execute(trx)
    },
    hear(message) {
      const { change, by } = parseMessage(message)
      if (by !== self) tell(change)
    },
  }
}
