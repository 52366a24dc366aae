import type { DatabaseSync } from 'node:sqlite'
import type { EndedState } from '../../event-log.ts'
import { keepOpenMark, markClosed, type OpenMark } from '../../files/open-mark.ts'
import { createFileProbe } from '../../files/probe-file.ts'
import { createTableCopies } from '../../files/table-copies.ts'
import { transaction } from '../../files/transaction.ts'
import type { Migrated } from '../../migrate.ts'
import { MAX_ATTEMPTS } from '../ack.ts'
import type { ReopenedSlice, ReopenSlice } from '../reopen-walk.ts'
import { createCountOpen } from './count-open.ts'
import { createExtent } from './extent.ts'
import { createFindEvent } from './find-event.ts'
import { createIndexRuns, type IndexRuns } from './index-runs.ts'
import { createProbe } from './probe.ts'
import { createReadStream } from './read-stream.ts'
import { createReads } from './reads.ts'
import { createReport } from './report.ts'
import { numberOf } from './schema.ts'
import { createSearch } from './search.ts'
import { createTrim } from './trim.ts'
import { type BatchMessage, createBatchWriter } from './write-batch.ts'

interface CancelSlice {
  webhookId: string
  atMs: number
  reason: string
  /** The waiting deliveries: those above `after` without the held ones in `except`. Undefined if the webhook is not parked. */
  waiting: { after: number; except: number[] } | undefined
  limit: number
}

interface Cancelled {
  count: number
  /** The last waiting delivery among them; undefined when there was none. */
  last: number | undefined
}

/** Records deliveries of a webhook that are not held as not sent: up to `limit` retrying and `limit` waiting ones, the oldest first. */
function createCancel(db: DatabaseSync, index: IndexRuns) {
  const cancelRetries = db.prepare(`insert or replace into attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
    select sequence, webhook_id, '', min(attempts + 1, ${MAX_ATTEMPTS}), :atMs, 0, 'not_sent', :reason from retry
    where webhook_id = :webhookId and sequence not in (select sequence from temp.taken where webhook_id = :webhookId)
    order by sequence limit :limit`)
  const deleteRetries = db.prepare(`delete from retry where webhook_id = :webhookId and sequence in (select sequence from retry
    where webhook_id = :webhookId and sequence not in (select sequence from temp.taken where webhook_id = :webhookId)
    order by sequence limit :limit)`)
  const cancelWaiting = db.prepare(`insert into attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
    select sequence, webhook_id, '', 1, :atMs, 0, 'not_sent', :reason from delivery d
    where webhook_id = :webhookId and sequence > :after and sequence not in (select value from json_each(:except))
      and not exists (select 1 from attempt a where a.sequence = d.sequence and a.webhook_id = d.webhook_id and a.origin = '')
    order by sequence limit :limit returning sequence`)

  return ({ webhookId, atMs, reason, waiting, limit }: CancelSlice): Cancelled => {
    if (waiting) index.finish()
    return transaction(db, () => {
      cancelRetries.run({ webhookId, atMs, reason, limit })
      const retries = Number(deleteRetries.run({ webhookId, limit }).changes)
      if (!waiting) return { count: retries, last: undefined }
      const { after } = waiting
      const rows = cancelWaiting.all({ webhookId, atMs, reason, limit, after, except: JSON.stringify(waiting.except) })
      // SQLite promises no order of returned rows.
      const last = rows.length === 0 ? undefined : Math.max(...rows.map(({ sequence }) => sequence as number))
      return { count: retries + rows.length, last }
    })
  }
}

interface EndedRow {
  sequence: number
  /** The number of the last attempt, and how it ended; null for a delivery that is open, or of another type. */
  n: number | null
  outcome: 'delivered' | 'failed' | 'not_sent' | null
}

const stateOf = (outcome: NonNullable<EndedRow['outcome']>): EndedState => (outcome === 'failed' ? 'given_up' : outcome)

/** Makes deliveries that have ended due again, or counts them. One with a retry row, or without an attempt of its own, is open. */
function createReopen(db: DatabaseSync, index: IndexRuns) {
  const looked = db.prepare(`select d.sequence, min(a.n, ${MAX_ATTEMPTS}) as n, a.outcome from (
      select sequence from delivery where webhook_id = :webhookId and sequence > :after and sequence < :before order by sequence limit :looks
    ) d left join attempt a on a.sequence = d.sequence and a.webhook_id = :webhookId and a.origin = ''
      and a.n = (select max(n) from attempt b where b.sequence = d.sequence and b.webhook_id = :webhookId and b.origin = '')
      and not exists (select 1 from retry r where r.webhook_id = :webhookId and r.sequence = d.sequence)
      and (:eventType is null or exists (select 1 from event e where e.sequence = d.sequence and e.event_type = :eventType))
    order by d.sequence`)
  const insertRetry = db.prepare('insert into retry (webhook_id, sequence, due_ms, attempts) values (?, ?, ?, ?)')

  return ({ webhookId, after, before, states, eventType, isDryRun, dueMs, limit, looks }: ReopenSlice): ReopenedSlice => {
    index.finish()
    const rows = looked.all({ webhookId, after, before, looks, eventType: eventType ?? null }) as unknown as EndedRow[]
    const ended = rows.filter(({ outcome }) => outcome !== null && states.includes(stateOf(outcome))).slice(0, limit)
    if (ended.length > 0 && !isDryRun)
      transaction(db, () => {
        for (const { sequence, n } of ended) insertRetry.run(webhookId, sequence, Math.floor(dueMs), n)
      })
    if (ended.length === limit) return { count: ended.length, last: ended.at(-1)!.sequence }
    return { count: ended.length, last: rows.length < looks ? null : rows.at(-1)!.sequence }
  }
}

