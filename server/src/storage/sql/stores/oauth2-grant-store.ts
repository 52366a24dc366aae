import { sql, type Transaction } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { NamedGrant, OAuth2Grants } from '../../oauth2-grants.ts'
import type { Flavour } from '../flavour.ts'
import { createPurge } from '../purge-expired.ts'
import type { Database, Row } from '../schema.ts'
import { announce, repeated, type SqlDatabase, unannounced, type Written } from '../sql-database.ts'
import { exchangeCode, insertAccessToken } from './exchange-code.ts'
import {
  codeToRow,
  formerTokensOf,
  grantFromRow,
  HOLDER_COLUMNS,
  HOLDER_TABLES,
  type HolderRow,
  hasOtherRotation,
  holderFromRow,
  isUserDisabled,
  scopesFromRow,
  withFormerToken,
} from './oauth2-rows.ts'
import { maySignIn } from './sign-in-stores.ts'

/** Deletes the grant of an access token, of its refresh token, or of a former one that was issued for it. */
export function endGrantOfToken(trx: Transaction<Database>, { token, named }: { token: string; named?: NamedGrant }) {
  const sha256 = sha256Hex(token)
  const ofAccess = trx.selectFrom('oauth2_access_tokens').select('grant_id').where('token_sha256', '=', sha256)
  return trx
    .deleteFrom('oauth2_grants')
    .where((grant) =>
      grant.or([
        grant('refresh_sha256', '=', sha256),
        grant('id', 'in', ofAccess),
        ...(named?.wasIssued ? [grant('id', '=', named.grantId)] : []),
      ]),
    )
}

type Result = Awaited<ReturnType<OAuth2Grants['refresh']>>

/**
 * A former refresh token ends the grant (RFC 9700, section 4.14.2), unless this very token was replaced just now: then two refreshes of a
 * confidential client have met.
 */
async function refuseFormer(
  trx: Transaction<Database>,
  row: Row<'oauth2_grants'>,
  { isPublic, sha256 }: { isPublic: boolean; sha256: string },
  nowMs: number,
): Promise<Written<Result>> {
  const isForgiven = formerTokensOf(row, nowMs).some(([former]) => former === sha256) || hasOtherRotation(row, nowMs)
  if (!isPublic && isForgiven) return unannounced('rotated')
  await trx.deleteFrom('oauth2_grants').where('id', '=', row.id).execute()
  return announce({ endedGrantId: row.id }, { kind: 'user-token', appId: row.app_id, userId: row.user_id })
}

/** Rotates the refresh token of a grant, whose row is locked first: of several refreshes with one token, one succeeds. */
async function refreshGrant(
  trx: Transaction<Database>,
  flavour: Flavour,
  ...[{ grantId, wasIssued, refreshToken, appId, isPublic = false, scopes }, tokens, nowMs]: Parameters<OAuth2Grants['refresh']>
): Promise<Written<Result>> {
  const found = trx.selectFrom('oauth2_grants').selectAll().where('id', '=', grantId)
  const row = await found.$if(flavour.locksRows, (query) => query.forUpdate()).executeTakeFirst()
  if (!row || row.refresh_sha256 === null) return unannounced('unknown')
  if (row.app_id !== appId) return unannounced('foreign')
  if (row.expires_at_ms <= nowMs) return unannounced('expired')
  const sha256 = sha256Hex(refreshToken)
  if (row.refresh_sha256 !== sha256) return wasIssued ? refuseFormer(trx, row, { isPublic, sha256 }, nowMs) : unannounced('unknown')
  if (await isUserDisabled(trx, row.user_id)) return unannounced('disabled')
  const granted = scopesFromRow(row.scopes)
  const wanted = scopes ?? granted
  if (wanted.some((scope) => !granted.includes(scope))) return unannounced('wider')
  const changes = {
    refresh_sha256: tokens.refresh === null ? null : sha256Hex(tokens.refresh),
    former_tokens: withFormerToken(row, nowMs),
    rotated_at_ms: nowMs,
    expires_at_ms: tokens.grantUntilMs,
  }
  await trx.updateTable('oauth2_grants').set(changes).where('id', '=', grantId).execute()
  await insertAccessToken(trx, grantId, wanted, tokens)
  const given = { grant: grantFromRow({ ...row, ...changes }), scopes: [...wanted] }
  return announce(given, { kind: 'user-token', appId, userId: row.user_id })
}

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
