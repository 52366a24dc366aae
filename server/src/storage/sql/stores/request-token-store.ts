import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { RequestTokenStore } from '../../request-tokens.ts'
import { createPurge } from '../purge-expired.ts'
import { announce, type SqlDatabase, unannounced, type Written } from '../sql-database.ts'
import { exchangeRequestToken, sealVerifier } from './exchange-request-token.ts'
import { openRequestToken, sealRequestToken } from './request-token-row.ts'
import { userTokenChange } from './user-token-store.ts'

export function createRequestTokenStore(database: SqlDatabase, seal: Seal): RequestTokenStore {
  const { db, unannounced: writable, flavour, inTransaction } = database
  const purge = createPurge(database, { table: 'request_tokens', key: 'token_sha256', endsAtMs: 'expires_at_ms' })

  const unexpired = (from: SqlDatabase['db'], token: string, nowMs: number) =>
    from.selectFrom('request_tokens').selectAll().where('token_sha256', '=', sha256Hex(token)).where('expires_at_ms', '>', nowMs)

  return {
    async insert(token, nowMs) {
      await purge(1, nowMs)
      await writable.insertInto('request_tokens').values(sealRequestToken(seal, token)).execute()
    },
    async find(token, nowMs) {
      const row = await unexpired(db, token, nowMs).executeTakeFirst()
      return row && openRequestToken(seal, token, row)
    },
    async grant(token, userId, verifier, nowMs) {
      const result = await writable
        .updateTable('request_tokens')
        .set({ user_id: userId, verifier_sealed: sealVerifier(seal, verifier) })
        .where('token_sha256', '=', sha256Hex(token))
        .where('expires_at_ms', '>', nowMs)
        .where('user_id', 'is', null)
        .executeTakeFirst()
      return result.numUpdatedRows === 1n
    },
    async deny(token, nowMs) {
      const result = await writable
        .deleteFrom('request_tokens')
        .where('token_sha256', '=', sha256Hex(token))
        .where('expires_at_ms', '>', nowMs)
        .where('user_id', 'is', null)
        .executeTakeFirst()
      return result.numDeletedRows === 1n
    },
    exchange: (token, verifier, newToken, nowMs) =>
      inTransaction(async (trx): Promise<Written<Awaited<ReturnType<RequestTokenStore['exchange']>>>> => {
        const row = await unexpired(trx, token, nowMs)
          .$if(flavour.locksRows, (query) => query.forUpdate())
          .executeTakeFirst()
        const result = row ? await exchangeRequestToken(trx, seal, row, verifier, newToken) : 'gone'
        return typeof result === 'string' ? unannounced(result) : announce(result, userTokenChange(result))
      }),
  }
}
