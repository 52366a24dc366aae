import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../files/transaction.ts'
import { eventsOfSlice, type OldEvent, type Trimmed, type TrimSlice } from '../trim-in-slices.ts'
import type { IndexRuns } from './index-runs.ts'

/** Deletes, of the next events in (after, before) that are one slice, those without an open delivery. `last` is null if there were none. */
export function createTrim(db: DatabaseSync, index: Pick<IndexRuns, 'trimmed'>) {
  const pick = (condition: string) =>
    db.prepare(`select sequence, (select count(*) from target t where t.sequence = e.sequence) as deliveries from event e
      where sequence > ? and sequence < ? ${condition} order by sequence limit ?`)
  const events = pick('')
  const eventsOf = pick('and user_id in (select value from json_each(?))')
  const isOpen = db.prepare(`select 1 from target t where sequence = ? and (
    not exists (select 1 from attempt a where a.sequence = t.sequence and a.webhook_id = t.webhook_id and a.origin = '')
    or exists (select 1 from retry r where r.sequence = t.sequence and r.webhook_id = t.webhook_id)) limit 1`)
  const deletions = [
    'delete from delivery where (webhook_id, sequence) in (select webhook_id, sequence from target where sequence = ?)',
    'delete from target where sequence = ?',
    'delete from stream where sequence = ?',
    'delete from attempt where sequence = ?',
    'delete from given_uuid where event_uuid = (select event_uuid from event where sequence = ?)',
    'delete from event where sequence = ?',
  ].map((sql) => db.prepare(sql))
  const mark = db.prepare(`update mark set sequence = max(sequence, ?) where name = 'trimmed'`)

  const trim = ({ after, before, limit, userIds }: TrimSlice): Trimmed =>
    transaction(db, () => {
      const rows = userIds ? eventsOf.all(after, before, JSON.stringify(userIds), limit) : events.all(after, before, limit)
      const found = eventsOfSlice(rows as unknown as OldEvent[])
      const closed = found.filter((sequence) => !isOpen.get(sequence))
      for (const sequence of closed) for (const deletion of deletions) deletion.run(sequence)
      if (closed.length > 0) mark.run(closed.at(-1)!)
      return { deleted: closed.length, last: found.at(-1) ?? null }
    })

  /** Does not wait for the disk: what a power failure brings back is trimmed again. The next commit of events waits for both. */
  return (slice: TrimSlice): Trimmed => {
    db.exec('pragma synchronous = normal')
    try {
      const trimmed = trim(slice)
      if (trimmed.deleted > 0) index.trimmed(trimmed.last!)
      return trimmed
    } finally {
      db.exec('pragma synchronous = full')
    }
  }
}
