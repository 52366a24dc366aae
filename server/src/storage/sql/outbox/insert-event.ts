import type { Transaction } from 'kysely'
import type { OutboxEvent } from '../../outbox.ts'
import type { Database } from '../schema.ts'

/** Adds an event to the outbox, within the transaction of its action. The worker has claimed it until then. */
export const insertEvent = (trx: Transaction<Database>, worker: number, event: OutboxEvent, claimedUntilMs: number) =>
  trx
    .insertInto('outbox')
    .values({
      event_uuid: event.eventUuid,
      event_type: event.eventType,
      user_id: event.userId,
      body: event.body,
      due_at_ms: claimedUntilMs,
      worker,
    })
    .execute()
