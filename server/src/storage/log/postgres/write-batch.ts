import type { Pool, QueryConfig } from 'pg'
import type { NewEvent } from '../../event-log.ts'
import { LOG_CHANNEL } from '../../postgres/log-listener.ts'
import { type Ack, MAX_ATTEMPTS } from '../ack.ts'
import { sequenceOfUuid } from '../sequence-of-uuid.ts'
import { alive, aliveSince, type Ownership } from './ownership.ts'
import { streamMessage } from './stream-message.ts'

/** Identifies a delivery. */
export interface Key {
  sequence: number
  webhookId: string
}

/** An event on its way into the log. */
export interface Entry {
  /** 0 until its commit begins. */
  sequence: number
  /** The number that it must have, because other logs have the event under it. */
  given: number | undefined
  event: NewEvent
  /** Set when the commit finds that its uuid exists already. */
  repeated: boolean
  /** For each target, whether this process will own its delivery. Decided when the commit begins. */
  mine: boolean[]
}

/** Stands in the result of the statement for the row of its notification. */
const ANNOUNCED = -1

/** What an acknowledgement has, with the types of its parameters. The last of it is not in the row of its attempt. */
const ACK = {
  sequence: 'bigint',
  webhook_id: 'text',
  origin: 'text',
  n: 'int',
  at_ms: 'bigint',
  latency_ms: 'float8',
  status: 'int',
  outcome: 'text',
  error: 'text',
  response: 'text',
  timing: 'text',
  retry_ms: 'bigint',
}
const ACK_NAMES = Object.keys(ACK)
const ATTEMPT_NAMES = ACK_NAMES.slice(0, -1)
const ATTEMPT = ATTEMPT_NAMES.join(', ')
const ATTEMPT_OF_ACK = ATTEMPT_NAMES.map((name) => `a.${name}`).join(', ')

/** Ends and postpones deliveries that this owner still has, by acknowledgements whose parameters begin with `first`. */
const acknowledging = (first: number, owner: string, where = '') => `ack as materialized (
    select * from unnest(${Object.values(ACK).map((type, at) => `$${first + at}::${type}[]`)})
      as a (${ACK_NAMES})${where}
  ), ended as (
    delete from log_open o using ack a
    where a.origin = '' and a.retry_ms is null and o.sequence = a.sequence and o.webhook_id = a.webhook_id and o.owner = ${owner}
    returning ${ATTEMPT_OF_ACK}
  ), postponed as (
    update log_open o set owner = null, due_ms = a.retry_ms, attempts = a.n from ack a
    where a.origin = '' and a.retry_ms is not null and o.sequence = a.sequence and o.webhook_id = a.webhook_id and o.owner = ${owner}
    returning ${ATTEMPT_OF_ACK}
  )`

/**
 * A commit that has acknowledgements of deliveries and nothing else, as most have. The statement below does the same, and takes up to three
 * times as much of the server's CPU for a few of them.
 */
export const acknowledgementStatement = `
  with ${alive('$13')}, ${acknowledging(1, '$13', ' where (select fence from alive) = 1')}
  insert into log_attempt (${ATTEMPT})
  select * from ended union all select * from postponed
  on conflict do nothing`

/**
 * One statement, so that one round trip and one fsync make all of it durable: events with a new uuid and their deliveries, attempts of
 * deliveries that this process still owns, attempts of replays, and released deliveries. It returns the sequence numbers of events whose
 * uuid exists already. An attempt of a replay that is there was written by a commit that got no answer, and is not written again. All parts
 * see the tables as they were before the statement. Uuids are inserted in order, to avoid deadlocks.
 */
