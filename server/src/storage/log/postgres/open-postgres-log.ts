import type { Pool } from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import { createSequence, sequenceAt, WORKER_LIMIT } from '../../../lib/ids.ts'
import type { Changes } from '../../changes.ts'
import type { Accepted, EventLog, NewEvent, Reopened, Reopening, TrimOptions } from '../../event-log.ts'
import { createOutage, type Outage } from '../../outage.ts'
import type { ConnectionWaits } from '../../postgres/connection-waits.ts'
import { LOG_CHANNEL, type LogListener } from '../../postgres/log-listener.ts'
import { openPool } from '../../postgres/pools.ts'
import type { StorageLog } from '../../storage-log.ts'
import { countPieces, noLease, type WorkLease } from '../../work-lease.ts'
import { ackOf, replayAckOf } from '../ack.ts'
import { type ExtentRow, extentOf } from '../extent.ts'
import { createListeners } from '../listeners.ts'
import { walkReopening } from '../reopen-walk.ts'
import { reportsBy } from '../report-walk.ts'
import { trimInSlices } from '../trim-in-slices.ts'
import { createCallForWork } from './call-for-work.ts'
import { createClaims } from './claims.ts'
import { commitBatches, uuidOf } from './commit-batches.ts'
import { completeEvents } from './complete-events.ts'
import { countOpen } from './count-open.ts'
import { findEvent } from './find-event.ts'
import { type KnownTargets, knownTargets } from './known-targets.ts'
import { listenForWork } from './listen.ts'
import { createOwnership } from './ownership.ts'
import { createParked } from './parked.ts'
import { parkedWebhooks } from './parked-webhooks.ts'
import { createProbe } from './probe.ts'
import { countRange, readRange } from './range.ts'
import { readStream } from './read-stream.ts'
import { recoverUnowned } from './recover-unowned.ts'
import { reopenSlice } from './reopen.ts'
import { reportSlice } from './report.ts'
import { searchSlice } from './search.ts'
import { createLogSnapshots } from './snapshots.ts'
import { trimSlice } from './trim.ts'
import type { Entry } from './write-batch.ts'

export interface PostgresLogOptions {
  /** `postgres://…` */
  url: string
  /** Brings the messages of other processes. */
  listener: LogListener
  clock: Clock
  /** The worker number of this process. */
  worker: number
  /** The worker numbers of all live processes. */
  livingWorkers(): Promise<number[]>
  /** Identifies the session that holds the number. Undefined while it is lost. */
  workerSession?(): number | undefined
  /** Throws while another process may have the number. No sequence numbers are made then. */
  assertWorker?(): Promise<void> | void
  /** Held while this process owns deliveries. */
  lease?: WorkLease
  /** Announces when another process has ended. */
  departures?: Changes
  log?: StorageLog
  outage?: Outage
  /** Its connections do not keep the process alive. */
  unheld?: boolean | undefined
  waits?: ConnectionWaits | undefined
  /** Another process sends what this one appends. */
  handsOver?: boolean | undefined
  /** Numbers the events, of this log and others; its own by default. */
  numbering?: Numbering
}

/** The log of one database. One of several also has what the others need. */
export interface PostgresLog extends EventLog {
  /** `sequences` has the number of each event, where other logs have it under that number too. */
  append(events: readonly NewEvent[], sequences?: readonly number[]): Promise<Accepted[]>
  /** What it has of events with these uuids, of those that it has. */
  known(eventUuids: readonly string[]): Promise<Map<string, KnownTargets>>
  /** Adds those targets to events that it has which they do not have yet. Their deliveries wait. Returns the uuids of those events. */
  complete(events: readonly NewEvent[]): Promise<Set<string>>
}

const extentText =
  'select count(*) as count, min(sequence) as oldest from (select sequence from log_event order by sequence limit $1) first'

/** PostgreSQL cannot store NUL in a text. One event must not fail the whole batch. */
export function assertStorable({ eventUuid = '', eventType, userId, targets, streams = [] }: NewEvent) {
  const ofTargets = targets.flatMap(({ webhookId, match, notSent = '' }) => [webhookId, match, notSent])
  const texts = [eventUuid, eventType, userId, ...ofTargets, ...streams.map(({ match }) => match)]
  if (texts.some((text) => text.includes('\0') || !text.isWellFormed()))
    throw new Error('an event contains text that is not Unicode, or a NUL')
}

