import type { Clock } from '../../../lib/clock.ts'
import { createSequence, sequenceAt, WORKER_LIMIT } from '../../../lib/ids.ts'
import type { Delivery, EventLog, NewEvent } from '../../event-log.ts'
import { walkReports } from '../report-walk.ts'
import { trimInSlices } from '../trim-in-slices.ts'
import { cancelSlice } from './cancel.ts'
import { createClaims } from './claims.ts'
import { commitBatches, uuidOf } from './commit-batches.ts'
import { connect } from './connect.ts'
import { CHANNEL, listenForWork } from './listen.ts'
import { readRange } from './range.ts'
import { recoverUnheld } from './recover-unheld.ts'
import { reportSlice } from './report.ts'
import { migrateLog } from './schema.ts'
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
}

/** PostgreSQL keeps no NUL in a text, and one event must not fail the batch that it shares with others. */
function assertStorable({ eventUuid = '', eventType, userId, targets }: NewEvent) {
  const texts = [eventUuid, eventType, userId, ...targets.flatMap(({ webhookId, match, notSent = '' }) => [webhookId, match, notSent])]
  if (texts.some((text) => text.includes('\0') || !text.isWellFormed()))
    throw new Error('an event holds text that is not Unicode, or a NUL')
}

/** Opens the event log on PostgreSQL, which several processes share. Rejects when the database does not answer or is too new. */
export async function openPostgresLog({ url, clock, worker, livingWorkers }: PostgresLogOptions): Promise<EventLog> {
  const pool = connect(url)
  try {
    await migrateLog(pool)
    return await openMigrated()
  } catch (error) {
    await pool.end()
    throw error
  }

  async function openMigrated(): Promise<EventLog> {
    let heard: (deliveries: Delivery[]) => void = () => {}
    let work: () => void = () => {}
    const held = (deliveries: Delivery[]) => heard(deliveries)
    const parked = new Set<string>()
    const { batcher, release } = commitBatches({ pool, clock, worker, parked, held })
    const { alone } = batcher
    const claims = createClaims(pool, worker)
    // What a process of this number held before it died belongs to nobody.
    await claims.release(worker, Number.MAX_SAFE_INTEGER)
    const newest = await pool.query('select coalesce(max(sequence), 0) as sequence from log_event')
    const newSequence = () => createSequence(clock, worker, Math.log2(WORKER_LIMIT))
    let sequence = newSequence()
    sequence.skipPast(newest.rows[0].sequence)
    const listening = await listenForWork({ url, clock, worker, work: () => work() })

    let closing: Promise<void> | undefined

    const close = async () => {
      try {
        await batcher.close()
        await claims.release(worker, Number.MAX_SAFE_INTEGER)
        await pool.query('select pg_notify($1, $2)', [CHANNEL, String(worker)])
      } finally {
        await listening.close()
        await pool.end()
      }
    }

    return {
      onHeld(listener) {
        heard = listener
      },
      onWork(listener) {
        work = listener
      },
      async append(events) {
        if (events.length === 0) return []
        events.forEach(assertStorable)
        const entries = events.map((event): Entry => ({ sequence: sequence.next(), event, repeated: false, mine: [] }))
        await batcher.append(
          entries,
          events.reduce((bytes, { content }) => bytes + content.length, 0),
        )
        return entries.map((entry) => ({ eventUuid: uuidOf(entry), repeated: entry.repeated }))
      },
      settle: ({ sequence, webhookId, attempts }, attempt, retryAtMs) =>
        batcher.acknowledge({ sequence, webhookId, origin: '', n: attempts + 1, attempt, retryAtMs }),
      recordReplay: (sequence, webhookId, origin, attempt) =>
        batcher.acknowledge({ sequence, webhookId, origin, n: 0, attempt, retryAtMs: null }),
      park(webhookId, unsent) {
        parked.add(webhookId)
        release(unsent)
      },
      read: (webhookId, limit) =>
        alone(async () => {
          const deliveries = await claims.waiting(webhookId, limit)
          if (deliveries.length === 0) parked.delete(webhookId)
          return deliveries
        }),
      takeDue: (nowMs, limit) => claims.due(nowMs, limit),
      nextDueMs: () => claims.nextDueMs(),
      async cancel(webhookId, atMs, reason) {
        while (await alone(() => cancelSlice(pool, webhookId, atMs, reason)));
        parked.delete(webhookId)
      },
      recover: () => recoverUnheld({ claims, worker, livingWorkers, alone, park: (webhookId) => parked.add(webhookId), held }),
      range: (webhookId, fromMs, toMs, after, limit) =>
        readRange(pool, { webhookId, after: Math.max(after, sequenceAt(fromMs) - 1), before: sequenceAt(toMs), limit }),
      report: (query) => walkReports(query, (slice) => reportSlice(pool, slice)),
      trim: (beforeMs) => trimInSlices(beforeMs, (slice) => trimSlice(pool, slice)),
      flush: batcher.flush,
      wipe: () =>
        alone(async () => {
          await pool.query('truncate log_event, log_delivery, log_open, log_attempt')
          parked.clear()
          sequence = newSequence()
        }),
      close() {
        closing ??= close()
        return closing
      },
    }
  }
}
