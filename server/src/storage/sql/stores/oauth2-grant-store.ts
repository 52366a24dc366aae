import { sql } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { OAuth2Grants } from '../../oauth2-grants.ts'
import { createPurge } from '../purge-expired.ts'
import { announce, repeated, type SqlDatabase } from '../sql-database.ts'
import { endGrantOfToken } from './end-grant-of-token.ts'
import { exchangeCode } from './exchange-code.ts'
import { maySignIn } from './may-sign-in.ts'
import { codeToRow, grantFromRow, HOLDER_COLUMNS, HOLDER_TABLES, type HolderRow, holderFromRow } from './oauth2-rows.ts'
import { refreshGrant } from './refresh-grant.ts'

export function createOAuth2Grants(database: SqlDatabase, seal: Seal): OAuth2Grants {
  const { db, unannounced: writable, flavour, inTransaction, write } = database
  const purgeOf = (table: string, key: string) => createPurge(database, { table, key, endsAtMs: 'expires_at_ms' })
  const purgeCodes = purgeOf('oauth2_codes', 'code_sha256')
  const purgeGrants = purgeOf('oauth2_grants', 'id')
  const purgeAccessTokens = purgeOf('oauth2_access_tokens', 'token_sha256')

  return {
    async insertCode(code, { passwordHash }, nowMs) {
      await purgeCodes(1, nowMs)
      const { expires_at_ms, ...texts } = codeToRow(code)
      const names = Object.keys(texts) as (keyof typeof texts)[]
      const values = names.map((name) => sql<string>`cast(${texts[name]} as text)`.as(name))
      const untilMs = sql<number>`cast(${expires_at_ms} as bigint)`.as('expires_at_ms')
      const inserted = await writable
        .insertInto('oauth2_codes')
        .columns([...names, 'expires_at_ms'])
        .expression((it) =>
          it
            .selectFrom('users')
            .select([...values, untilMs])
            .$call(maySignIn({ id: code.userId, passwordHash }, flavour)),
        )
        .executeTakeFirst()
      return inserted.numInsertedOrUpdatedRows === 1n
    },
    async exchangeCode(...request) {
      const nowMs = request[4]
      await purgeGrants(1, nowMs)
      await purgeAccessTokens(1, nowMs)
      return inTransaction((trx) => exchangeCode(trx, flavour, ...request))
    },
    async refresh(...request) {
      await purgeAccessTokens(1, request[2])
      return inTransaction((trx) => refreshGrant(trx, flavour, ...request))
    },
    async findAccess(token) {
      const query = sql<HolderRow>`select apps.*, ${sql.raw(HOLDER_COLUMNS)} from ${sql.raw(HOLDER_TABLES)}
        where token_sha256 = ${sha256Hex(token)}`
      const [row] = (await query.execute(db)).rows
      return row && holderFromRow(seal, row)
    },
    async granted(appId, userId, nowMs) {
      const grants = db.selectFrom('oauth2_grants').selectAll().where('app_id', '=', appId).where('user_id', '=', userId)
      return (await grants.where('expires_at_ms', '>', nowMs).orderBy('created_at_ms').orderBy('id').execute()).map(grantFromRow)
    },
    revoke: (appId, token) =>
      write(async (trx) => {
        const ended = endGrantOfToken(trx, token).where('app_id', '=', appId).returning('user_id')
        const row = await ended.executeTakeFirst()
        return row ? announce(true, { kind: 'user-token', appId, userId: row.user_id }) : repeated(false)
      }),
  }
}
