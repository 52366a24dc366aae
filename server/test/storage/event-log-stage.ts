import { type Clock, createClock } from '../../src/lib/clock.ts'
import type { Attempt, Delivery, EventLog, NewEvent, WebhookTarget } from '../../src/storage/event-log.ts'
import { createNumbering, type Numbering, openPostgresLog, type PostgresLog } from '../../src/storage/log/postgres/open-postgres-log.ts'
import { joinLogs } from '../../src/storage/log/several/join-logs.ts'
import { createMember, type Member, meansAway } from '../../src/storage/log/several/member.ts'
import { openSqliteLog } from '../../src/storage/log/sqlite/open-sqlite-log.ts'
import { assign, divideEvenly, type Place, placesOf, slotOf } from '../../src/storage/log-map.ts'
import { mapErrors } from '../../src/storage/map-errors.ts'
import { createOutage } from '../../src/storage/outage.ts'
import { LOG_CHANNEL, type LogHeard, type LogListener } from '../../src/storage/postgres/log-listener.ts'
import { openReconnectingClient } from '../../src/storage/postgres/reconnecting-client.ts'
import { asUnavailable } from '../../src/storage/unavailable.ts'
import type { WorkLease } from '../../src/storage/work-lease.ts'
import { type Flavour, migratedDatabase, type TestDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'

export const MINUTE_MS = 60_000

/** What carries a log: a database, or three of PostgreSQL. */
export type Carrier = Flavour | 'three logs'

/** What a test file of the port runs on. */
export const carriersOf = (meta: ImportMeta): readonly Carrier[] => {
  const found = databasesOf(meta)
  return found.includes('postgres') ? [...found, 'three logs'] : found
}

/** Three logs are one URL here. */
const splitUrls = (url: string) => url.split(' ')

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
  numbering?: Numbering
}

/** The log, with a connection of its own for its messages. */
async function openOnPostgres(
  url: string,
  { clock, worker, living, session, lease, numbering }: OpenOptions & { worker: number; living: number[] },
): Promise<PostgresLog> {
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
  const given = { ...(session && { workerSession: session }), ...(lease && { lease }), ...(numbering && { numbering }) }
  const own = { worker, livingWorkers: async () => living, ...given }
  const log = await openPostgresLog({ url, listener, clock, ...own })
  return { ...log, close: () => log.close().finally(() => connection.close()) }
}

/** Which of three logs has a webhook, when the slots are divided evenly. */
export const logOfThree = (webhookId: string) => (slotOf(webhookId) % 3) + 1

/** Ids of webhooks that are in one log of three. */
export const idsOfOneLog = (count: number, log = 1): string[] => {
  const ids: string[] = []
  for (let id = 1; ids.length < count; id += 1) if (logOfThree(String(id)) === log) ids.push(String(id))
  return ids
}

export interface JoinedStage {
  log: EventLog
  members: Map<number, Member>
  /** Moves slots, as another process would. */
  setPlaces(changed: readonly Place[]): void
}

/** The logs of these databases as one; all slots are divided between them. */
export async function openJoined(
  urls: readonly string[],
  options: OpenOptions & { worker: number; living: number[] },
): Promise<JoinedStage> {
  const { clock, worker } = options
  const numbering = createNumbering(clock, worker)
  const members = new Map<number, Member>()
  const numbers = urls.map((_, at) => at + 1)
  let places: readonly Place[] = placesOf(assign({ state: '', epoch: 0, logs: [], assignments: [] }, divideEvenly(numbers), 0))
  const joined = joinLogs({
    members,
    places: () => places,
    numbering,
    assertWorker() {},
    trimmed: async () => {},
    logger: undefined,
  })
  for (const [at, url] of urls.entries()) {
    const open = async (lost: (error: unknown) => void) => {
      const opened = await openOnPostgres(url, { ...options, numbering })
      const mapError = (error: unknown) => {
        if (meansAway(error)) lost(error)
        return asUnavailable(error)
      }
      const mapped = mapErrors(opened, mapError, { notMapped: ['acknowledge'] })
      joined.listenTo(at + 1, mapped)
      return mapped
    }
    const returned = (sinceMs: number) => joined.returned(at + 1, sinceMs)
    members.set(at + 1, createMember({ log: at + 1, place: url, open, clock, logger: undefined, returned }))
  }
  await Promise.all([...members.values()].map((member) => member.start()))
  return { log: joined.port, members, setPlaces: (changed) => (places = changed) }
}

/** Opens the log of a migrated database and listens for what it hands out. Nothing is recovered yet. */
export async function openLog(
  carrier: Carrier,
  url: string,
  { clock, worker = 0, living = [worker], session, lease }: OpenOptions,
): Promise<OpenedLog> {
  const options = { clock, worker, living, session, ...(lease && { lease }) }
  const open: Record<Carrier, () => Promise<EventLog>> = {
    sqlite: () => openSqliteLog({ path: url.slice('sqlite:'.length), clock }),
    postgres: () => openOnPostgres(url, options),
    'three logs': async () => (await openJoined(splitUrls(url), options)).log,
  }
  const log = await open[carrier]()
  const held: Delivery[] = []
  log.onHeld((deliveries) => void held.push(...deliveries))
  return { log, held }
}

/** The databases of a carrier, as one URL. Gone when disposed of. */
async function databasesFor(carrier: Carrier): Promise<TestDatabase> {
  if (carrier !== 'three logs') return migratedDatabase(carrier)
  const three = [await migratedDatabase('postgres'), await migratedDatabase('postgres'), await migratedDatabase('postgres')]
  return {
    url: three.map(({ url }) => url).join(' '),
    async [Symbol.asyncDispose]() {
      for (const one of three) await one[Symbol.asyncDispose]()
    },
  }
}

/**
 * A log on databases of its own, recovered, that can be closed and opened again. Gone when disposed of. A database is `given` for a
 * test that changes more than rows.
 */
export async function stageLog(carrier: Carrier, clock = createClock(), given?: TestDatabase) {
  const database = given ?? (await databasesFor(carrier))
  let opened = await openLog(carrier, database.url, { clock })
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
      opened = await openLog(carrier, database.url, { clock: newClock })
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