const statement = (more: string, result: string, traceparents?: string) => `
  with ${aliveSince('$27', '$30')}, entry as materialized (
    select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[]${traceparents ? `, ${traceparents}::text[]` : ''})
      as e (sequence, event_uuid, own, event_type, user_id, targets, start, bytes${traceparents ? ', traceparent' : ''})
    where (select fence from alive) = 1
  ), fresh as (
    insert into log_event (sequence, event_uuid, event_type, user_id, targets, content${traceparents ? ', traceparent' : ''})
    select sequence, event_uuid, event_type, user_id, targets::jsonb, substr($9::bytea, start, bytes)${traceparents ? ', traceparent' : ''} from entry
    where own is null or (select 1 from log_event known where known.sequence = own and known.event_uuid is null limit 1) is null
    order by event_uuid, sequence
    on conflict (event_uuid) where event_uuid is not null do nothing
    returning sequence
  ), repeated as materialized (
    select sequence from entry except select sequence from fresh
  ), target as materialized (
    select * from unnest($10::bigint[], $11::text[], $12::bigint[], $13::text[]) as t (sequence, webhook_id, owner, not_sent)
    where sequence <> all (array(select sequence from repeated))
  ), indexed as (
    insert into log_delivery (webhook_id, sequence) select webhook_id, sequence from target on conflict do nothing
  ), opened as (
    insert into log_open (sequence, webhook_id, owner) select sequence, webhook_id, owner from target where not_sent is null
    on conflict do nothing
  ), not_sent as (
    insert into log_attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
    select sequence, webhook_id, '', 1, $14, 0, 'not_sent', not_sent from target where not_sent is not null
    on conflict do nothing
  ), ${acknowledging(15, '$27')}, replayed as (
    select sequence, webhook_id, origin, (row_number() over (partition by sequence, webhook_id, origin) + (
        select coalesce(max(t.n), 0) from log_attempt t
        where t.sequence = a.sequence and t.webhook_id = a.webhook_id and t.origin = a.origin and t.n < ${MAX_ATTEMPTS}))::int,
      at_ms, latency_ms, status, outcome, error, response, timing
    from ack a where origin <> '' and exists (
      select 1 from log_delivery d where d.webhook_id = a.webhook_id and d.sequence = a.sequence)
    and not exists (
      select 1 from log_attempt t where t.sequence = a.sequence and t.webhook_id = a.webhook_id and t.origin = a.origin
        and t.at_ms = a.at_ms and t.latency_ms = a.latency_ms and t.outcome = a.outcome)
  ), attempted as (
    insert into log_attempt (${ATTEMPT})
    select * from ended union all select * from postponed union all select * from replayed
    on conflict do nothing
  ), released as (
    update log_open o set owner = null from unnest($28::bigint[], $29::text[]) as r (sequence, webhook_id)
    where o.sequence = r.sequence and o.webhook_id = r.webhook_id and o.owner = $27
  )${more}
  ${result}`

const REPEATED = 'select sequence from repeated'

const STREAMED = `, streamed as (
    insert into log_stream (sequence, app_id, match)
    select sequence, app_id, match from unnest($31::bigint[], $32::text[], $33::text[]) as s (sequence, app_id, match)
    where sequence <> all (array(select sequence from repeated))
    on conflict do nothing
  ), announced as materialized (select pg_notify($34, $35))`

const REPEATED_AND_ANNOUNCED = `${REPEATED} union all select ${ANNOUNCED} from announced`

export const batchStatement = statement('', REPEATED)

/**
 * The same with entries of streams. Other processes are told with the commit that made the entries, so none is missed however this process
 * ends. It is a statement of its own, so that a batch without such entries costs nothing more.
 */
const streamingBatchStatement = statement(STREAMED, REPEATED_AND_ANNOUNCED)

/** Both with events that somebody traces. They are statements of their own for the same reason. */
const tracedBatchStatement = statement('', REPEATED, '$31')
const tracedStreamingBatchStatement = statement(STREAMED, REPEATED_AND_ANNOUNCED, '$36')

export interface Batch {
  entries: readonly Entry[]
  acks: readonly Ack[]
  released: readonly Key[]
  ownership: Ownership
  nowMs: number
  /** The number of this process. */
  worker: number
}

/** PostgreSQL cannot store NUL in a text, and a callback's response may contain one. */
const storable = (text: string) => text.replaceAll('\0', '')

