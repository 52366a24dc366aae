import type { Kysely } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { Change } from '../../changes.ts'
import type { UserToken, UserTokenStore } from '../../user-tokens.ts'
import type { Database, Row } from '../schema.ts'
import { announce, repeated, type SqlDatabase, unannounced } from '../sql-database.ts'
import { sealedColumns } from './sealed-columns.ts'
import { userFromRow } from './user-store.ts'

const { purpose: TOKEN } = sealedColumns.userToken
const { purpose: SECRET } = sealedColumns.userTokenSecret

export const openToken = (seal: Seal, row: Row<'user_tokens'>): UserToken => ({
  token: seal.open(TOKEN, row.token_sealed),
  secret: seal.open(SECRET, row.secret_sealed),
  appId: row.app_id,
  userId: row.user_id,
  access: row.access,
  createdAtMs: row.created_at_ms,
})

/** Inserts the token, unless it or one for the same app, user and access exists. */
export async function insertUserToken(db: Kysely<Database>, seal: Seal, token: UserToken): Promise<boolean> {
  const result = await db
    .insertInto('user_tokens')
    .values({
      token_sha256: sha256Hex(token.token),
      token_sealed: seal.seal(TOKEN, token.token),
      secret_sealed: seal.seal(SECRET, token.secret),
      app_id: token.appId,
      user_id: token.userId,
      access: token.access,
      created_at_ms: token.createdAtMs,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Finds the token of an app, user and access level. */
export async function tokenOf(
  db: Kysely<Database>,
  seal: Seal,
  { appId, userId, access }: Pick<UserToken, 'appId' | 'userId' | 'access'>,
): Promise<UserToken | undefined> {
  const tokens = db.selectFrom('user_tokens').selectAll().where('app_id', '=', appId).where('user_id', '=', userId)
  const row = await tokens.where('access', '=', access).executeTakeFirst()
  return row && openToken(seal, row)
}

/** What caches hear of a token that was added or revoked. */
export const userTokenChange = ({ appId, userId }: Pick<UserToken, 'appId' | 'userId'>): Change => ({ kind: 'user-token', appId, userId })

export function createUserTokenStore({ db, write }: SqlDatabase, seal: Seal): UserTokenStore {
  return {
    insert: (token) =>
      write(async (trx) => ((await insertUserToken(trx, seal, token)) ? announce(true, userTokenChange(token)) : unannounced(false))),
    async find(token) {
      const row = await db.selectFrom('user_tokens').selectAll().where('token_sha256', '=', sha256Hex(token)).executeTakeFirst()
      const user = row && (await db.selectFrom('users').selectAll().where('id', '=', row.user_id).executeTakeFirst())
      return row && user && { token: openToken(seal, row), user: userFromRow(user) }
    },
    async granted(appId, userId) {
      const rows = await db.selectFrom('user_tokens').select('access').where('app_id', '=', appId).where('user_id', '=', userId).execute()
      return rows.map(({ access }) => access)
    },
    revoke: (token) =>
      write(async (trx) => {
        const deletion = trx.deleteFrom('user_tokens').where('token_sha256', '=', sha256Hex(token)).returning(['app_id', 'user_id'])
        const row = await deletion.executeTakeFirst()
        return row ? announce(true, userTokenChange({ appId: row.app_id, userId: row.user_id })) : repeated(false)
      }),
  }
}
