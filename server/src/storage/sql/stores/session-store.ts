import { sha256Hex } from '../../../lib/crypto.ts'
import type { SessionStore } from '../../sessions.ts'
import { createPurge } from '../purge-expired.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { userFromRow } from './user-store.ts'

export function createSessionStore(database: SqlDatabase): SessionStore {
  const { db, unannounced } = database
  const purge = createPurge(database, { table: 'sessions', key: 'id_sha256', endsAtMs: 'expires_at_ms' })

  return {
    async insert(id, userId, expiresAtMs, nowMs) {
      await purge(1, nowMs)
      await unannounced
        .insertInto('sessions')
        .values({ id_sha256: sha256Hex(id), user_id: userId, expires_at_ms: expiresAtMs })
        .execute()
    },
    async userOf(id, nowMs) {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .selectAll('users')
        .where('id_sha256', '=', sha256Hex(id))
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirst()
      return row && userFromRow(row)
    },
    async remove(id) {
      await unannounced.deleteFrom('sessions').where('id_sha256', '=', sha256Hex(id)).execute()
    },
  }
}
