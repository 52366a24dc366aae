import type { DatabaseSync } from 'node:sqlite'
import { momentOf, publicId } from '../../../lib/ids.ts'
import type { DeliveryReport, DeliveryState } from '../../event-log.ts'
import { isWanted, type ReportQuery, type ReportSlice } from '../report-walk.ts'
import { sequenceOfUuid } from '../sequence-of-uuid.ts'
import type { IndexRuns } from './index-runs.ts'

interface TargetRow {
  sequence: number
  webhook_id: string
  event_uuid: string | null
  event_type: string
  user_id: string
  due_ms: number | null
  last: 'delivered' | 'failed' | 'not_sent' | null
}

interface AttemptRow {
  origin: string
  n: number
  at_ms: number
  latency_ms: number
  status: number | null
  outcome: 'delivered' | 'failed' | 'not_sent'
  error: string
  response: string
  timing: string
}

const stateOf = ({ due_ms, last }: TargetRow): DeliveryState => {
  if (due_ms !== null) return 'retrying'
  if (last === null) return 'pending'
  return last === 'failed' ? 'given_up' : last
}

/** The events that may have a delivery which was never tried, newest first: what is above the watermark, and what waits of each webhook with a row. */
function createUntried(db: DatabaseSync, index: IndexRuns) {
  const unmarked = db.prepare(`select sequence from event
    where sequence < ? and sequence > (select sequence from mark where name = 'watermark') order by sequence desc limit ?`)
  const rows = db.prepare('select webhook_id, beginning from waiting')
  const waiting = db.prepare(
    'select sequence from delivery where webhook_id = ? and sequence > ? and sequence < ? order by sequence desc limit ?',
  )

  return (before: number, limit: number): number[] => {
    let found = unmarked.all(before, limit).map(({ sequence }) => sequence as number)
    index.finish()
    for (const { webhook_id, beginning } of rows.all() as { webhook_id: string; beginning: number }[]) {
      // What is below as many others is on a later page.
      const from = Math.max(beginning, found[limit - 1] ?? 0)
      const more = waiting.all(webhook_id, from, before, limit).map(({ sequence }) => sequence as number)
      if (more.length > 0) found = [...new Set([...found, ...more])].sort((one, other) => other - one).slice(0, limit)
    }
    return found
  }
}

/** One slice of a report: the deliveries of the next events below a sequence number, newest first, with their attempts. */
export function createReport(db: DatabaseSync, index: IndexRuns) {
  const eventsBelow = db.prepare('select sequence from event where sequence < ? order by sequence desc limit ?')
  const ofWebhookBelow = db.prepare('select sequence from delivery where webhook_id = ? and sequence < ? order by sequence desc limit ?')
  const undelivered = db.prepare(`select distinct sequence from attempt
    where outcome = ? and outcome <> 'delivered' and origin = '' and sequence < ? order by sequence desc limit ?`)
  const retrying = db.prepare('select distinct sequence from retry where sequence < ? order by sequence desc limit ?')
  const untried = createUntried(db, index)
  const given = db.prepare('select sequence from given_uuid where event_uuid = ?')
  const own = db.prepare('select sequence from event where sequence = ? and event_uuid is null')
  const targets = db.prepare(`select t.sequence, t.webhook_id, e.event_uuid, e.event_type, e.user_id, r.due_ms, (
      select a.outcome from attempt a where a.sequence = t.sequence and a.webhook_id = t.webhook_id and a.origin = '' order by a.n desc limit 1
    ) as last
    from target t cross join event e on e.sequence = t.sequence
    left join retry r on r.webhook_id = t.webhook_id and r.sequence = t.sequence
    where t.sequence = :sequence and (:webhook is null or t.webhook_id = :webhook) order by t.webhook_id`)
  const attempts = db.prepare(`select origin, n, at_ms, latency_ms, status, outcome, error, response, timing from attempt
    where sequence = ? and webhook_id = ? order by at_ms, origin, n`)

  const byUuid = (eventUuid: string, before: number) => {
    const found = given.get(eventUuid) ?? own.get(sequenceOfUuid(eventUuid) ?? null)
    return found && (found.sequence as number) < before ? [found] : []
  }

  /** The events that may have a delivery in a state. Most deliveries are delivered. */
  const ofState = (state: ReportQuery['state'], before: number, events: number) => {
    if (state === 'given_up') return undelivered.all('failed', before, events)
    if (state === 'not_sent') return undelivered.all('not_sent', before, events)
    if (state === 'retrying') return retrying.all(before, events)
    return eventsBelow.all(before, events)
  }

  const candidates = ({ webhookId, eventUuid, state, before, events }: ReportQuery): number[] => {
    const sequencesOf = (rows: Record<string, unknown>[]) => rows.map(({ sequence }) => sequence as number)
    if (eventUuid !== undefined) return sequencesOf(byUuid(eventUuid, before))
    if (webhookId === undefined) return state === 'pending' ? untried(before, events) : sequencesOf(ofState(state, before, events))
    index.finish()
    return sequencesOf(ofWebhookBelow.all(webhookId, before, events))
  }

  const attemptOf = (row: AttemptRow) => ({
    n: row.n,
    replayJobId: row.origin || null,
    atMs: row.at_ms,
    latencyMs: row.latency_ms,
    timing: row.timing,
    status: row.status,
    outcome: row.outcome,
    error: row.error,
    response: row.response,
  })

  const reportOf = (row: TargetRow): DeliveryReport => ({
    sequence: row.sequence,
    eventUuid: row.event_uuid ?? publicId(row.sequence),
    eventType: row.event_type,
    userId: row.user_id,
    webhookId: row.webhook_id,
    acceptedAtMs: momentOf(row.sequence),
    state: stateOf(row),
    nextTryAtMs: row.due_ms,
    attempts: (attempts.all(row.sequence, row.webhook_id) as unknown as AttemptRow[]).map(attemptOf),
  })

  return (query: ReportQuery): ReportSlice => {
    const sequences = candidates(query)
    const rows = sequences.flatMap((sequence) => targets.all({ sequence, webhook: query.webhookId ?? null }) as unknown as TargetRow[])
    const matching = rows.filter((row) => isWanted(query, stateOf(row), row.due_ms))
    const isEnd = query.eventUuid !== undefined || sequences.length < query.events
    return { reports: matching.map(reportOf), next: isEnd ? null : sequences.at(-1)! }
  }
}
