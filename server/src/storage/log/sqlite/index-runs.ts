import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../files/transaction.ts'
import { numberOf } from './schema.ts'

/** How many targets are added to the index at once. They are sorted, so that a run touches each page of the index once. */
const RUN_ROWS = 10_000

/**
 * Updates the index of deliveries by webhook later than the commit, in sorted runs. Call `finish` before reading the index.
 * `added` counts the targets of a commit; `step` writes a run once there are enough.
 */
export function createIndexRuns(db: DatabaseSync) {
  const position = db.prepare(`select sequence from mark where name = 'indexed'`)
  const count = db.prepare('select count(*) from target where sequence > ?')
  const runEnd = db.prepare('select sequence from target where sequence > ? order by sequence limit 1 offset ?')
  const lastTarget = db.prepare('select max(sequence) from target')
  const write = db.prepare(`insert or ignore into delivery (webhook_id, sequence)
    select webhook_id, sequence from target where sequence > ? and sequence <= ? order by webhook_id, sequence`)
  const move = db.prepare(`update mark set sequence = ? where name = 'indexed'`)
  let indexed = numberOf(position.get())
  let unindexed = numberOf(count.get(indexed))

  const writeRun = () => {
    const end = runEnd.get(indexed, RUN_ROWS - 1)
    const to = Math.max(indexed, numberOf(end ?? lastTarget.get()))
    const written = transaction(db, () => {
      move.run(to)
      return Number(write.run(indexed, to).changes)
    })
    indexed = to
    unindexed = end ? Math.max(1, unindexed - written) : 0
  }

  return {
    added(targets: number) {
      unindexed += targets
    },
    step() {
      if (unindexed >= RUN_ROWS) writeRun()
    },
    finish() {
      while (unindexed > 0) writeRun()
    },
    /** Called after the rows were replaced. */
    reload() {
      indexed = numberOf(position.get())
      unindexed = numberOf(count.get(indexed))
    },
  }
}
export type IndexRuns = ReturnType<typeof createIndexRuns>
