import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { BearerTokenStore } from '../../bearer-tokens.ts'
import { announce, type SqlDatabase, unannounced } from '../sql-database.ts'
import { openApp } from './app-row.ts'
import { sealedColumns } from './sealed-columns.ts'

const { purpose: TOKEN } = sealedColumns.bearerToken

export function createBearerTokenStore({ db, unannounced: writable, write }: SqlDatabase, seal: Seal): BearerTokenStore {
  const validToken = (appId: string) => db.selectFrom('bearer_tokens').select('token_sealed').where('app_id', '=', appId).executeTakeFirst()

  const insertIfAbsent = (appId: string, token: string) =>
    writable
      .insertInto('bearer_tokens')
      .values({ app_id: appId, token_sha256: sha256Hex(token), token_sealed: seal.seal(TOKEN, token) })
      .onConflict((conflict) => conflict.column('app_id').doNothing())
      .execute()

  return {
    async obtain(appId, candidate) {
      let row = await validToken(appId)
      while (!row) {
        await insertIfAbsent(appId, candidate)
        row = await validToken(appId)
      }
      return seal.open(TOKEN, row.token_sealed)
    },
    async appOf(token) {
      const row = await db
        .selectFrom('bearer_tokens')
        .innerJoin('apps', 'apps.id', 'bearer_tokens.app_id')
        .selectAll('apps')
        .where('token_sha256', '=', sha256Hex(token))
        .executeTakeFirst()
      return row && openApp(seal, row)
    },
    invalidate: (appId, token) =>
      write(async (trx) => {
        const deletion = trx.deleteFrom('bearer_tokens').where('app_id', '=', appId).where('token_sha256', '=', sha256Hex(token))
        const { numDeletedRows } = await deletion.executeTakeFirst()
        return numDeletedRows === 1n ? announce(true, { kind: 'bearer-token', appId }) : unannounced(false)
      }),
  }
}
