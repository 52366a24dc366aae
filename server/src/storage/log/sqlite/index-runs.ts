import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../files/transaction.ts'
import { numberOf } from './schema.ts'

/** How many targets are added to the index at once. They are sorted, so that a run touches each page of the index once. */
const RUN_ROWS = 10_000

/** So many rows of a run are written between two replies, or twice as many as came since the last: then a run keeps up. */
const SLICE_ROWS = 500

/** A run that is being written: the rows of `temp.run` up to `written` are in the index. */
interface Run {
  /** The sequence number up to which the index is complete once it is written. */
  to: number
  rows: number
  written: number
}

/**
 * Updates the index of deliveries by webhook later than the commit, in sorted runs. Call `finish` before reading the index.
 * `added` counts the targets of a commit; `step` writes a slice of a run once there are enough, so that no commit waits for all of it. No
 * slice waits for the disk: what a power failure takes back is written again, because the position moves with the last slice.
 */
export function createIndexRuns(db: DatabaseSync) {
  db.exec('create temp table if not exists run (webhook_id text not null, sequence integer not null)')
  const position = db.prepare(`select sequence from mark where name = 'indexed'`)
  const count = db.prepare('select count(*) from target where sequence > ?')
  const runEnd = db.prepare('select sequence from target where sequence > ? order by sequence limit 1 offset ?')
  const lastTarget = db.prepare('select max(sequence) from target')
  const collect = db.prepare(`insert into temp.run (webhook_id, sequence)
    select webhook_id, sequence from target where sequence > ? and sequence <= ? order by webhook_id, sequence`)
  const clear = db.prepare('delete from temp.run')
  const write = db.prepare(`insert or ignore into delivery (webhook_id, sequence)
    select webhook_id, sequence from temp.run where rowid > ? and rowid <= ?`)
  const move = db.prepare(`update mark set sequence = ? where name = 'indexed'`)
  let indexed = numberOf(position.get())
  /** Targets that are in neither the index nor the run. */
  let unindexed = numberOf(count.get(indexed))
  let sinceStep = 0
  let run: Run | undefined

  const beginRun = (): Run => {
    const end = runEnd.get(indexed, RUN_ROWS - 1)
    const to = Math.max(indexed, numberOf(end ?? lastTarget.get()))
    clear.run()
    const rows = Number(collect.run(indexed, to).changes)
    unindexed = end ? Math.max(1, unindexed - rows) : 0
    return { to, rows, written: 0 }
  }

  const writeSlice = (rows: number) => {
    run ??= beginRun()
    const { to, written } = run
    const next = written + rows
    const isLast = next >= run.rows
    db.exec('pragma synchronous = normal')
    try {
      transaction(db, () => {
        write.run(written, next)
        if (isLast) move.run(to)
      })
    } finally {
      db.exec('pragma synchronous = full')
    }
    run.written = next
    if (!isLast) return
    indexed = to
    run = undefined
  }

  return {
    added(targets: number) {
      unindexed += targets
      sinceStep += targets
    },
    step() {
      const rows = Math.max(SLICE_ROWS, 2 * sinceStep)
      sinceStep = 0
      if (run || unindexed >= RUN_ROWS) writeSlice(rows)
    },
    finish() {
      while (run || unindexed > 0) writeSlice(RUN_ROWS)
    },
    /** Called after targets up to a sequence number were deleted: a run that holds some of them begins again. */
    trimmed(to: number) {
      if (!run || to <= indexed) return
      unindexed += run.rows
      run = undefined
    },
    /** Called after the rows were replaced. */
    reload() {
      run = undefined
      indexed = numberOf(position.get())
      unindexed = numberOf(count.get(indexed))
    },
  }
}
export type IndexRuns = ReturnType<typeof createIndexRuns>
