import { sql, type Transaction } from 'kysely'
import type { Change, Changes } from '../changes.ts'
import type { StorageLog } from '../storage-log.ts'
import type { Database } from './schema.ts'

/** Announces the changes of a transaction to the listeners if, and only if, it commits. */
export interface Announcer extends Changes {
  /**
   * Schedules the notification of other processes with the commit. If a call `isRepeated`, the others have to acknowledge all changes of
   * before, though it changes nothing.
   */
  beforeCommit(trx: Transaction<Database>, changes: readonly Change[], isRepeated?: boolean): Promise<PendingChanges>
  /** Notifies the listeners of this process. If one throws, that is logged and the others are still called. */
  tell(change: Change): void
}

/** The changes of a transaction, until it has committed. */
export interface PendingChanges {
  /** Called once they are committed: notifies the listeners of those of which they have not heard. */
  tell(): void
  /** Called after that: resolves once no process believes the former values. Never rejects. Undefined if no process caches them. */
  acknowledged(): Promise<void> | undefined
  /** Called if they may be committed, now or later: notifies the listeners, and again once they are. */
  doubt(): void
  /** Called if they were not committed. */
  cancel(): void
}

/** A change of what other processes cache. */
export interface PendingChange {
  /** Called once it is committed: resolves once no process believes the former value. Never rejects. */
  acknowledged(): Promise<void>
  /** Called if it was not committed. */
  cancel(): void
}

/** How the processes of a database acknowledge each other's changes. */
export interface Acknowledgements {
  /** This process, in its messages. */
  readonly process: string
  /** Begins a change of this process, whose number its message has. */
  begin(): PendingChange & { number: number }
  /** A change has arrived, of this process or another, and the caches have been told of it. */
  heard(by: string, number: number): void
  /** Whether the caches of this process may be believed now. Ask at each lookup: heartbeats are only sent while there are any. */
  holds(): boolean
}

/** The announcer of a shared database. */
export interface NotifyingAnnouncer extends Announcer {
  /** Handles a message of the channel. A missing or unknown message means that some may have been missed. */
  hear(message?: string): void
}

/** The PostgreSQL notification channel of the processes of a database. */
export const CHANNEL = 'postern_changes'

/** Of a call that finds its change already made. */
const NOTHING = { kind: 'nothing' } as const

interface Message {
  change: Change | typeof NOTHING
  /** The sender, if it has already notified its own listeners. */
  by?: string
  /** The place of the change among those of its sender. */
  place?: number
  /** The sender waits until this change is acknowledged, and those of the same transaction, which come before it. */
  number?: number
}

/** Whether processes may cache what is changed, so that the change has to be acknowledged. */
const isCached: Record<Change['kind'], boolean> = {
  webhook: true,
  app: true,
  user: true,
  'bearer-token': true,
  'user-token': true,
  everything: true,
  replay: false,
  resend: false,
  subscriptions: false,
  streams: false,
  logs: false,
  arrival: false,
  departure: false,
  lease: false,
  idle: false,
  due: false,
}

export const messageOf = (change: Message['change'], more: Omit<Message, 'change'> = {}) =>
  JSON.stringify({ change, ...more } satisfies Message)

const EVERYTHING: Message = { change: { kind: 'everything' } }

function parseMessage(text: string | undefined): Message {
  try {
    const message: Partial<Message> = JSON.parse(text ?? '')
    return message.change ? { ...message, change: message.change } : EVERYTHING
  } catch {
    return EVERYTHING
  }
}

/** For the only process of a database. */
export function createLocalAnnouncer(log?: StorageLog): Announcer {
  const listeners: ((change: Change) => void)[] = []
  const tell = (change: Change) => {
    for (const heard of listeners) {
      try {
        heard(change)
      } catch (error) {
        log?.error({ err: error, change }, 'a change listener threw')
      }
    }
  }
  return {
    listen: (heard) => void listeners.push(heard),
    hearsAll: () => true,
    async beforeCommit(_, changes) {
      const tellAll = () => changes.forEach(tell)
      return { tell: tellAll, acknowledged: () => undefined, doubt: tellAll, cancel() {} }
    },
    tell,
  }
}

/** Places of changes whose own notification is awaited. It may never come: of one that is forgotten the listeners are only told twice. */
const MAX_AWAITED = 10_000

/**
 * PostgreSQL sends a notification when the transaction commits. This process notifies its own listeners with the answer to the commit or with
 * its own notification, whichever comes first: the answer may be late, and what it then hears may be the acknowledged repetition of a call.
 * Where the answer is lost the notification alone says when the commit has taken effect: until then a cache may have loaded the former value.
 */
export function createNotifyingAnnouncer(acknowledgements: Acknowledgements, log?: StorageLog): NotifyingAnnouncer {
  const { listen, tell } = createLocalAnnouncer(log)
  const self = acknowledgements.process
  /** Places of the changes of this process of which its listeners have not heard. */
  const untold = new Set<number>()
  /** Places of those of which they heard with the answer: their own notification is no news. */
  const told = new Set<number>()
  let lastPlace = 0

  const awaitOwn = (place: number) => {
    if (told.size >= MAX_AWAITED) told.clear()
    told.add(place)
  }

  const hearOwn = (place: number, change: Change) => {
    if (told.delete(place)) return
    untold.delete(place)
    tell(change)
  }

  return {
    listen,
    tell,
    hearsAll: acknowledgements.holds,
    async beforeCommit(trx, changes, isRepeated = false) {
      const awaited = isRepeated ? NOTHING : changes.findLast(({ kind }) => isCached[kind])
      const pending = awaited && acknowledgements.begin()
      const placed = changes.map((change) => ({ change, place: ++lastPlace }))
      const cancel = () => {
        for (const { place } of placed) untold.delete(place)
        pending?.cancel()
      }
      const numbered = (change: Message['change']) => (change === awaited ? { number: pending?.number } : {})
      const messages = placed.map(({ change, place }) => messageOf(change, { by: self, place, ...numbered(change) }))
      if (isRepeated) messages.push(messageOf(NOTHING, { by: self, ...numbered(NOTHING) }))
      try {
        for (const message of messages) await sql`select pg_notify(${CHANNEL}, ${message})`.execute(trx)
      } catch (error) {
        cancel()
        throw error
      }
      for (const { place } of placed) untold.add(place)
      return {
        tell() {
          for (const { change, place } of placed) {
            if (!untold.delete(place)) continue
            awaitOwn(place)
            tell(change)
          }
        },
        acknowledged: () => pending?.acknowledged(),
        doubt() {
          for (const { change, place } of placed) if (untold.has(place)) tell(change)
          cancel()
        },
        cancel,
      }
    },
    hear(message) {
      const { change, by, number, place } = parseMessage(message)
      if (change.kind !== 'nothing') {
        if (by !== self) tell(change)
        else if (place !== undefined) hearOwn(place, change)
      }
      if (by !== undefined && number !== undefined) acknowledgements.heard(by, number)
    },
  }
}
