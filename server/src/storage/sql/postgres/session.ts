import type { Client, QueryResult } from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import type { FeedChannel, FeedHeard } from '../../feed-channel.ts'
import { createOutage, type Outage } from '../../outage.ts'
import { LIFT_LIMITS } from '../../postgres/connection.ts'
import { LOG_CHANNEL, type LogHeard, type LogListener } from '../../postgres/log-listener.ts'
import { openReconnectingClient, RECONNECT_DELAY_MS, type ReconnectingClient } from '../../postgres/reconnecting-client.ts'
import type { Role } from '../../roles.ts'
import type { PeerRelease } from '../../schema-changes.ts'
import type { StorageLog } from '../../storage-log.ts'
import { DatabaseAway } from '../../unavailable.ts'
import { CHANNEL, messageOf } from '../announcer.ts'
import { FEED_CHANNEL, NOTIFY_ALL_UNSYNCED, REPORT_CHANNEL } from './cache-messages.ts'
import type { CacheTrust } from './cache-trust.ts'
import { releaseOfSession, sessionName } from './sharing-processes.ts'
import { allTaken, giveBackWorkers, LOCK_CLASS, othersText, takeWorkerText } from './worker-number.ts'

export interface PostgresSession {
  worker: number
  /** The processes that had a worker number when this one took its own. */
  peers: readonly PeerRelease[]
  /** Brings the messages of the event log. */
  logListener: LogListener
  feedChannel: FeedChannel
  reportChannel: FeedChannel
  /** False from the loss of the connection until it has the worker number again. */
  isHeld(): boolean
  /** Counts how often the worker number was taken: it identifies the connection. Undefined while the session is lost. */
  current(): number | undefined
  /**
   * Rejects with `Unavailable` while the session is lost. Resolves once it has been held long enough for all live processes to hold theirs
   * again: after an outage of the database, a process without a session may only be slower.
   */
  settled(): Promise<void>
  /** Called when the database is used: probes the session if it has not responded lately. */
  touch(): void
  /** Resolves once the server has confirmed the session lately. Undefined if there is nothing to wait for. */
  proven(): Promise<void> | undefined
  /** Begins to believe caches. Call it once the tables exist. */
  startCaching(): Promise<void>
  close(): Promise<void>
}

interface SessionOptions {
  /** It does not keep the process alive. */
  unheld?: boolean | undefined
  /** What this process does; all by default. */
  roles?: readonly Role[] | undefined
  url: string
  clock: Clock
  log: StorageLog | undefined
  outage: Outage
  trust: CacheTrust
  /** Called with each announced change, and without one if some may have been missed. */
  hear(message?: string): void
}

/**
 * Makes the server notice within a minute that this process has died silently, and release its worker number; also while the server waits
 * for the process to read a notification. The process notices a lost connection earlier than the server (`connectionConfig`).
 */
const NOTICE_DEATH =
  'set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3; set tcp_user_timeout = 60000'

/** The server process of a connection. Process ids are reused, so it includes the start time. */
interface Backend {
  pid: number
  began: string
}

const OWN_BACKEND = 'select pid, backend_start::text as began from pg_stat_activity where pid = pg_backend_pid()'

/** The statements that return rows, in this order. */
type Prepared = [backend: QueryResult<Backend>, number: QueryResult<{ worker: number }>, others: QueryResult<{ name: string | null }>]

/** The server may not have noticed yet that the former connection of this process is dead, and would keep the number for it. Behind a pooler
 * its server process may serve another connection by now, which does not have the number. */