/** The pools of the log. */
function openPools({ url, clock, log, outage = createOutage(clock, log), unheld, waits }: PostgresLogOptions) {
  const options = { outage, unheld, waits }
  const all = {
    reads: openPool('log', url, options),
    commits: openPool('logCommits', url, options),
    owner: openPool('logOwner', url, options),
  }
  return { ...all, outage, end: () => Promise.all(Object.values(all).map((pool) => pool.end())) }
}
type Pools = ReturnType<typeof openPools>

/** Numbers the events of one process, above every number of its own that is in the log. */
export const createNumbering = (clock: Clock, worker: number) => createSequence(clock, worker, Math.log2(WORKER_LIMIT))
export type Numbering = ReturnType<typeof createNumbering>

/** Deletes by the database's time, which a lease tells, where this machine's clock is ahead: others have accepted these events by theirs. */
async function trimLog(pool: Pool, lease: WorkLease, beforeMs: number, options: TrimOptions) {
  await lease.begin()
  lease.end()
  const aheadMs = options.userIds ? 0 : Math.max(0, -lease.aheadMs())
  return trimInSlices(beforeMs - aheadMs, options, (slice) => trimSlice(pool, slice))
}

/** Creates the parts of the log and connects them. */
async function assembleLog(pools: Pools, options: PostgresLogOptions) {
  const { listener, clock, worker, workerSession = () => 0, assertWorker = () => {}, lease = noLease, departures, log } = options
  const { handsOver = false, numbering = createNumbering(clock, worker) } = options
  const listeners = createListeners()
  const { held, committed, stream } = listeners
  const calling = createCallForWork({ pool: pools.reads, clock, worker })
  const work = handsOver ? calling.call : listeners.work
  const parked = createParked()
  const pieces = countPieces(lease)
  const ownership = await createOwnership({
    pool: pools.reads,
    ownerPool: pools.owner,
    clock,
    worker,
    log,
    session: workerSession,
    assertWorker,
    registered: numbering.skipPast,
    tookOver: listeners.tookOver,
    ownershipLost() {
      pieces.end(listeners.lost(() => true))
      work()
    },
  })
  const probe = createProbe(pools.commits)
  const commits = commitBatches({
    pool: pools.commits,
    clock,
    worker,
    ownership,
    parked,
    held,
    stream,
    work,
    callForWork: calling.call,
    handsOver,
    committed,
    lease: pieces,
    number: numbering.next,
    stalled(error) {
      probe.stalled(error)
      listeners.stalled(error)
    },
  })
  const claims = createClaims({ pool: pools.reads, clock, ownership, inDoubt: commits.releaseClaimed, log, lease: pieces })
  const listening = listenForWork({
    listener,
    clock,
    worker,
    work: listeners.work,
    streamed: ({ appIds, from, to }) => stream().mayHave({ from, to, ...(appIds && { appIds }) }),
    missed: (sinceMs) => stream().missed(sinceMs),
  })
  for (const pool of [pools.reads, pools.commits]) pool.on('acquire', listener.touch)
  departures?.listen(({ kind }) => kind === 'departure' && listeners.work())
  return { listeners, parked, pieces, numbering, ownership, probe, commits, claims, calling, listening, assertWorker }
}
type Parts = Awaited<ReturnType<typeof assembleLog>>

/** Commits the last batch, releases every delivery and announces it. */
async function closeLog(pools: Pools, { commits, calling, ownership }: Parts, worker: number) {
  try {
    await commits.batcher.close()
    calling.stop()
    await ownership.resign()
    await pools.reads.query('select pg_notify($1, $2)', [LOG_CHANNEL, String(worker)])
  } finally {
    await pools.end()
  }
}

/** A process that hands its deliveries over holds no lease otherwise, and with it learns the time of the database. */
async function reopenAll(pool: Pool, reopening: Reopening, lease: WorkLease, handsOver = false): Promise<Reopened> {
  if (handsOver) await lease.begin()
  try {
    return await walkReopening({ ...reopening, dueMs: reopening.dueMs + lease.aheadMs() }, (slice) => reopenSlice(pool, slice))
  } finally {
    if (handsOver) lease.end()
  }
}

/** What only one of several logs is asked for. */
const ofSeveral = (
  pool: Pool,
  { assertWorker, calling, listeners }: Parts,
  { clock, worker }: PostgresLogOptions,
): Pick<PostgresLog, 'known' | 'complete'> => ({
  known: (eventUuids) => knownTargets(pool, eventUuids),
  async complete(events) {
    await assertWorker()
    const { completed, streamed } = await completeEvents(pool, events, { nowMs: clock.now(), worker })
    if (completed.size > 0) calling.call()
    if (streamed.length > 0) listeners.stream().mayHave({ from: Math.min(...streamed), to: Math.max(...streamed) })
    return completed
  },
})

