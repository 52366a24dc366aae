import type { DatabaseSync } from 'node:sqlite'
import type { IndexRuns } from './index-runs.ts'

/** How many, and the lowest sequence number among them. */
export interface CountedOpen {
  count: number
  oldest: number | undefined
}

/** A webhook whose open deliveries in the file are counted. */
export interface CountedWebhook {
  webhookId: string
  /** Set if it is parked: its deliveries above `after` wait, except these sequence numbers, which are held. */
  waiting?: { after: number; except: number[] }
}

export const addOpen = (one: CountedOpen, other: CountedOpen): CountedOpen => ({
  count: one.count + other.count,
  oldest: one.oldest === undefined || other.oldest === undefined ? (one.oldest ?? other.oldest) : Math.min(one.oldest, other.oldest),
})

/** Counts what is open of webhooks in the file: retries, and deliveries that wait. Of each at most `limit` are looked at. */
export function createCountOpen(db: DatabaseSync, index: IndexRuns) {
  const retries = db.prepare(
    'select count(*) as count, min(sequence) as oldest from (select sequence from retry where webhook_id = ? order by sequence limit ?)',
  )
  const waiting = db.prepare(`select count(*) as count, min(sequence) as oldest from (
    select sequence from delivery d where webhook_id = :webhookId and sequence > :after and sequence not in (select value from json_each(:except))
      and not exists (select 1 from attempt a where a.sequence = d.sequence and a.webhook_id = d.webhook_id and a.origin = '')
    order by sequence limit :limit)`)

  const read = (row: unknown): CountedOpen => {
    const { count, oldest } = row as { count: number; oldest: number | null }
    return { count, oldest: oldest ?? undefined }
  }

  const countWaiting = ({ webhookId, waiting: part }: CountedWebhook, limit: number): CountedOpen => {
    if (!part) return { count: 0, oldest: undefined }
    return read(waiting.get({ webhookId, after: part.after, except: JSON.stringify(part.except), limit }))
  }

  return {
    countOpen({ webhooks, limit }: { webhooks: CountedWebhook[]; limit: number }): CountedOpen[] {
      index.finish()
      return webhooks.map((webhook) => addOpen(read(retries.get(webhook.webhookId, limit)), countWaiting(webhook, limit)))
    },
  }
}
