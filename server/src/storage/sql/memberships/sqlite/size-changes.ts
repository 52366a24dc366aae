import type { DatabaseSync } from 'node:sqlite'
import type { SizeChanges } from '../../../memberships/apply-batch.ts'

/** The rows of the table `size_change`. */
export function createSizeChanges(db: DatabaseSync) {
  const put = db.prepare('insert into size_change values (?, ?, ?) on conflict do update set change = size_change.change + excluded.change')
  const past = db.prepare('select coalesce(sum(change), 0) as change from size_change where audience = ? and at between 1 and ?')
  const dropPast = db.prepare('delete from size_change where audience = ? and at between 1 and ?')
  const audiences = db.prepare('select number from audience where removed = 0')

  /** Adds up what is past, so that the size is read from few rows. */
  function fold(number: number, nowSeconds: number) {
    const { change } = past.get(number, nowSeconds) as { change: number }
    if (change !== 0) put.run(number, 0, change)
    dropPast.run(number, nowSeconds)
  }

  return {
    add(number: number, changes: SizeChanges, nowSeconds: number) {
      for (const [at, change] of changes) if (change !== 0) put.run(number, at, change)
      fold(number, nowSeconds)
    },
    /** The same for all audiences; those of removed ones are deleted. */
    foldAll(nowSeconds: number) {
      db.exec('delete from size_change where audience in (select number from audience where removed = 1)')
      for (const { number } of audiences.all() as { number: number }[]) fold(number, nowSeconds)
    },
  }
}
