import { type Clock, createClock } from '../../src/lib/clock.ts'
import type { Attempt, Delivery, EventLog, NewEvent, WebhookTarget } from '../../src/storage/event-log.ts'
import { openPostgresLog } from '../../src/storage/log/postgres/open-postgres-log.ts'
import { openSqliteLog } from '../../src/storage/log/sqlite/open-sqlite-log.ts'
import { createOutage } from '../../src/storage/outage.ts'
import { LOG_CHANNEL, type LogHeard, type LogListener } from '../../src/storage/postgres/log-listener.ts'
import { openReconnectingClient } from '../../src/storage/postgres/reconnecting-client.ts'
import type { WorkLease } from '../../src/storage/work-lease.ts'
import { type Flavour, migratedDatabase } from '../stage/database.ts'

export const MINUTE_MS = 60_000

export interface OpenedLog {
  log: EventLog
  /** Everything that was handed out through `onHeld` since the opening. */
  held: Delivery[]
}

interface OpenOptions {
  clock: Clock
  worker?: number
  living?: number[]
  session?: (() => number | undefined) | undefined
  lease?: WorkLease
}

/** The log, with a connection of its own for its messages. */
async function openOnPostgres(
  url: string,
  { clock, worker, living, session, lease }: OpenOptions & { worker: number; living: number[] },
): Promise<EventLog> {
  let heard: LogHeard | undefined
  const connection = await openReconnectingClient({
    url,
    name: 'postern-log',
    clock,
    outage: createOutage(clock),
    prepare: (client) => client.query(`listen ${LOG_CHANNEL}`),
    notified: (payload = '') => heard?.notified(payload),
    restored: () => heard?.restored(),
  })
  const listener: LogListener = { ...connection, listen: (given) => (heard = given) }
  const own = { worker, livingWorkers: async () => living, ...(session && { workerSession: session }), ...(lease && { lease }) }
  const log = await openPostgresLog({ url, listener, clock, ...own })
  return { ...log, close: () => log.close().finally(() => connection.close()) }
}

/** Opens the log of a migrated database and listens for what it hands out. Nothing is recovered yet. */
export async function openLog(
  flavour: Flavour,
  url: string,
  { clock, worker = 0, living = [worker], session, lease }: OpenOptions,
): Promise<OpenedLog> {
  const log =
    flavour === 'sqlite'
      ? await openSqliteLog({ path: url.slice('sqlite:'.length), clock })
      : await openOnPostgres(url, { clock, worker, living, session, ...(lease && { lease }) })
  const held: Delivery[] = []
  log.onHeld((deliveries) => void held.push(...deliveries))
  return { log, held }
}

/** A log on a database of its own, recovered, that can be closed and opened again. Gone when disposed of. */
export async function stageLog(flavour: Flavour, clock = createClock()) {
  const database = await migratedDatabase(flavour)
  let opened = await openLog(flavour, database.url, { clock })
  await opened.log.recover()
  return {
    clock,
    url: database.url,
    get log() {
      return opened.log
    },
    get held() {
      return opened.held
    },
    /** Closes the log with whatever it holds, opens it and recovers. */
    async reopen(newClock = clock) {
      await opened.log.close()
      opened = await openLog(flavour, database.url, { clock: newClock })
      return await opened.log.recover()
    },
    async [Symbol.asyncDispose]() {
      await opened.log.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

export const to = (...webhookIds: string[]): WebhookTarget[] =>
  webhookIds.map((webhookId) => ({ webhookId, match: `match of ${webhookId}` }))

export const event = (fields: Partial<NewEvent> = {}): NewEvent => ({
  eventType: 'post.create',
  userId: '101',
  content: Buffer.from('{"text":"h\u00e9llo"}'),
  targets: to('1'),
  ...fields,
})

export const events = (count: number, fields: Partial<NewEvent> = {}) => Array.from({ length: count }, () => event(fields))

export const delivered = (clock: Clock): Attempt => ({
  atMs: clock.now(),
  latencyMs: 12.5,
  timing: '2,5,12,40',
  status: 200,
  outcome: 'delivered',
  error: '',
  response: 'ok',
})

export const failed = (clock: Clock): Attempt => ({
  atMs: clock.now(),
  latencyMs: 3,
  timing: ',,0',
  status: 500,
  outcome: 'failed',
  error: 'answered 500',
  response: 'out of order',
})

export const uuids = (deliveries: readonly { eventUuid: string }[]) => deliveries.map(({ eventUuid }) => eventUuid)

/** Reads a parked webhook to the end. */
export async function readAll(log: EventLog, webhookId: string, limit = 100): Promise<Delivery[]> {
  const found: Delivery[] = []
  for (let page = await log.read(webhookId, limit); page.length > 0; page = await log.read(webhookId, limit)) found.push(...page)
  return found
}

/** A clock that counts the timers that wait on it. */
export function countingClock(): Clock & { waiting(): number } {
  const clock = createClock()
  let waiting = 0
  return {
    ...clock,
    waiting: () => waiting,
    after(delayMs, run) {
      let isOver = false
      const end = () => {
        if (!isOver) waiting--
        isOver = true
      }
      waiting++
      const timer = clock.after(delayMs, () => {
        end()
        run()
      })
      return {
        cancel() {
          end()
          timer.cancel()
        },
      }
    },
  }
}
