import type { Transaction } from 'kysely'
import { equalInConstantTime, sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import { lowerAccess } from '../../apps.ts'
import type { NewUserToken, RequestToken, RequestTokenStore } from '../../request-tokens.ts'
import type { UserToken } from '../../user-tokens.ts'
import { createPurge } from '../purge-expired.ts'
import type { Database, NewRow, Row } from '../schema.ts'
import { announce, type SqlDatabase, unannounced, type Written } from '../sql-database.ts'
import { isUserDisabled } from './oauth2-rows.ts'
import { sealedColumns } from './sealed-columns.ts'
import { maySignIn } from './sign-in-stores.ts'
import { insertUserToken, tokenOf, userTokenChange } from './user-token-store.ts'

const { purpose: SECRET } = sealedColumns.requestTokenSecret

export const openRequestToken = (seal: Seal, token: string, row: Row<'request_tokens'>): RequestToken => ({
  token,
  secret: seal.open(SECRET, row.secret_sealed),
  appId: row.app_id,
  callback: row.callback,
  access: row.access,
  expiresAtMs: row.expires_at_ms,
  granted: row.user_id !== null,
})

const sealRequestToken = (seal: Seal, token: Omit<RequestToken, 'granted'>): NewRow<'request_tokens'> => ({
  token_sha256: sha256Hex(token.token),
  secret_sealed: seal.seal(SECRET, token.secret),
  app_id: token.appId,
  callback: token.callback,
  access: token.access,
  expires_at_ms: token.expiresAtMs,
  wrong_verifiers: 0,
})

const { purpose: VERIFIER } = sealedColumns.verifier

/** How many wrong verifiers invalidate a token. */
const MAX_WRONG_VERIFIERS = 5

type TokenRow = Row<'request_tokens'>

const remove = (trx: Transaction<Database>, { token_sha256 }: TokenRow) =>
  trx.deleteFrom('request_tokens').where('token_sha256', '=', token_sha256).execute()

async function countWrong(trx: Transaction<Database>, row: TokenRow) {
  const wrong = row.wrong_verifiers + 1
  if (wrong >= MAX_WRONG_VERIFIERS) await remove(trx, row)
  else await trx.updateTable('request_tokens').set({ wrong_verifiers: wrong }).where('token_sha256', '=', row.token_sha256).execute()
}

/** Inserts the token or finds the existing one. A loop, because the existing one may be revoked in between. */
async function obtain(trx: Transaction<Database>, seal: Seal, candidate: UserToken): Promise<UserToken> {
  for (;;) {
    await insertUserToken(trx, seal, candidate)
    const found = await tokenOf(trx, seal, candidate)
    if (found) return found
  }
}

/** Encrypts a verifier, which is stored until the exchange. */
const sealVerifier = (seal: Seal, verifier: string): string => seal.seal(VERIFIER, verifier)

/** Exchanges the request token in `row`, which is locked, for the user's access token if the verifier is correct. */
async function exchangeRequestToken(
  trx: Transaction<Database>,
  seal: Seal,
  row: TokenRow,
  verifier: string,
  newToken: (userId: string) => NewUserToken,
): Promise<UserToken | 'wrong-verifier' | 'gone'> {
  if (row.user_id === null || row.verifier_sealed === null) return 'wrong-verifier'
  if (await isUserDisabled(trx, row.user_id)) return 'gone'
  if (!equalInConstantTime(seal.open(VERIFIER, row.verifier_sealed), verifier)) {
    await countWrong(trx, row)
    return 'wrong-verifier'
  }
  await remove(trx, row)
  const { permissions } = await trx.selectFrom('apps').select('permissions').where('id', '=', row.app_id).executeTakeFirstOrThrow()
  const access = lowerAccess(row.access, permissions)
  return obtain(trx, seal, { ...newToken(row.user_id), appId: row.app_id, userId: row.user_id, access })
}

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
    async grant(token, user, verifier, nowMs) {
      const result = await writable
        .updateTable('request_tokens')
        .set({ user_id: user.id, verifier_sealed: sealVerifier(seal, verifier) })
        .where('token_sha256', '=', sha256Hex(token))
        .where('expires_at_ms', '>', nowMs)
        .where('user_id', 'is', null)
        .where(({ exists, selectFrom }) => exists(selectFrom('users').select('id').$call(maySignIn(user, flavour))))
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
