import type { OutboxStore } from '../../outbox.ts'
import { createDueRows } from '../catalogs/due-rows.ts'
import type { SqlDatabase } from '../sql-database.ts'

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
