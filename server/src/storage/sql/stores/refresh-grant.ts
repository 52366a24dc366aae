import type { Transaction } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import { type OAuth2Grants, REUSE_INTERVAL_MS } from '../../oauth2-grants.ts'
import type { Flavour } from '../flavour.ts'
import type { Database, Row } from '../schema.ts'
import { announce, unannounced, type Written } from '../sql-database.ts'
import { insertAccessToken } from './exchange-code.ts'
import { grantFromRow, isUserDisabled, scopesFromRow } from './oauth2-rows.ts'

type Result = Awaited<ReturnType<OAuth2Grants['refresh']>>

/** A former refresh token ends the grant (RFC 9700, section 4.14.2), unless it was rotated just now: then two refreshes of a confidential client have met. */
async function refuseFormer(
  trx: Transaction<Database>,
  row: Row<'oauth2_grants'>,
  isPublic: boolean,
  nowMs: number,
): Promise<Written<Result>> {
  if (!isPublic && row.rotated_at_ms !== null && nowMs - row.rotated_at_ms < REUSE_INTERVAL_MS) return unannounced('rotated')
  await trx.deleteFrom('oauth2_grants').where('id', '=', row.id).execute()
  return announce({ endedGrantId: row.id }, { kind: 'user-token', appId: row.app_id, userId: row.user_id })
}

/** Rotates the refresh token of a grant, whose row is locked first: of several refreshes with one token, one succeeds. */
export async function refreshGrant(
  trx: Transaction<Database>,
  flavour: Flavour,
  ...[{ grantId, wasIssued, refreshToken, appId, isPublic = false, scopes }, tokens, nowMs]: Parameters<OAuth2Grants['refresh']>
): Promise<Written<Result>> {
  const found = trx.selectFrom('oauth2_grants').selectAll().where('id', '=', grantId)
  const row = await found.$if(flavour.locksRows, (query) => query.forUpdate()).executeTakeFirst()
  if (!row || row.refresh_sha256 === null) return unannounced('unknown')
  if (row.app_id !== appId) return unannounced('foreign')
  if (row.expires_at_ms <= nowMs) return unannounced('expired')
  if (row.refresh_sha256 !== sha256Hex(refreshToken)) return wasIssued ? refuseFormer(trx, row, isPublic, nowMs) : unannounced('unknown')
  if (await isUserDisabled(trx, row.user_id)) return unannounced('disabled')
  const granted = scopesFromRow(row.scopes)
  const wanted = scopes ?? granted
  if (wanted.some((scope) => !granted.includes(scope))) return unannounced('wider')
  const changes = {
    refresh_sha256: tokens.refresh === null ? null : sha256Hex(tokens.refresh),
    rotated_at_ms: nowMs,
    expires_at_ms: tokens.grantUntilMs,
  }
  await trx.updateTable('oauth2_grants').set(changes).where('id', '=', grantId).execute()
  await insertAccessToken(trx, grantId, wanted, tokens)
  const given = { grant: grantFromRow({ ...row, ...changes }), scopes: [...wanted] }
  return announce(given, { kind: 'user-token', appId, userId: row.user_id })
}
