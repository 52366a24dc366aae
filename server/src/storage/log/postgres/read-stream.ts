import type { Pool } from 'pg'
import { publicId } from '../../../lib/ids.ts'
import { STREAM_PAGE_BYTES, type StreamEntry, type StreamRange } from '../../event-log.ts'
import type { StreamRow } from '../stream-row.ts'

const statement = `
  select sequence, event_uuid, event_type, user_id, match, content from (
    select s.sequence, e.event_uuid, e.event_type, e.user_id, s.match, e.content,
      sum(octet_length(e.content)) over (order by s.sequence rows between unbounded preceding and 1 preceding) as earlier
    from (select sequence, match from log_stream
      where app_id = $1 and sequence > $2 and sequence < $3 order by sequence limit $4) s
    join log_event e on e.sequence = s.sequence
  ) page where coalesce(earlier, 0) < ${STREAM_PAGE_BYTES} order by sequence`

/** Reads entries of an app's stream, oldest first: those that fit into a page, and at least one. */
export async function readStream(pool: Pool, { appId, after, before, limit }: StreamRange): Promise<StreamEntry[]> {
  const values = [appId, after, before, limit]
  const { rows } = await pool.query<StreamRow<Buffer>>({ name: 'log-read-stream', text: statement, values })
  return rows.map(({ sequence, event_uuid, event_type, user_id, match, content }) => ({
    sequence,
    eventUuid: event_uuid ?? publicId(sequence),
    eventType: event_type,
    userId: user_id,
    appId,
    match,
    content,
  }))
}
