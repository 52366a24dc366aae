import type { DatabaseSync } from 'node:sqlite'
import type { IndexRuns } from './index-runs.ts'
import { numberOf } from './schema.ts'

/** How many waiting deliveries are counted at once, so that commits pass between. */
const SLICE = 1_000

export interface WaitingSlice {
  webhookId: string
  after: number
  /** Sequence numbers that are held. */
  except: number[]
}

/** Counts what is open of a webhook in the file: its retries, and its deliveries that wait. */
export function createCountOpen(db: DatabaseSync, index: IndexRuns) {
  const retries = db.prepare('select count(*) from (select 1 from retry where webhook_id = ? limit ?)')
  const waiting = db.prepare(`select count(*) as count, max(sequence) as last from (
    select sequence from delivery d where webhook_id = :webhookId and sequence > :after and sequence not in (select value from json_each(:except))
      and not exists (select 1 from attempt a where a.sequence = d.sequence and a.webhook_id = d.webhook_id and a.origin = '')
    order by sequence limit ${SLICE})`)

  return {
    countRetries: ({ webhookId, limit }: { webhookId: string; limit: number }) => numberOf(retries.get(webhookId, limit)),
    /** `last` is where to go on, or null at the end. */
    countWaiting({ webhookId, after, except }: WaitingSlice): { count: number; last: number | null } {
      index.finish()
      const { count, last } = waiting.get({ webhookId, after, except: JSON.stringify(except) }) as { count: number; last: number | null }
      return { count, last: count < SLICE ? null : last }
    },
  }
}
