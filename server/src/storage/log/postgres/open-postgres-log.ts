import type { Clock } from '../../../lib/clock.ts'
import { createSequence, sequenceAt, WORKER_LIMIT } from '../../../lib/ids.ts'
import type { Changes } from '../../changes.ts'
import type { Delivery, EventLog, NewEvent } from '../../event-log.ts'
import { createOutage, type Outage } from '../../outage.ts'
import type { StorageLog } from '../../storage-log.ts'
import { countPieces, noLease, type WorkLease } from '../../work-lease.ts'
import { ackOf, replayAckOf } from '../ack.ts'
import { walkReports } from '../report-walk.ts'
import { trimInSlices } from '../trim-in-slices.ts'
import { createClaims } from './claims.ts'
import { commitBatches, uuidOf } from './commit-batches.ts'
import { connect, connectForCommits, connectToRegister } from './connect.ts'
import { CHANNEL, listenForWork } from './listen.ts'
import { createOwnership } from './ownership.ts'
import { createParked } from './parked.ts'
import { parkedWebhooks } from './parked-webhooks.ts'
import { createProbe } from './probe.ts'
import { readRange } from './range.ts'
import { recoverUnheld } from './recover-unheld.ts'
import { reportSlice } from './report.ts'
import { trimSlice } from './trim.ts'
import type { Entry } from './write-batch.ts'

export interface PostgresLogOptions {
  /** `postgres://…` */
  url: string
  clock: Clock
  /** The number of this process: nobody else's while it lives. */
  worker: number
  /** The numbers of all processes alive now. */
  livingWorkers(): Promise<number[]>
  /** Throws while another process may have the number: then nothing is numbered with it. */
  assertWorker?(): Promise<void> | void
  /** Held as long as deliveries are this process's. */
  lease?: WorkLease
  /** Says when another process has gone. */
  departures?: Changes
  log?: StorageLog
  outage?: Outage
}

/** PostgreSQL keeps no NUL in a text, and one event must not fail the batch that it shares with others. */
function assertStorable({ eventUuid = '', eventType, userId, targets }: NewEvent) {
  const texts = [eventUuid, eventType, userId, ...targets.flatMap(({ webhookId, match, notSent = '' }) => [webhookId, match, notSent])]
  if (texts.some((text) => text.includes('\0') || !text.isWellFormed()))
    throw new Error('an event holds text that is not Unicode, or a NUL')
}

/** Opens the event log on PostgreSQL, which several processes share. Its tables are made with those of the state (`migrateDatabase`). */
export async function openPostgresLog({
  url,
  clock,
  worker,
  livingWorkers,
  assertWorker = () => {},
  lease = noLease,
  departures,
  log,
  outage = createOutage(clock, log),
}: PostgresLogOptions): Promise<EventLog> {
  const pool = connect(url, outage)
  const commitPool = connectForCommits(url, outage)
  const registryPool = connectToRegister(url, outage)
  const endPools = () => Promise.all([pool.end(), commitPool.end(), registryPool.end()])
  try {
    return await openMigrated()
  } catch (error) {
    await endPools()
    throw error
  }

  async function openMigrated(): Promise<EventLog> {
    let heard: (deliveries: Delivery[]) => void = () => {}
    let work: () => void = () => {}
    let stalled: (error: unknown | null) => void = () => {}
    const held = (deliveries: Delivery[]) => heard(deliveries)
    const parked = createParked()
    const pieces = countPieces(lease)
    const newSequence = () => createSequence(clock, worker, Math.log2(WORKER_LIMIT))
    let sequence = newSequence()
    const skipPastNewest = async () => {
      const { rows } = await registryPool.query('select coalesce(max(sequence), 0) as sequence from log_event')
      sequence.skipPast(rows[0].sequence)
    }
    const ownership = await createOwnership({
      pool: registryPool,
      clock,
      worker,
      assertWorker,
      registered: skipPastNewest,
      struckOff: () => work(),
    })
    const commitProbe = createProbe(commitPool)
    const commits = commitBatches({
      ...{ pool: commitPool, clock, worker, ownership, parked, held, lease: pieces },
      number: () => sequence.next(),
      stalled(error) {
        commitProbe.stalled(error)
        stalled(error)
      },
      work: () => work(),
    })
    const { batcher } = commits
    const { alone } = batcher
    const claims = createClaims({ pool, clock, ownership, doubtful: commits.release, log, lease: pieces })
    const listening = await listenForWork({ url, clock, outage, worker, work: () => work() })
    for (const one of [pool, commitPool]) one.on('acquire', listening.touch)

    departures?.listen(({ kind }) => kind === 'departure' && work())

    let closing: Promise<void> | undefined

    const close = async () => {
      try {
        await batcher.close()
        await ownership.resign()
        await pool.query('select pg_notify($1, $2)', [CHANNEL, String(worker)])
      } finally {
        await listening.close()
        await endPools()
      }
    }

    return {
      ...parkedWebhooks({ pool, claims, parked, ...commits }),
      onHeld(listener) {
        heard = listener
      },
      onWork(listener) {
        work = listener
      },
      onStalled(listener) {
        stalled = listener
      },
      async append(events) {
        if (events.length === 0) return []
        await assertWorker()
        events.forEach(assertStorable)
        const entries = events.map((event): Entry => ({ sequence: 0, event, repeated: false, mine: [] }))
        const bytes = events.reduce((sum, { content }) => sum + content.length, 0)
        await commitProbe.watch(batcher.append(entries, bytes))
        return entries.map((entry) => ({ eventUuid: uuidOf(entry), repeated: entry.repeated }))
      },
      acknowledge: (...acknowledged) => batcher.acknowledge(ackOf(...acknowledged)),
      recordReplay: (...replayed) => batcher.acknowledge(replayAckOf(...replayed)),
      takeDue: (nowMs, limit, except = []) => claims.due(Math.floor(nowMs), limit, except),
      nextDueMs: (except = []) => claims.nextDueMs(except),
      recover: () => recoverUnheld({ claims, ownership, livingWorkers, alone, park: parked.add, held }),
      range: (webhookId, fromMs, toMs, after, limit) =>
        readRange(pool, { webhookId, after: Math.max(after, sequenceAt(fromMs) - 1), before: sequenceAt(toMs), limit }),
      report: (query) => walkReports(query, (slice) => reportSlice(pool, slice)),
      trim: (beforeMs) => trimInSlices(beforeMs, (slice) => trimSlice(pool, slice)),
      probe: commitProbe.probe,
      flush: batcher.flush,
      wipe: () =>
        alone(async () => {
          await pool.query('truncate log_event, log_delivery, log_open, log_attempt')
          parked.clear()
          pieces.clear()
          sequence = newSequence()
        }),
      close() {
        closing ??= close()
        return closing
      },
    }
  }
}
