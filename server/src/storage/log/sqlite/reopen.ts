import type { DatabaseSync } from 'node:sqlite'
import type { EndedState } from '../../event-log.ts'
import { MAX_ATTEMPTS } from '../ack.ts'
import type { ReopenedSlice, ReopenSlice } from '../reopen-walk.ts'
import type { IndexRuns } from './index-runs.ts'
import { transaction } from './transaction.ts'

interface EndedRow {
  sequence: number
  /** The number of the last attempt, and how it ended; null for a delivery that is open. */
  n: number | null
  outcome: 'delivered' | 'failed' | 'not_sent' | null
}

const stateOf = (outcome: NonNullable<EndedRow['outcome']>): EndedState => (outcome === 'failed' ? 'given_up' : outcome)

/** Makes deliveries that have ended due again. One with a retry row, or without an attempt of its own, is open. */
export function createReopen(db: DatabaseSync, index: IndexRuns) {
  const looked = db.prepare(`select d.sequence, min(a.n, ${MAX_ATTEMPTS}) as n, a.outcome from (
      select sequence from delivery where webhook_id = :webhookId and sequence > :after and sequence < :before order by sequence limit :looks
    ) d left join attempt a on a.sequence = d.sequence and a.webhook_id = :webhookId and a.origin = ''
      and a.n = (select max(n) from attempt b where b.sequence = d.sequence and b.webhook_id = :webhookId and b.origin = '')
      and not exists (select 1 from retry r where r.webhook_id = :webhookId and r.sequence = d.sequence)
    order by d.sequence`)
  const insertRetry = db.prepare('insert into retry (webhook_id, sequence, due_ms, attempts) values (?, ?, ?, ?)')

  return ({ webhookId, after, before, states, dueMs, limit, looks }: ReopenSlice): ReopenedSlice => {
    index.finish()
    const rows = looked.all({ webhookId, after, before, looks }) as unknown as EndedRow[]
    const ended = rows.filter(({ outcome }) => outcome !== null && states.includes(stateOf(outcome))).slice(0, limit)
    if (ended.length > 0)
      transaction(db, () => {
        for (const { sequence, n } of ended) insertRetry.run(webhookId, sequence, Math.floor(dueMs), n)
      })
    if (ended.length === limit) return { count: ended.length, last: ended.at(-1)!.sequence }
    return { count: ended.length, last: rows.length < looks ? null : rows.at(-1)!.sequence }
  }
}