function portOf(pools: Pools, parts: Parts, options: PostgresLogOptions): PostgresLog {
  const { worker, livingWorkers, clock } = options
  const { listeners, parked, pieces, numbering, ownership, probe, commits, claims, calling, listening, assertWorker } = parts
  const { batcher } = commits
  const pool = pools.reads
  const betweenCommits = <T>(step: () => Promise<T>) => batcher.betweenCommits(step)
  const unreported = new Set<string>()
  let closing: Promise<void> | undefined

  return {
    ...listeners.port,
    confirmHeld: () => ownership.confirm(),
    ...parkedWebhooks({ pool, claims, parked, ...commits }),
    async append(events, sequences) {
      if (events.length === 0) return []
      await assertWorker()
      // Whoever gives numbers has looked at the events of all logs.
      if (!sequences) events.forEach(assertStorable)
      const entries = events.map((event, at): Entry => ({ sequence: 0, given: sequences?.[at], event, repeated: false, mine: [] }))
      const bytes = events.reduce((sum, { content }) => sum + content.length, 0)
      await probe.watch(batcher.append(entries, bytes))
      return entries.map((entry) => ({ eventUuid: uuidOf(entry), repeated: entry.repeated }))
    },
    acknowledge: (delivery, attempt, retryAtMs) =>
      batcher.acknowledge(ackOf(delivery, attempt, retryAtMs === null ? null : retryAtMs + pieces.aheadMs())),
    recordReplay: (...replayed) => batcher.acknowledge(replayAckOf(...replayed)),
    takeDue: (nowMs, limit, except = []) => claims.due(Math.floor(nowMs), limit, except),
    nextDueMs: (except = []) => claims.nextDueMs(except),
    dueRetries: (nowMs, limit) => claims.dueRetries(Math.floor(nowMs), limit),
    plannedRetries: (fromMs, toMs, limit) => claims.plannedRetries(Math.floor(fromMs), Math.floor(toMs), limit),
    reopen: (reopening) => reopenAll(pool, reopening, pieces, options.handsOver),
    countOpen: (webhookIds, limit) => countOpen(pool, webhookIds, limit),
    recover: () => recoverUnowned({ claims, ownership, livingWorkers, betweenCommits, parked, unreported, held: listeners.held }),
    range: (webhookId, fromMs, toMs, after, limit) =>
      readRange(pool, { webhookId, after: Math.max(after, sequenceAt(fromMs) - 1), before: sequenceAt(toMs), limit }),
    countRange: (webhookId, fromMs, toMs, limit) =>
      countRange(pool, { webhookId, after: sequenceAt(fromMs) - 1, before: sequenceAt(toMs), limit }),
    readStream: (range) => readStream(pool, range),
    watchStreams: listening.watch,
    callForWork: calling.call,
    unclaimedSinceMs: claims.unclaimedSinceMs,
    ...reportsBy((slice) => reportSlice(pool, slice)),
    find: (eventUuid) => findEvent(pool, eventUuid),
    ...ofSeveral(pool, parts, options),
    extent: async (limit) => extentOf((await pool.query<ExtentRow>(extentText, [limit])).rows[0]!),
    search: (search) => searchSlice(pool, search),
    trim: (beforeMs, options = {}) => trimLog(pool, pieces, beforeMs, options),
    probe: probe.probe,
    flush: () => batcher.flush(),
    wipe: () =>
      betweenCommits(async () => {
        await pool.query('truncate log_event, log_delivery, log_open, log_attempt, log_stream')
        parked.clear()
        pieces.clear()
        numbering.restart()
      }),
    snapshots: createLogSnapshots({
      pool,
      worker,
      clock,
      betweenCommits,
      replaced(used) {
        parked.clear()
        pieces.clear()
        numbering.restart()
        numbering.passOver(used)
      },
    }),
    close() {
      closing ??= closeLog(pools, parts, worker)
      return closing
    },
  }
}

/** Opens the event log on PostgreSQL, which several processes share. The state's migrations create its tables (`migrateDatabase`). */
export async function openPostgresLog(options: PostgresLogOptions): Promise<PostgresLog> {
  const pools = openPools(options)
  try {
    return portOf(pools, await assembleLog(pools, options), options)
  } catch (error) {
    await pools.end()
    throw error
  }
}
