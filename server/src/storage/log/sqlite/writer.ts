import type { DatabaseSync } from 'node:sqlite'
import { keepOpenMark, markClosed, type OpenMark } from '../../files/open-mark.ts'
import { createFileProbe } from '../../files/probe-file.ts'
import type { Migrated } from '../../migrate.ts'
import { createCancel } from './cancel.ts'
import { createCountOpen } from './count-open.ts'
import { createIndexRuns } from './index-runs.ts'
import { createProbe } from './probe.ts'
import { createReads } from './reads.ts'
import { createReopen } from './reopen.ts'
import { createReport } from './report.ts'
import { numberOf } from './schema.ts'
import { transaction } from './transaction.ts'
import { createTrim } from './trim.ts'
import { type BatchMessage, createBatchWriter } from './write-batch.ts'

/** What the file says at the start. */
export interface LogState {
  /** Another for each log, and for one that goes on after a loss. */
  id: string
  watermark: number
  /** No sequence number up to this may be handed out again. */
  lastSequence: number
  rows: [webhookId: string, beginning: number][]
}

/** What the connection really runs with. */
export interface LogPragmas {
  journalMode: string
  /** 2 is FULL. */
  synchronous: number
  pageBytes: number
}

const everything = ['event', 'given_uuid', 'target', 'attempt', 'delivery', 'retry', 'waiting', 'temp.taken']

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

/** All that the writer's thread can be asked for. The tables must be there (`openSchema`, which answered what it did). */
export function createWriter(db: DatabaseSync, migrated: Migrated, path = ':memory:') {
  const index = createIndexRuns(db)
  const writeBatch = createBatchWriter(db)
  const isFile = path !== ':memory:'
  const probe = createProbe(db, isFile ? createFileProbe(path, 'event log') : undefined)
  let mark: OpenMark | undefined
  const idOf = db.prepare(`select value from header where name = 'id'`)
  const pragma = (name: string) => Object.values(db.prepare(`pragma ${name}`).get()!)[0]

  return {
    ...createReads(db, index),
    ...createCountOpen(db, index),
    cancel: createCancel(db, index),
    reopen: createReopen(db, index),
    report: createReport(db, index),
    trim: createTrim(db),
    /** What was done to the file's tables at the start. */
    migrated: () => migrated,
    state: (): LogState => ({ id: idOf.get()!.value as string, ...marksOf(db) }),
    /** The log is taken into use; under a new id when part of it is lost. Answers its id. */
    begin(isNew: boolean): string {
      if (isNew) db.exec(`update header set value = lower(hex(randomblob(8))) where name = 'id'`)
      if (isFile) mark = keepOpenMark(db, path)
      return idOf.get()!.value as string
    },
    /** Now and then, while it is written to. */
    markAgain() {
      mark?.again()
    },
    probe: probe.probe,
    /** The packed buffer goes back with the answer, to be used again. */
    commit(batch: BatchMessage): { repeated: number[]; packed: ArrayBuffer } {
      const { repeated, targets } = probe.watch(() => writeBatch(batch))
      index.added(targets)
      return { repeated, packed: batch.packed }
    },
    wipe() {
      transaction(db, () => {
        for (const table of everything) db.exec(`delete from ${table}`)
        db.exec('update mark set sequence = 0')
      })
      index.clear()
    },
    pragmas: (): LogPragmas => ({
      journalMode: pragma('journal_mode') as string,
      synchronous: pragma('synchronous') as number,
      pageBytes: pragma('page_size') as number,
    }),
    /** After every answer: work that nobody waits for. What fails now is tried again after the next. */
    afterwards() {
      try {
        index.step()
      } catch {}
    },
    close(inOrder: boolean) {
      if (isFile && inOrder) markClosed(db)
      db.close()
      mark?.release()
    },
  }
}
export type Writer = ReturnType<typeof createWriter>
