import type { Transaction } from 'kysely'
import type { OutboxEvent, OutboxStore } from '../../outbox.ts'
import { createDueRows } from '../catalogs/due-rows.ts'
import type { Database } from '../schema.ts'
import type { SqlDatabase } from '../sql-database.ts'

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

export const createOutboxStore = (database: SqlDatabase, worker: number): OutboxStore => ({
  ...createDueRows(database, 'outbox', worker),
  async get({ id }) {
    const row = await database.db.selectFrom('outbox').selectAll().where('event_uuid', '=', id).executeTakeFirst()
    return row && { eventUuid: row.event_uuid, eventType: row.event_type, userId: row.user_id, body: row.body }
  },
  async remove(eventUuids) {
    await database.unsynced((db) => db.deleteFrom('outbox').where('event_uuid', 'in', eventUuids).execute())
  },
})
