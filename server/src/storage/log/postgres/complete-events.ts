import type { Pool } from 'pg'
import type { NewEvent } from '../../event-log.ts'
import { LOG_CHANNEL } from '../../postgres/log-listener.ts'
import { streamMessage } from './stream-message.ts'

/** An event is locked, so that of two calls the second sees what the first has added. */
const addTargets = `
  with wanted as (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as w (uuid, webhook_id, match, not_sent)
  ), event as materialized (
    select sequence, event_uuid, targets from log_event where event_uuid = any ($1::text[]) order by sequence for update
  ), missing as materialized (
    select e.sequence, e.event_uuid, w.webhook_id, w.match, w.not_sent from event e join wanted w on w.uuid = e.event_uuid
    where not e.targets ? w.webhook_id
  ), changed as (
    update log_event e set targets = e.targets || m.added
    from (select sequence, jsonb_object_agg(webhook_id, match) as added from missing group by sequence) m where e.sequence = m.sequence
  ), indexed as (
    insert into log_delivery (webhook_id, sequence) select webhook_id, sequence from missing on conflict do nothing
  ), opened as (
    insert into log_open (sequence, webhook_id) select sequence, webhook_id from missing where not_sent is null on conflict do nothing
  ), kept as (
    insert into log_attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
    select sequence, webhook_id, '', 1, $5, 0, 'not_sent', not_sent from missing where not_sent is not null on conflict do nothing
  )
  select distinct event_uuid as uuid from missing`

const addStreams = `
  insert into log_stream (sequence, app_id, match)
  select e.sequence, w.app_id, w.match from unnest($1::text[], $2::text[], $3::text[]) as w (uuid, app_id, match)
  join log_event e on e.event_uuid = w.uuid
  on conflict do nothing returning sequence, app_id as "appId"`

/** Adds missing entries of streams, and tells the other processes. */
async function addMissingStreams(pool: Pool, events: readonly NewEvent[], worker: number): Promise<{ sequence: number; appId: string }[]> {
  const streams = events.flatMap(({ eventUuid, streams: all = [] }) => all.map((target) => ({ eventUuid, ...target })))
  if (streams.length === 0) return []
  const values = [streams.map(({ eventUuid }) => eventUuid), streams.map(({ appId }) => appId), streams.map(({ match }) => match)]
  const { rows } = await pool.query<{ sequence: number; appId: string }>({ name: 'log-add-streams', text: addStreams, values })
  if (rows.length > 0) await pool.query('select pg_notify($1, $2)', [LOG_CHANNEL, streamMessage(worker, rows)])
  return rows
}

/** Adds missing targets to events, which are found by their uuids. Returns the uuids of those that had some missing, and the entries. */
export async function completeEvents(pool: Pool, events: readonly NewEvent[], { nowMs, worker }: { nowMs: number; worker: number }) {
  const targets = events.flatMap(({ eventUuid, targets: all }) => all.map((target) => ({ eventUuid, ...target })))
  const found = await pool.query<{ uuid: string }>({
    name: 'log-add-targets',
    text: addTargets,
    values: [
      targets.map(({ eventUuid }) => eventUuid),
      targets.map(({ webhookId }) => webhookId),
      targets.map(({ match }) => match),
      targets.map(({ notSent }) => notSent ?? null),
      Math.floor(nowMs),
    ],
  })
  const streamed = await addMissingStreams(pool, events, worker)
  return { completed: new Set(found.rows.map(({ uuid }) => uuid)), streamed: streamed.map(({ sequence }) => sequence) }
}
