import type { Pool } from 'pg'
import { momentOf, publicId } from '../../../lib/ids.ts'
import type { Attempt, DeliveryReport, DeliveryState } from '../../event-log.ts'
import { isWanted, type ReportQuery, type ReportSlice } from '../report-walk.ts'
import { sequenceOfUuid } from '../sequence-of-uuid.ts'
import { targetsOf } from './delivery-of.ts'

interface Row {
  sequence: number
  event_uuid: string | null
  event_type: string
  user_id: string
  /** Null for an event without targets. */
  webhook_id: string | null
  is_open: boolean
  due_ms: number | null
  attempts: (Attempt & { n: number; replayJobId: string | null })[]
}

const columns = 'sequence, event_uuid, event_type, user_id, targets'

const byUuid = `select ${columns} from log_event where sequence < $1 and (event_uuid = $3 or (sequence = $4 and event_uuid is null)) limit $2`
const byWebhook = `select ${columns} from log_event join (
    select sequence from log_delivery where webhook_id = $3 and sequence < $1 order by sequence desc limit $2) d using (sequence)`
const newest = `select ${columns} from log_event where sequence < $1 order by sequence desc limit $2`

const byRow = (rows: string) => `select ${columns} from log_event join (
    select distinct sequence from ${rows} and sequence < $1 order by sequence desc limit $2) d using (sequence)`

/** The events that may have a delivery in a state. Most deliveries are delivered. */
const byState: Record<DeliveryState, string> = {
  given_up: byRow(`log_attempt where outcome = 'failed' and origin = ''`),
  not_sent: byRow(`log_attempt where outcome = 'not_sent' and origin = ''`),
  retrying: byRow('log_open where due_ms is not null'),
  pending: byRow('log_open where due_ms is null'),
  delivered: newest,
}

/** The deliveries of the candidate events; only those of one webhook if the parameter `webhook` is not null. */
const report = (candidates: string, webhook: string) => `
  with candidate as materialized (${candidates})
  select c.sequence, c.event_uuid, c.event_type, c.user_id, t.webhook_id, o.sequence is not null as is_open, o.due_ms, tried.attempts
  from candidate c
  left join lateral jsonb_object_keys(${targetsOf('c')}) as t (webhook_id) on true
  left join log_open o on o.sequence = c.sequence and o.webhook_id = t.webhook_id
  cross join lateral (
    select coalesce(json_agg(json_build_object('n', n, 'replayJobId', nullif(origin, ''), 'atMs', at_ms, 'latencyMs', latency_ms,
      'status', status, 'outcome', outcome, 'error', error, 'response', response, 'timing', timing) order by at_ms, origin, n), '[]') as attempts
    from log_attempt a where a.sequence = c.sequence and a.webhook_id = t.webhook_id
  ) tried
  where ${webhook}::text is null or t.webhook_id = ${webhook}
  order by c.sequence desc, t.webhook_id collate "C"`

const stateOf = ({ is_open, due_ms, attempts }: Row): DeliveryState => {
  if (is_open) return due_ms === null ? 'pending' : 'retrying'
  const last = attempts.findLast(({ replayJobId }) => replayJobId === null)
  if (!last) return 'pending'
  return last.outcome === 'failed' ? 'given_up' : last.outcome
}

const reportOf = (row: Row): DeliveryReport => ({
  sequence: row.sequence,
  eventUuid: row.event_uuid ?? publicId(row.sequence),
  eventType: row.event_type,
  userId: row.user_id,
  webhookId: row.webhook_id!,
  acceptedAtMs: momentOf(row.sequence),
  state: stateOf(row),
  nextTryAtMs: row.due_ms,
  attempts: row.attempts,
})

function statementFor({ webhookId, eventUuid, state, before, events }: ReportQuery) {
  if (eventUuid !== undefined) {
    const values = [before, events, eventUuid, sequenceOfUuid(eventUuid) ?? null, webhookId ?? null]
    return { text: report(byUuid, '$5'), values }
  }
  if (webhookId !== undefined) return { text: report(byWebhook, '$3'), values: [before, events, webhookId] }
  return { text: report(state ? byState[state] : newest, 'null'), values: [before, events] }
}

/** One slice of a report: the deliveries of the next events below a sequence number, newest first, with their attempts. */
export async function reportSlice(pool: Pool, query: ReportQuery): Promise<ReportSlice> {
  const { rows } = await pool.query<Row>(statementFor(query))
  const targets = rows.filter((row) => row.webhook_id !== null && isWanted(query, stateOf(row), row.due_ms))
  const isEnd = query.eventUuid !== undefined || rows.length === 0
  return { reports: targets.map(reportOf), next: isEnd ? null : rows.at(-1)!.sequence }
}
