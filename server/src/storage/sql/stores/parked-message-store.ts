import { sql } from 'kysely'
import { MOST_PARKED, type ParkedMessage, type ParkedMessageStore } from '../../parked-messages.ts'
import type { Row } from '../schema.ts'
import type { SqlDatabase } from '../sql-database.ts'

const fromRow = (row: Omit<Row<'parked_messages'>, 'stream_life'>): ParkedMessage => ({
  id: row.id,
  stream: row.stream,
  sequence: row.sequence,
  subject: row.subject,
  reason: row.reason,
  bytes: row.bytes,
  content: row.content,
  receivedAtMs: row.received_at_ms,
  parkedAtMs: row.parked_at_ms,
})

const columns = ['id', 'stream', 'sequence', 'subject', 'reason', 'bytes', 'received_at_ms', 'parked_at_ms'] as const

/** PostgreSQL keeps no U+0000 in a text. */
const asText = (text: string) => text.toWellFormed().replaceAll('\u0000', '\ufffd')

/** No process caches them. */
export function createParkedMessageStore({ db, unannounced, assertWorker, askValue }: SqlDatabase): ParkedMessageStore {
  const isKept = (streamLife: string, sequence: number) =>
    db.selectFrom('parked_messages').select('id').where('stream_life', '=', streamLife).where('sequence', '=', sequence).executeTakeFirst()

  return {
    async park(message, streamLife) {
      await assertWorker()
      const { id, stream, sequence, subject, reason, bytes, content, receivedAtMs, parkedAtMs } = message
      const values = [id, stream, streamLife, sequence, asText(subject), asText(reason), bytes, asText(content), receivedAtMs, parkedAtMs]
      const { numAffectedRows = 0n } = await sql`
        insert into parked_messages (id, stream, stream_life, sequence, subject, reason, bytes, content, received_at_ms, parked_at_ms)
        select ${sql.join(values)} where (select count(*) from parked_messages) < ${sql.lit(MOST_PARKED)}
        on conflict do nothing`.execute(unannounced)
      return numAffectedRows > 0n || (await isKept(streamLife, sequence)) !== undefined
    },
    async list(before, limit, characters) {
      const rows = await db
        .selectFrom('parked_messages')
        .select([...columns, sql<string>`substr(content, 1, ${sql.lit(characters)})`.as('content')])
        .$if(before !== null, (query) => query.where('id', '<', before!))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(fromRow)
    },
    async byId(id) {
      const row = await db.selectFrom('parked_messages').selectAll().where('id', '=', id).executeTakeFirst()
      return row && fromRow(row)
    },
    async discard(id) {
      const { numDeletedRows } = await unannounced.deleteFrom('parked_messages').where('id', '=', id).executeTakeFirst()
      return numDeletedRows === 1n
    },
    count: async () => Number(await askValue('select count(*) from parked_messages')),
  }
}