const END_BACKEND = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where pid = $1 and backend_start::text = $2 and pid <> pg_backend_pid() and exists (
    select 1 from pg_locks held where held.pid = pg_stat_activity.pid and locktype = 'advisory' and granted
      and classid = ${LOCK_CLASS} and objid::int = $3 and objsubid = 2)`

/** Longer than the reconnect delay of any process. */
const SETTLED_AFTER_MS = 3 * RECONNECT_DELAY_MS

const ARRIVAL = { kind: 'arrival' } as const

/** All in one query. The connection listens before it looks at the numbers of others: whoever takes one later is heard. */
function preparation({ channels, process }: CacheTrust, known: number | undefined): string {
  const listen = [CHANNEL, LOG_CHANNEL, FEED_CHANNEL, REPORT_CHANNEL, ...channels].map((channel) => `listen "${channel}"`)
  const take = takeWorkerText(known, CHANNEL, messageOf(ARRIVAL, { by: process }))
  return ['begin', NOTICE_DEATH, LIFT_LIMITS, ...listen, 'commit', OWN_BACKEND, take, othersText].join('; ')
}

/** The channels on which processes tell each other what is not stored. */
function createProcessChannels() {
  const listening = new Map<string, FeedHeard>()
  return {
    over: ({ isConnected, query }: ReconnectingClient, name: string): FeedChannel => ({
      isConnected,
      send: (messages) => query(NOTIFY_ALL_UNSYNCED, [name, messages]),
      listen: (heard) => void listening.set(name, heard),
    }),
    has: (name: string) => name === FEED_CHANNEL || name === REPORT_CHANNEL,
    notified: (payload: string, name: string) => listening.get(name)?.notified(payload),
    restored() {
      for (const heard of listening.values()) heard.restored()
    },
  }
}

/**
 * The permanent connection of a process: it receives the changes of all processes and the messages of the event log, proves that this one
 * has received them, and holds the worker number of this one.
 * Another process that has the number while it is lost would make the same ids and sequence numbers, so nothing that carries one is
 * written until it is held again: such requests are answered with 503. Deliveries go on; a process that takes them over deregisters this one.
 *
 *   held → lost: the connection ended. Messages are missed, and other processes can take the number.
 *   lost → held: after a delay it connected, listens, and has the same number again, because ids are made with it; then `everything` is announced.
 *   lost → lost: it could not connect, or another process has the number; it tries again after the delay.
 *   any → closed, for good.
 *
 * While another process has the number nothing is heard, also not for the event log: open activity streams get no events of other processes.
 */
export async function openPostgresSession({
  url,
  clock,
  log,
  outage,
  trust,
  hear,
  unheld,
  roles,
}: SessionOptions): Promise<PostgresSession> {
  let worker: number | undefined
  let backend: Backend | undefined
  let peers: readonly PeerRelease[] = []
  let logHeard: LogHeard | undefined
  const channels = createProcessChannels()
  let taken = 0
  const numberTaken = createOutage(clock, log, { message: "another process holds this process's worker number: restart this process" })

  const notTaken = () => {
    if (worker === undefined) return allTaken()
    const error = new Error(`another process has the worker number ${worker}`)
    numberTaken.report(error)
    return error
  }

  const prepare = async (client: Client) => {
    trust.reset()
    if (backend) await client.query(END_BACKEND, [backend.pid, backend.began, worker])
    const results = (await client.query(preparation(trust, worker))) as unknown as QueryResult[]
    const [own, number, others] = results.slice(-3) as Prepared
    backend = own.rows[0]
    if (number.rows.length === 0) throw notTaken()
    worker = number.rows[0]!.worker
    peers = others.rows.map(({ name }) => releaseOfSession(name))
    taken += 1
    // Last: a process that registers again and again, because something else fails, would delay every change of the others.
    await trust.prepare(client)
  }

  /** In elapsed time. At the start the other connections exist already. */
  let restoredMs = Number.NEGATIVE_INFINITY

  const connection = await openReconnectingClient({
    url,
    name: sessionName(roles),
    clock,
    outage,
    prepare,
    unheld,
    restored() {
      restoredMs = clock.elapsed()
      hear()
      // They may have started while this process did not listen.
      if (peers.length > 0) hear(messageOf(ARRIVAL))
      logHeard?.restored()
      channels.restored()
    },
    notified(payload = '', channel) {
      if (channel === CHANNEL) hear(payload)
      else if (channel === LOG_CHANNEL) logHeard?.notified(payload)
      else if (channels.has(channel)) channels.notified(payload, channel)
      else trust.notified(payload, channel)
    },
  })

  const settled = async (): Promise<void> => {
    const leftMs = restoredMs + SETTLED_AFTER_MS - clock.elapsed()
    if (leftMs > 0) await new Promise<void>((resolve) => void clock.after(leftMs, resolve))
    if (!connection.isConnected()) throw new DatabaseAway('The database session was lost. Retry in a moment.')
  }

  return {
    worker: worker!,
    peers,
    logListener: {
      ...connection,
      listen(heard) {
        logHeard = heard
      },
    },
    feedChannel: channels.over(connection, FEED_CHANNEL),
    reportChannel: channels.over(connection, REPORT_CHANNEL),
    isHeld: connection.isConnected,
    current: () => (connection.isConnected() ? taken : undefined),
    settled,
    touch: connection.touch,
    proven: connection.proven,
    startCaching: () => trust.start(connection),
    // The server would free the number only once it has noticed the end.
    close: () =>
      connection.close(async (client) => {
        await trust.leave(client).catch(() => {})
        await giveBackWorkers(client)
      }),
  }
}
