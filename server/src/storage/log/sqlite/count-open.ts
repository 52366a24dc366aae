import type { DatabaseSync } from 'node:sqlite'
import type { IndexRuns } from './index-runs.ts'
import { numberOf } from './schema.ts'

/** A webhook whose open deliveries in the file are counted. */
export interface CountedWebhook {
  webhookId: string
  /** Set if it is parked: its deliveries above `after` wait, except these sequence numbers, which are held. */
  waiting?: { after: number; except: number[] }
}

/** Counts what is open of webhooks in the file: retries, and deliveries that wait. Of each at most `limit` are looked at. */
export function createCountOpen(db: DatabaseSync, index: IndexRuns) {
  const retries = db.prepare('select count(*) from (select 1 from retry where webhook_id = ? limit ?)')
  const waiting = db.prepare(`select count(*) from (
    select 1 from delivery d where webhook_id = :webhookId and sequence > :after and sequence not in (select value from json_each(:except))
      and not exists (select 1 from attempt a where a.sequence = d.sequence and a.webhook_id = d.webhook_id and a.origin = '')
    limit :limit)`)

  const countWaiting = ({ webhookId, waiting: part }: CountedWebhook, limit: number) => {
    if (!part) return 0
    return numberOf(waiting.get({ webhookId, after: part.after, except: JSON.stringify(part.except), limit }))
  }

  return {
    countOpen({ webhooks, limit }: { webhooks: CountedWebhook[]; limit: number }): number[] {
      index.finish()
      return webhooks.map((webhook) => numberOf(retries.get(webhook.webhookId, limit)) + countWaiting(webhook, limit))
    },
  }
}
