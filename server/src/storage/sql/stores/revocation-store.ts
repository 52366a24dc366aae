import type { Transaction } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import type { Change } from '../../changes.ts'
import type { Holder, Revocations, Revoked } from '../../revocations.ts'
import type { Database } from '../schema.ts'
import { announce, repeated, type SqlDatabase } from '../sql-database.ts'
import { endGrantOfToken } from './oauth2-grant-store.ts'

/** What caches hear of a revocation. */
function changeOf({ userId, appId }: Holder): Change {
  if (userId === undefined) return { kind: 'app', id: appId }
  return appId === undefined ? { kind: 'user', id: userId } : { kind: 'user-token', appId, userId }
}

async function removeOf(
  trx: Transaction<Database>,
  table: 'user_tokens' | 'request_tokens' | 'oauth2_codes' | 'oauth2_grants',
  { userId, appId }: Holder,
): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom(table)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
    .$if(appId !== undefined, (query) => query.where('app_id', '=', appId!))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export const createRevocations = ({ write }: SqlDatabase): Revocations => ({
  revoke: (token, named) =>
    write(async (trx) => {
      const sha256 = sha256Hex(token)
      const ofUser = trx.deleteFrom('user_tokens').where('token_sha256', '=', sha256).returning(['app_id', 'user_id'])
      const access = await ofUser.executeTakeFirst()
      if (access)
        return announce<Revoked>(
          { count: 1, appId: access.app_id, userId: access.user_id },
          { kind: 'user-token', appId: access.app_id, userId: access.user_id },
        )
      const bearer = await trx.deleteFrom('bearer_tokens').where('token_sha256', '=', sha256).returning('app_id').executeTakeFirst()
      if (bearer) return announce<Revoked>({ count: 1, appId: bearer.app_id }, { kind: 'bearer-token', appId: bearer.app_id })
      const grant = await endGrantOfToken(trx, { token, named }).returning(['app_id', 'user_id']).executeTakeFirst()
      if (!grant) return repeated<Revoked>({ count: 0 })
      const { app_id: appId, user_id: userId } = grant
      return announce<Revoked>({ count: 1, appId, userId }, { kind: 'user-token', appId, userId })
    }),
  // Request tokens and codes first, as an exchange does: so that neither waits for the other's.
  revokeOf: (holder) =>
    write(async (trx) => {
      await removeOf(trx, 'request_tokens', holder)
      await removeOf(trx, 'oauth2_codes', holder)
      const access = (await removeOf(trx, 'user_tokens', holder)) + (await removeOf(trx, 'oauth2_grants', holder))
      const { appId, userId } = holder
      if (userId !== undefined) return announce(access, changeOf(holder))
      const bearer = await trx.deleteFrom('bearer_tokens').where('app_id', '=', appId).executeTakeFirst()
      return announce(access + Number(bearer.numDeletedRows), changeOf(holder))
    }),
})
