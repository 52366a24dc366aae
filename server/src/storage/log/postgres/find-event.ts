import type { Pool } from 'pg'
import type { LoggedEvent } from '../../event-log.ts'
import { type EventRow, eventOf } from '../event-row.ts'
import { sequenceOfUuid } from '../sequence-of-uuid.ts'
import { targetsOf } from './delivery-of.ts'

const statement = `
  select sequence, event_uuid, event_type, user_id, content, (
    select coalesce(json_agg(json_build_object('webhookId', key, 'match', value) order by key collate "C"), '[]') from jsonb_each_text(${targetsOf('e')})
  ) as targets
  from log_event e where event_uuid = $1 or (sequence = $2 and event_uuid is null) limit 1`

/** Looks up an event by its uuid. */
export async function findEvent(pool: Pool, eventUuid: string): Promise<LoggedEvent | undefined> {
  const { rows } = await pool.query<EventRow>(statement, [eventUuid, sequenceOfUuid(eventUuid) ?? null])
  return eventOf(rows[0])
}
