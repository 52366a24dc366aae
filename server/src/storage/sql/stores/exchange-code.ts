import type { Transaction } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import { type AuthorizationCode, type GivenTokens, MAX_GRANTS, type NewTokens, type OAuth2Grants } from '../../oauth2-grants.ts'
import { holdNamedLock } from '../advisory-lock.ts'
import type { Flavour } from '../flavour.ts'
import type { Database, Row } from '../schema.ts'
import { announce, unannounced, type Written } from '../sql-database.ts'
import { codeFromRow, grantFromRow, isUserDisabled, scopesToRow } from './oauth2-rows.ts'

type Result = Awaited<ReturnType<OAuth2Grants['exchangeCode']>>

export const insertAccessToken = (
  trx: Transaction<Database>,
  grantId: string,
  scopes: readonly string[],
  { access, accessUntilMs }: Pick<NewTokens, 'access' | 'accessUntilMs'>,
) =>
  trx
    .insertInto('oauth2_access_tokens')
    .values({ token_sha256: sha256Hex(access), grant_id: grantId, scopes: scopesToRow(scopes), expires_at_ms: accessUntilMs })
    .execute()

/** Ends the grant that this code has given: the code was stolen, or its tokens were (RFC 6749, section 4.1.2). */
async function endGrantOf(trx: Transaction<Database>, codeSha256: string, appId: string): Promise<Written<Result>> {
  const ended = trx
    .deleteFrom('oauth2_grants')
    .where('code_sha256', '=', codeSha256)
    .where('app_id', '=', appId)
    .returning(['id', 'user_id'])
  const row = await ended.executeTakeFirst()
  return row ? announce({ endedGrantId: row.id }, { kind: 'user-token', appId, userId: row.user_id }) : unannounced('unknown')
}

/** Ends the oldest grants of the user to the app, so that with a new one they are `MAX_GRANTS`. */
async function makeRoom(trx: Transaction<Database>, flavour: Flavour, { appId, userId }: AuthorizationCode) {
  // Each exchange locks its own code: without this, those of several codes would not see each other's grants.
  await holdNamedLock(trx, flavour, `oauth2 grants ${appId} ${userId}`)
  const own = trx.selectFrom('oauth2_grants').select('id').where('app_id', '=', appId).where('user_id', '=', userId)
  const ids = (await own.orderBy('created_at_ms', 'desc').orderBy('id').execute()).slice(MAX_GRANTS - 1).map(({ id }) => id)
  if (ids.length > 0) await trx.deleteFrom('oauth2_grants').where('id', 'in', ids).execute()
}

async function give(
  trx: Transaction<Database>,
  flavour: Flavour,
  code: AuthorizationCode,
  { grantId, ...tokens }: NewTokens & { grantId: string },
  nowMs: number,
): Promise<Written<GivenTokens>> {
  const row: Row<'oauth2_grants'> = {
    id: grantId,
    app_id: code.appId,
    user_id: code.userId,
    scopes: scopesToRow(code.scopes),
    code_sha256: sha256Hex(code.code),
    refresh_sha256: tokens.refresh === null ? null : sha256Hex(tokens.refresh),
    former_tokens: null,
    rotated_at_ms: null,
    created_at_ms: nowMs,
    expires_at_ms: tokens.grantUntilMs,
  }
  await makeRoom(trx, flavour, code)
  await trx.insertInto('oauth2_grants').values(row).execute()
  await insertAccessToken(trx, grantId, code.scopes, tokens)
  const given = { grant: grantFromRow(row), scopes: code.scopes }
  return announce(given, { kind: 'user-token', appId: code.appId, userId: code.userId })
}

/** Exchanges a code. The row is locked first: of several exchanges at the same time all others find what the first one gave. */
export async function exchangeCode(
  trx: Transaction<Database>,
  flavour: Flavour,
  ...[text, appId, refuse, newTokens, nowMs]: Parameters<OAuth2Grants['exchangeCode']>
): Promise<Written<Result>> {
  const codeSha256 = sha256Hex(text)
  const found = trx.selectFrom('oauth2_codes').selectAll().where('code_sha256', '=', codeSha256)
  const row = await found.$if(flavour.locksRows, (query) => query.forUpdate()).executeTakeFirst()
  if (!row) return endGrantOf(trx, codeSha256, appId)
  if (row.app_id !== appId) return unannounced('foreign')
  if (row.expires_at_ms <= nowMs) return unannounced('expired')
  if (await isUserDisabled(trx, row.user_id)) return unannounced('disabled')
  const code = codeFromRow(text, row)
  const refused = refuse(code)
  if (refused !== undefined) return unannounced({ refused })
  await trx.deleteFrom('oauth2_codes').where('code_sha256', '=', codeSha256).execute()
  return give(trx, flavour, code, newTokens(code), nowMs)
}
