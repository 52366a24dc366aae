import type { Pool } from 'pg'
import { sequenceOfUuid } from '../sequence-of-uuid.ts'

/** The webhooks and the streams that a log has an event for. */
export interface KnownTargets {
  webhookIds: ReadonlySet<string>
  appIds: ReadonlySet<string>
}

const statement = `
  select u.uuid, array(select jsonb_object_keys(e.targets)) as webhook_ids,
    array(select app_id from log_stream s where s.sequence = e.sequence) as app_ids
  from unnest($1::text[], $2::bigint[]) as u (uuid, own) cross join lateral (
    select sequence, targets from log_event where event_uuid = u.uuid
    union all select sequence, targets from log_event where sequence = u.own and event_uuid is null
  ) e`

interface Row {
  uuid: string
  webhook_ids: string[]
  app_ids: string[]
}

/** What the log has of events with these uuids. */
export async function knownTargets(pool: Pool, eventUuids: readonly string[]): Promise<Map<string, KnownTargets>> {
  const own = eventUuids.map((eventUuid) => sequenceOfUuid(eventUuid) ?? null)
  const { rows } = await pool.query<Row>({ name: 'log-known-targets', text: statement, values: [eventUuids, own] })
  return new Map(rows.map(({ uuid, webhook_ids, app_ids }) => [uuid, { webhookIds: new Set(webhook_ids), appIds: new Set(app_ids) }]))
}
