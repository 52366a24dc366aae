import type { DatabaseSync } from 'node:sqlite'
import { momentOf } from '../../../lib/ids.ts'
import { transaction } from '../../files/transaction.ts'
import { type Ack, MAX_ATTEMPTS } from '../ack.ts'
import { sequenceOfUuid } from '../sequence-of-uuid.ts'
import type { Marks } from './delivery-tracker.ts'
import { type Entry, unpackBatch } from './pack-batch.ts'

/** Everything that one commit makes durable. Entries and acknowledgements are packed. */
export interface BatchMessage {
  packed: ArrayBuffer
  entries: number
  acks: number
  marks: Marks
}

/** Writes a batch in one transaction. Returns the indexes of the entries whose uuid exists already, and how many targets were written. */
export function createBatchWriter(db: DatabaseSync) {
  const insertEvent = db.prepare(
    'insert into event (sequence, event_uuid, event_type, user_id, content, traceparent) values (?, ?, ?, ?, ?, ?)',
  )
  const insertTarget = db.prepare('insert or ignore into target (sequence, webhook_id, match) values (?, ?, ?)')
  const insertStream = db.prepare('insert or ignore into stream (sequence, app_id, match) values (?, ?, ?)')
  const insertGiven = db.prepare('insert or ignore into given_uuid (event_uuid, sequence) values (?, ?)')
  const isOwnUuid = db.prepare('select 1 from event where sequence = ? and event_uuid is null')
  const insertAttempt = db.prepare(`insert or replace into attempt
    (sequence, webhook_id, origin, n, at_ms, latency_ms, status, outcome, error, response, timing) values (?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?)`)
  const insertReplay =
    db.prepare(`insert or replace into attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, status, outcome, error, response, timing)
    select sequence, webhook_id, :origin, 1 + coalesce((select max(n) from attempt a
      where a.sequence = t.sequence and a.webhook_id = t.webhook_id and a.origin = :origin and a.n < ${MAX_ATTEMPTS}), 0), :at, :latency, :status, :outcome, :error, :response, :timing
    from target t where sequence = :sequence and webhook_id = :webhook`)
  const insertRetry = db.prepare('insert or replace into retry (webhook_id, sequence, due_ms, attempts) values (?, ?, ?, ?)')
  const deleteRetry = db.prepare('delete from retry where webhook_id = ? and sequence = ?')
  const deleteTaken = db.prepare('delete from temp.taken where webhook_id = ? and sequence = ?')
  const setWaiting = db.prepare('insert or replace into waiting (webhook_id, beginning) values (?, ?)')
  const deleteWaiting = db.prepare('delete from waiting where webhook_id = ?')
  const setWatermark = db.prepare(`update mark set sequence = ? where name = 'watermark'`)

  /** Whether the producer gave the uuid and an event has it already. */
  const isKnown = ({ sequence, event: { eventUuid } }: Entry) => {
    if (eventUuid === undefined) return false
    const own = sequenceOfUuid(eventUuid)
    if (own !== undefined && isOwnUuid.get(own)) return true
    return insertGiven.run(eventUuid, sequence).changes === 0
  }

  const writeEntry = ({ sequence, event }: Entry) => {
    insertEvent.run(sequence, event.eventUuid ?? null, event.eventType, event.userId, event.content, event.traceparent ?? null)
    for (const { webhookId, match, notSent } of event.targets) {
      insertTarget.run(sequence, webhookId, match)
      if (notSent !== undefined) insertAttempt.run(sequence, webhookId, 1, momentOf(sequence), 0, null, 'not_sent', notSent, '', '')
    }
    for (const { appId, match } of event.streams!) insertStream.run(sequence, appId, match)
  }

  const writeReplay = ({ sequence, webhookId, origin, attempt }: Ack) => {
    const { atMs, latencyMs, ...ended } = attempt
    insertReplay.run({ sequence, webhook: webhookId, origin, at: atMs, latency: latencyMs, ...ended })
  }

  const writeAck = (ack: Ack) => {
    const { sequence, webhookId, origin, n, attempt, retryAtMs } = ack
    if (origin !== '') return writeReplay(ack)
    if (n > 1) {
      deleteTaken.run(webhookId, sequence)
      if (deleteRetry.run(webhookId, sequence).changes === 0) return
    }
    const { atMs, latencyMs, status, outcome, error, response, timing } = attempt
    insertAttempt.run(sequence, webhookId, n, atMs, latencyMs, status, outcome, error, response, timing)
    if (retryAtMs !== null) insertRetry.run(webhookId, sequence, retryAtMs, n)
  }

  const writeMarks = ({ watermark, rows }: Marks) => {
    for (const [webhookId, beginning] of rows) {
      if (beginning === null) deleteWaiting.run(webhookId)
      else setWaiting.run(webhookId, beginning)
    }
    if (watermark !== null) setWatermark.run(watermark)
  }

  return (batch: BatchMessage): { repeated: number[]; targets: number } =>
    transaction(db, () => {
      const repeated: number[] = []
      let index = 0
      let targets = 0
      const entry = (found: Entry) => {
        if (isKnown(found)) repeated.push(index)
        else {
          writeEntry(found)
          targets += found.event.targets.length
        }
        index++
      }
      unpackBatch(batch.packed, batch, { entry, ack: writeAck })
      writeMarks(batch.marks)
      return { repeated, targets }
    })
}
