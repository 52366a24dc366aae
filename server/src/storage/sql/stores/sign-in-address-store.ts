import { sql } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import type { SignInAddresses } from '../../sign-in-addresses.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { maySignIn } from './may-sign-in.ts'

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
