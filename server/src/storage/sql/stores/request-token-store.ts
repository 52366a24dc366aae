import type { Transaction } from 'kysely'
import { equalInConstantTime, sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { RequestToken, RequestTokenStore } from '../../request-tokens.ts'
import type { UserToken } from '../../user-tokens.ts'
import type { Database, Row } from '../schema.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { createSweep } from '../sweep.ts'
import { sealedColumns } from './sealed-columns.ts'
import { insertUserToken, tokenOf } from './user-token-store.ts'

const { purpose: SECRET } = sealedColumns.requestTokenSecret
const { purpose: VERIFIER } = sealedColumns.verifier

/** The wrong verifier that ends a token. */
const LAST_WRONG = 5

export const openRequestToken = (seal: Seal, token: string, row: Row<'request_tokens'>): RequestToken => ({
  token,
  secret: seal.open(SECRET, row.secret_sealed),
  appId: row.app_id,
  callback: row.callback,
  access: row.access,
  expiresAtMs: row.expires_at_ms,
  granted: row.user_id !== null,
})

export function createRequestTokenStore(database: SqlDatabase, seal: Seal): RequestTokenStore {
  const { db, flavour, inTransaction } = database
  const sweep = createSweep(database, { table: 'request_tokens', key: 'token_sha256', endsAtMs: 'expires_at_ms' })

  const living = (from: typeof db, token: string, nowMs: number) =>
    from.selectFrom('request_tokens').selectAll().where('token_sha256', '=', sha256Hex(token)).where('expires_at_ms', '>', nowMs)

  const remove = (trx: Transaction<Database>, { token_sha256 }: Row<'request_tokens'>) =>
    trx.deleteFrom('request_tokens').where('token_sha256', '=', token_sha256).execute()

  const countWrong = async (trx: Transaction<Database>, row: Row<'request_tokens'>) => {
    const wrong = row.wrong_verifiers + 1
    if (wrong >= LAST_WRONG) await remove(trx, row)
    else await trx.updateTable('request_tokens').set({ wrong_verifiers: wrong }).where('token_sha256', '=', row.token_sha256).execute()
  }

  /** Another exchange may have inserted it first, or it may be revoked at this moment. */
  const obtain = async (trx: Transaction<Database>, wanted: UserToken): Promise<UserToken> => {
    for (;;) {
      await insertUserToken(trx, seal, wanted)
      const found = await tokenOf(trx, seal, wanted)
      if (found) return found
    }
  }

  return {
    async insert(token, nowMs) {
      await sweep(1, nowMs)
      await db
        .insertInto('request_tokens')
        .values({
          token_sha256: sha256Hex(token.token),
          secret_sealed: seal.seal(SECRET, token.secret),
          app_id: token.appId,
          callback: token.callback,
          access: token.access,
          expires_at_ms: token.expiresAtMs,
          wrong_verifiers: 0,
        })
        .execute()
    },
    async find(token, nowMs) {
      const row = await living(db, token, nowMs).executeTakeFirst()
      return row && openRequestToken(seal, token, row)
    },
    async grant(token, userId, verifier, nowMs) {
      const result = await db
        .updateTable('request_tokens')
        .set({ user_id: userId, verifier_sealed: seal.seal(VERIFIER, verifier) })
        .where('token_sha256', '=', sha256Hex(token))
        .where('expires_at_ms', '>', nowMs)
        .where('user_id', 'is', null)
        .executeTakeFirst()
      return result.numUpdatedRows === 1n
    },
    async deny(token, nowMs) {
      const result = await db
        .deleteFrom('request_tokens')
        .where('token_sha256', '=', sha256Hex(token))
        .where('expires_at_ms', '>', nowMs)
        .where('user_id', 'is', null)
        .executeTakeFirst()
      return result.numDeletedRows === 1n
    },
    exchange: (token, verifier, fresh, nowMs) =>
      inTransaction(async (trx) => {
        const row = await living(trx, token, nowMs)
          .$if(flavour.locksRows, (query) => query.forUpdate())
          .executeTakeFirst()
        if (!row) return 'gone'
        if (row.user_id === null || row.verifier_sealed === null) return 'wrong-verifier'
        if (!equalInConstantTime(seal.open(VERIFIER, row.verifier_sealed), verifier)) {
          await countWrong(trx, row)
          return 'wrong-verifier'
        }
        await remove(trx, row)
        return obtain(trx, { ...fresh(row.user_id), appId: row.app_id, userId: row.user_id, access: row.access })
      }),
  }
}
