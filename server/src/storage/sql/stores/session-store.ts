import { sql } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import type { SessionStore } from '../../sessions.ts'
import { createPurge } from '../purge-expired.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { maySignIn } from './may-sign-in.ts'
import { userFromRow } from './user-store.ts'

export function createSessionStore(database: SqlDatabase): SessionStore {
  const { db, unannounced, flavour } = database
  const purge = createPurge(database, { table: 'sessions', key: 'id_sha256', endsAtMs: 'expires_at_ms' })

  return {
    async insert(id, user, expiresAtMs, nowMs) {
      await purge(1, nowMs)
      const values = [
        sql<string>`${sha256Hex(id)}`.as('id_sha256'),
        'id',
        sql<number>`cast(${expiresAtMs} as bigint)`.as('expires_at_ms'),
      ] as const
      const { numInsertedOrUpdatedRows } = await unannounced
        .insertInto('sessions')
        .columns(['id_sha256', 'user_id', 'expires_at_ms'])
        .expression((it) => it.selectFrom('users').select(values).$call(maySignIn(user, flavour)))
        .executeTakeFirst()
      return numInsertedOrUpdatedRows === 1n
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
    async removeOf(userId, nowMs) {
      const own = unannounced.deleteFrom('sessions').where('user_id', '=', userId).returning('expires_at_ms')
      return (await own.execute()).filter(({ expires_at_ms }) => expires_at_ms > nowMs).length
    },
  }
}
