import type { DatabaseSync } from 'node:sqlite'
import { keepOpenMark, markClosed, type OpenMark } from '../../files/open-mark.ts'
import { createFileProbe } from '../../files/probe-file.ts'
import { createTableCopies } from '../../files/table-copies.ts'
import type { Migrated } from '../../migrate.ts'
import { createCancel } from './cancel.ts'
import { createCountOpen } from './count-open.ts'
import { createIndexRuns } from './index-runs.ts'
import { createProbe } from './probe.ts'
import { createReadStream } from './read-stream.ts'
import { createReads } from './reads.ts'
import { createReopen } from './reopen.ts'
import { createReport } from './report.ts'
import { numberOf } from './schema.ts'
import { transaction } from './transaction.ts'
import { createTrim } from './trim.ts'
import { type BatchMessage, createBatchWriter } from './write-batch.ts'

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
const KEPT = ['header', 'migrations']

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
    readStream: createReadStream(db),
    trim: marking(createTrim(db)),
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