function entryColumns(entries: readonly Entry[]) {
  let start = 1
  const starts = entries.map(({ event }) => {
    start += event.content.length
    return start - event.content.length
  })
  return [
    entries.map(({ sequence }) => sequence),
    entries.map(({ event }) => event.eventUuid ?? null),
    entries.map(({ event }) => (event.eventUuid === undefined ? null : (sequenceOfUuid(event.eventUuid) ?? null))),
    entries.map(({ event }) => event.eventType),
    entries.map(({ event }) => event.userId),
    entries.map(({ event }) => JSON.stringify(Object.fromEntries(event.targets.map(({ webhookId, match }) => [webhookId, match])))),
    starts,
    entries.map(({ event }) => event.content.length),
    Buffer.concat(entries.map(({ event }) => event.content)),
  ]
}

function targetColumns(entries: readonly Entry[], owner: number) {
  const targets = entries.flatMap(({ sequence, event, mine }) =>
    event.targets.map((target, index) => ({ sequence, target, mine: mine[index] })),
  )
  return [
    targets.map(({ sequence }) => sequence),
    targets.map(({ target }) => target.webhookId),
    targets.map(({ mine }) => (mine ? owner : null)),
    targets.map(({ target }) => target.notSent ?? null),
  ]
}

const ackColumns = (acks: readonly Ack[]) => [
  acks.map(({ sequence }) => sequence),
  acks.map(({ webhookId }) => webhookId),
  acks.map(({ origin }) => origin),
  acks.map(({ n }) => n),
  acks.map(({ attempt }) => attempt.atMs),
  acks.map(({ attempt }) => attempt.latencyMs),
  acks.map(({ attempt }) => attempt.status),
  acks.map(({ attempt }) => attempt.outcome),
  acks.map(({ attempt }) => storable(attempt.error)),
  acks.map(({ attempt }) => storable(attempt.response)),
  acks.map(({ attempt }) => attempt.timing),
  acks.map(({ retryAtMs }) => retryAtMs),
]

function streamColumns(entries: readonly Entry[], worker: number) {
  const targets = entries.flatMap(({ sequence, event }) => (event.streams ?? []).map((target) => ({ sequence, ...target })))
  if (targets.length === 0) return []
  return [
    targets.map(({ sequence }) => sequence),
    targets.map(({ appId }) => appId),
    targets.map(({ match }) => match),
    LOG_CHANNEL,
    streamMessage(worker, targets),
  ]
}

/** The span of each event; nothing if nobody traces any of them. */
const traceColumn = (entries: readonly Entry[]) =>
  entries.some(({ event }) => event.traceparent !== undefined) ? [entries.map(({ event }) => event.traceparent ?? null)] : []

function query(values: unknown[], streams: unknown[], traces: unknown[]): QueryConfig {
  if (traces.length > 0)
    return streams.length === 0
      ? { name: 'log-write-traced-batch', text: tracedBatchStatement, values: [...values, ...traces] }
      : { name: 'log-write-traced-streaming-batch', text: tracedStreamingBatchStatement, values: [...values, ...streams, ...traces] }
  return streams.length === 0
    ? { name: 'log-write-batch', text: batchStatement, values }
    : { name: 'log-write-streaming-batch', text: streamingBatchStatement, values: [...values, ...streams] }
}

const isOfDelivery = ({ origin }: Ack) => origin === ''

/** Writes a batch, all or nothing. Returns the sequence numbers of events whose uuid exists already. */
export async function writeBatch(pool: Pool, { entries, acks, released, ownership, nowMs, worker }: Batch): Promise<number[]> {
  if (entries.length === 0 && released.length === 0 && acks.every(isOfDelivery)) {
    const values = [...ackColumns(acks), ownership.id()]
    await ownership.guard(() => pool.query({ name: 'log-acknowledge', text: acknowledgementStatement, values }))
    return []
  }
  const values = [
    ...entryColumns(entries),
    ...targetColumns(entries, ownership.id()),
    nowMs,
    ...ackColumns(acks),
    ownership.id(),
    released.map(({ sequence }) => sequence),
    released.map(({ webhookId }) => webhookId),
    ownership.version(),
  ]
  const { rows } = await ownership.guard(() => pool.query(query(values, streamColumns(entries, worker), traceColumn(entries))))
  return rows.map((row) => row.sequence).filter((sequence) => sequence !== ANNOUNCED)
}
