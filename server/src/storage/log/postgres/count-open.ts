import type { Pool } from 'pg'
import { momentOf } from '../../../lib/ids.ts'
import type { OpenCount } from '../../event-log.ts'
import { ofWebhook } from '../../postgres/planner-settings.ts'

const part = (isDue: string) => `
  left join lateral (
    select count(*) as count, min(sequence) as oldest from (
      select sequence from log_open where ${ofWebhook('w.id')} and owner is null and due_ms is ${isDue} order by webhook_id, sequence limit $2
    ) open
  )`

/** Waiting and retrying deliveries by their indexes. Those that processes hold are as many as fit into memory; no index has them. */
const statement = `
  select w.id, waiting.count + retrying.count + coalesce(held.count, 0) as count,
    least(waiting.oldest, retrying.oldest, held.oldest) as oldest
  from unnest($1::text[]) as w (id)
  ${part('null')} waiting on true
  ${part('not null')} retrying on true
  left join (
    select webhook_id, count(*) as count, min(sequence) as oldest
    from log_open where owner is not null and webhook_id = any ($1::text[]) group by webhook_id
  ) held on held.webhook_id = w.id`

/** How many deliveries of each webhook are open, those of all processes. */
export async function countOpen(pool: Pool, webhookIds: readonly string[], limit: number): Promise<Map<string, OpenCount>> {
  const { rows } = await pool.query<{ id: string; count: number; oldest: number | null }>(statement, [webhookIds, limit])
  const viewOf = (count: number, oldest: number | null) => ({
    count: Math.min(count, limit),
    sinceMs: oldest === null ? undefined : momentOf(oldest),
  })
  return new Map(rows.map(({ id, count, oldest }) => [id, viewOf(count, oldest)]))
}
