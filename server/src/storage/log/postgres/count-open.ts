import type { Pool } from 'pg'

/** Waiting and retrying deliveries by their indexes. Those that processes hold are as many as fit into memory; no index has them. */
const statement = `
  select w.id,
    (select count(*) from (select 1 from log_open where webhook_id = w.id and owner is null and due_ms is null limit $2) waiting)
    + (select count(*) from (select 1 from log_open where webhook_id = w.id and owner is null and due_ms is not null limit $2) retrying)
    + coalesce(held.count, 0) as count
  from unnest($1::text[]) as w (id)
  left join (
    select webhook_id, count(*) as count from log_open where owner is not null and webhook_id = any ($1::text[]) group by webhook_id
  ) held on held.webhook_id = w.id`

/** How many deliveries of each webhook are open, those of all processes. */
export async function countOpen(pool: Pool, webhookIds: readonly string[], limit: number): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ id: string; count: number }>(statement, [webhookIds, limit])
  return new Map(rows.map(({ id, count }) => [id, Math.min(count, limit)]))
}
