import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { Change, Changes } from '../changes.ts'
import type { StorageLog } from '../storage-log.ts'
import type { Database } from './schema.ts'

/** Carries what a transaction changed to those who listen, if and only if it commits. */
export interface Announcer extends Changes {
  /** Has the other processes told with the commit. */
  beforeCommit(trx: Transaction<Database>, changes: readonly Change[]): Promise<void>
  /** Tells this process. A listener that throws is logged and keeps nothing from the others. */
  tell(change: Change): void
}

/** The announcer of a database that processes share. */
export interface NotifyingAnnouncer extends Announcer {
  /** Takes a message from the channel. None, or one that is not ours: something was missed. */
  hear(message?: string): void
}

/** The channel of PostgreSQL on which the processes of a database tell one another. */
export const CHANNEL = 'postern_changes'

interface Message {
  change: Change
  /** The process that tells, when it has told itself. */
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

/** PostgreSQL sends a notification when its transaction commits; this process knows it already, without waiting for that. */
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
