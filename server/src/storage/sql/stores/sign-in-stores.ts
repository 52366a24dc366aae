import { type SelectQueryBuilder, sql } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import type { SessionStore, SignInAddresses, User } from '../../users.ts'
import type { Flavour } from '../flavour.ts'
import { createPurge } from '../purge-expired.ts'
import type { Database } from '../schema.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { userFromRow } from './user-store.ts'

/**
 * Selects the row of a user who has just given the password; none if it was changed meanwhile, or the user disabled or deleted. Locks the
 * row: what is inserted from it is either seen by whoever changes the user at this moment, or not inserted.
 */
export const maySignIn =
  ({ id, passwordHash }: Pick<User, 'id' | 'passwordHash'>, { locksRows }: Flavour) =>
  <Selected>(users: SelectQueryBuilder<Database, 'users', Selected>): SelectQueryBuilder<Database, 'users', Selected> => {
    const found = users.where('id', '=', id).where('password_hash', '=', passwordHash).where('disabled', '=', sql.lit(false))
    return locksRows ? found.forShare() : found
  }

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

const MAX_PER_USER = 20

const hashOf = (userId: string, address: string) => sha256Hex(JSON.stringify([userId, address]))

/** What a crash loses of them costs a user nothing but an exemption, so their commits do not wait for the disk. */
export const createSignInAddresses = ({ db, unsynced, flavour }: SqlDatabase): SignInAddresses => ({
  remember: (user, address, nowMs) =>
    unsynced(async (own) => {
      const userId = user.id
      const values = [
        'id',
        sql<string>`${hashOf(userId, address)}`.as('address_sha256'),
        sql<number>`cast(${nowMs} as bigint)`.as('last_at_ms'),
      ] as const
      await own
        .insertInto('sign_in_addresses')
        .columns(['user_id', 'address_sha256', 'last_at_ms'])
        .expression((it) => it.selectFrom('users').select(values).$call(maySignIn(user, flavour)))
        .onConflict((conflict) => conflict.columns(['user_id', 'address_sha256']).doUpdateSet({ last_at_ms: nowMs }))
        .execute()
      await own
        .deleteFrom('sign_in_addresses')
        .where('user_id', '=', userId)
        .where('address_sha256', 'not in', (newest) =>
          newest
            .selectFrom('sign_in_addresses')
            .select('address_sha256')
            .where('user_id', '=', userId)
            .orderBy('last_at_ms', 'desc')
            .orderBy('address_sha256')
            .limit(MAX_PER_USER),
        )
        .execute()
    }),
  async isKnown(userId, address, sinceMs) {
    const row = await db
      .selectFrom('sign_in_addresses')
      .select('user_id')
      .where('user_id', '=', userId)
      .where('address_sha256', '=', hashOf(userId, address))
      .where('last_at_ms', '>=', sinceMs)
      .executeTakeFirst()
    return row !== undefined
  },
})
