import type { Kysely } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import { type AccessTokenHolder, type AuthorizationCode, type OAuth2Grant, REUSE_INTERVAL_MS } from '../../oauth2-grants.ts'
import type { Database, NewRow, Row } from '../schema.ts'
import { openApp } from './app-row.ts'

/** Scopes are stored as OAuth writes them: with spaces between. */
export const scopesFromRow = (scopes: string): string[] => scopes.split(' ').filter((scope) => scope !== '')

export const scopesToRow = (scopes: readonly string[]): string => scopes.join(' ')

export const grantFromRow = (row: Row<'oauth2_grants'>): OAuth2Grant => ({
  id: row.id,
  appId: row.app_id,
  userId: row.user_id,
  scopes: scopesFromRow(row.scopes),
  createdAtMs: row.created_at_ms,
  expiresAtMs: row.expires_at_ms,
})

/** A refresh token by its SHA-256, and when it was replaced. */
type FormerToken = [sha256: string, replacedAtMs: number]

/** So many are kept of a grant: more refreshes within the interval are no client's. */
const MAX_FORMER_TOKENS = 50

/** The refresh tokens of a grant that were replaced within the reuse interval. */
export const formerTokensOf = ({ former_tokens }: Pick<Row<'oauth2_grants'>, 'former_tokens'>, nowMs: number): FormerToken[] =>
  (JSON.parse(former_tokens ?? '[]') as FormerToken[]).filter(([, replacedAtMs]) => nowMs - replacedAtMs < REUSE_INTERVAL_MS)

/** Whether a process of version 0.2 replaced a refresh token just now: it does not say which. */
export const hasOtherRotation = (row: Pick<Row<'oauth2_grants'>, 'former_tokens' | 'rotated_at_ms'>, nowMs: number): boolean =>
  row.rotated_at_ms !== null &&
  nowMs - row.rotated_at_ms < REUSE_INTERVAL_MS &&
  !formerTokensOf(row, nowMs).some(([, replacedAtMs]) => replacedAtMs === row.rotated_at_ms)

/** The same with the current token, which is replaced now; the oldest are left out where they are too many. */
export function withFormerToken(row: Pick<Row<'oauth2_grants'>, 'former_tokens' | 'refresh_sha256'>, nowMs: number): string {
  const former = [...formerTokensOf(row, nowMs), [row.refresh_sha256!, nowMs]]
  return JSON.stringify(former.slice(-MAX_FORMER_TOKENS))
}

export const codeFromRow = (code: string, row: Row<'oauth2_codes'>): AuthorizationCode => ({
  code,
  appId: row.app_id,
  userId: row.user_id,
  scopes: scopesFromRow(row.scopes),
  redirectUri: row.redirect_uri,
  challenge: row.challenge,
  challengeMethod: row.challenge_method,
  expiresAtMs: row.expires_at_ms,
})

export const codeToRow = (code: AuthorizationCode): NewRow<'oauth2_codes'> => ({
  code_sha256: sha256Hex(code.code),
  app_id: code.appId,
  user_id: code.userId,
  scopes: scopesToRow(code.scopes),
  redirect_uri: code.redirectUri,
  challenge: code.challenge,
  challenge_method: code.challengeMethod,
  expires_at_ms: code.expiresAtMs,
})

/** The columns of an access token's user and of the token itself, beside those of its app. */
export const HOLDER_COLUMNS = `users.id as holder_id, users.username as holder_username, users.name as holder_name,
  users.password_hash as holder_password_hash, users.disabled as holder_disabled, users.created_at_ms as holder_created_at_ms,
  oauth2_access_tokens.scopes as token_scopes, oauth2_access_tokens.expires_at_ms as token_expires_at_ms`

export const HOLDER_TABLES = `oauth2_access_tokens join oauth2_grants on oauth2_grants.id = oauth2_access_tokens.grant_id
  join users on users.id = oauth2_grants.user_id join apps on apps.id = oauth2_grants.app_id`

type User = Row<'users'>

/** An app with the columns of `HOLDER_COLUMNS`. */
export type HolderRow = Row<'apps'> & {
  [Column in 'id' | 'username' | 'name' | 'password_hash' | 'disabled' | 'created_at_ms' as `holder_${Column}`]: User[Column]
} & { token_scopes: string; token_expires_at_ms: number }

export const holderFromRow = (seal: Seal, row: HolderRow): AccessTokenHolder => ({
  app: openApp(seal, row),
  user: {
    id: row.holder_id,
    username: row.holder_username,
    name: row.holder_name,
    passwordHash: row.holder_password_hash,
    disabled: Boolean(row.holder_disabled),
    createdAtMs: row.holder_created_at_ms,
  },
  scopes: scopesFromRow(row.token_scopes),
  expiresAtMs: row.token_expires_at_ms,
})

/** True if the user was disabled after approving. */
export async function isUserDisabled(trx: Kysely<Database>, userId: string): Promise<boolean> {
  const user = await trx.selectFrom('users').select('disabled').where('id', '=', userId).executeTakeFirst()
  return Boolean(user?.disabled)
}