/** The state of the file at the start. */
export interface LogState {
  /** Unique for each log; a log gets a new id after an accepted loss. */
  id: string
  watermark: number
  /** No sequence number up to this may be used again. */
  lastSequence: number
  rows: [webhookId: string, beginning: number][]
}

/** The pragmas as the connection reports them. */
export interface LogPragmas {
  journalMode: string
  /** 2 is FULL. */
  synchronous: number
  pageBytes: number
  /** How much of the file SQLite itself keeps in memory. */
  cacheKib: number
}

const tables = ['event', 'given_uuid', 'target', 'stream', 'attempt', 'delivery', 'retry', 'waiting', 'temp.taken']

/** The tables that a snapshot leaves alone. */
const KEPT = ['header', 'migrations', 'schema_changes']

function marksOf(db: DatabaseSync): Omit<LogState, 'id'> {
  const watermark = numberOf(db.prepare(`select sequence from mark where name = 'watermark'`).get())
  const trimmed = numberOf(db.prepare(`select sequence from mark where name = 'trimmed'`).get())
  const newest = numberOf(db.prepare('select coalesce(max(sequence), 0) from event').get())
  const rows = db.prepare('select webhook_id, beginning from waiting').all()
  return {
    watermark,
    lastSequence: Math.max(watermark, newest, trimmed),
    rows: rows.map((row) => [row.webhook_id as string, row.beginning as number]),
  }
}

/** The methods of the writer thread. The tables must exist (`openSchema`, which returned `migrated`). */
export function createWriter(db: DatabaseSync, migrated: Migrated, path = ':memory:') {
  const index = createIndexRuns(db)
  const writeBatch = createBatchWriter(db)
  const isFile = path !== ':memory:'
  const probe = createProbe(db, isFile ? createFileProbe(path, 'event log') : undefined)
  let mark: OpenMark | undefined
  const copies = createTableCopies(db, (table) => (KEPT.includes(table) ? undefined : 'true'))
  const usedAfter = db.prepare('select sequence from event where sequence > ?')
  const idOf = db.prepare(`select value from header where name = 'id'`)
  const pragma = (name: string) => Object.values(db.prepare(`pragma ${name}`).get()!)[0]

  /** SQLite may have checkpointed: before anybody hears of the commit, a write-ahead log that is lost now must be noticed. */
  const marking =
    <Parameters extends unknown[], Result>(write: (...parameters: Parameters) => Result) =>
    (...parameters: Parameters): Result => {
      const result = write(...parameters)
      mark?.again()
      return result
    }

  return {
    ...createReads(db, index),
    ...createCountOpen(db, index),
    cancel: marking(createCancel(db, index)),
    reopen: marking(createReopen(db, index)),
    report: createReport(db, index),
    find: createFindEvent(db),
    extent: createExtent(db),
    search: createSearch(db),
    readStream: createReadStream(db),
    trim: marking(createTrim(db, index)),
    /** The migrations that were run at the start. */
    migrated: () => migrated,
    state: (): LogState => ({ id: idOf.get()!.value as string, ...marksOf(db) }),
    /** Marks the log as open; with a new id if part of it is lost. Returns its id. */
    begin(isNew: boolean): string {
      if (isNew) db.exec(`update header set value = lower(hex(randomblob(8))) where name = 'id'`)
      if (isFile) mark = keepOpenMark(db, path)
      return idOf.get()!.value as string
    },
    probe: probe.probe,
    /** The packed buffer is returned with the result, for reuse. */
    commit: marking((batch: BatchMessage): { repeated: number[]; packed: ArrayBuffer } => {
      const { repeated, targets } = probe.watch(() => writeBatch(batch))
      index.added(targets)
      return { repeated, packed: batch.packed }
    }),
    wipe: marking(() => {
      transaction(db, () => {
        for (const table of tables) db.exec(`delete from ${table}`)
        db.exec('update mark set sequence = 0')
      })
      index.reload()
    }),
    saveSnapshot: (name: string) => copies.save(name),
    /** Returns the state of the restored log, and the sequence numbers above `after` that were used until now. */
    restoreSnapshot: marking(({ name, after }: { name: string; after: number }): { state: LogState; used: number[] } => {
      const used = usedAfter.all(after).map(({ sequence }) => sequence as number)
      copies.restore(name, () => db.exec('delete from temp.taken'))
      index.reload()
      return { state: { id: idOf.get()!.value as string, ...marksOf(db) }, used }
    }),
    dropSnapshot: (name: string) => copies.drop(name),
    pragmas: (): LogPragmas => ({
      journalMode: pragma('journal_mode') as string,
      synchronous: pragma('synchronous') as number,
      pageBytes: pragma('page_size') as number,
      cacheKib: -(pragma('cache_size') as number),
    }),
    /** Called after every reply: work that no call waits for. After a failure the next call tries again. */
    runBackgroundWork() {
      try {
        index.step()
      } catch {}
    },
    close(isClean: boolean) {
      if (isFile && isClean) markClosed(db)
      db.close()
      mark?.release()
    },
  }
}
export type Writer = ReturnType<typeof createWriter>
