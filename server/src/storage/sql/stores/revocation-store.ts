import type { ExpressionBuilder, Transaction } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import type { Change } from '../../changes.ts'
import { type AppConsent, type Holder, MOST_NAMED, type Revocations, type Revoked, type RevokedToken } from '../../revocations.ts'
import type { Database } from '../schema.ts'
import { announce, repeated, type SqlDatabase } from '../sql-database.ts'
import { endGrantOfToken } from './oauth2-grant-store.ts'
import { scopesFromRow } from './oauth2-rows.ts'

/** What caches hear of a revocation. */
function changeOf({ userId, appId }: Holder): Change {
  if (userId === undefined) return { kind: 'app', id: appId }
  return appId === undefined ? { kind: 'user', id: userId } : { kind: 'user-token', appId, userId }
}

/** Of 256 bits enough to tell tokens apart, and not enough to say anything of them. */
const idOf = (tokenSha256: string) => tokenSha256.slice(0, 16)

type OfHolders = 'user_tokens' | 'request_tokens' | 'oauth2_codes' | 'oauth2_grants'

const ofHolder =
  ({ userId, appId }: Holder) =>
  (row: ExpressionBuilder<Database, OfHolders>) =>
    row.and({ ...(userId !== undefined && { user_id: userId }), ...(appId !== undefined && { app_id: appId }) })

/** The first tokens of a holder. */
async function tokensOf(trx: Transaction<Database>, holder: Holder): Promise<RevokedToken[]> {
  const access = trx.selectFrom('user_tokens').select(['token_sha256', 'app_id', 'user_id']).where(ofHolder(holder)).limit(MOST_NAMED)
  const grants = trx.selectFrom('oauth2_grants').select(['id', 'app_id', 'user_id']).where(ofHolder(holder)).limit(MOST_NAMED)
  return [...(await access.execute()).map(accessToken), ...(await grants.execute()).map(grantToken)]
}

const accessToken = (row: { token_sha256: string; app_id: string; user_id: string }): RevokedToken => ({
  kind: 'access_token',
  id: idOf(row.token_sha256),
  appId: row.app_id,
  userId: row.user_id,
})

const grantToken = (row: { id: string; app_id: string; user_id: string }): RevokedToken => ({
  kind: 'grant',
  id: row.id,
  appId: row.app_id,
  userId: row.user_id,
})

const one = (token: RevokedToken, change: Change) => announce<Revoked>({ count: 1, tokens: [token] }, change)

/** What a user has granted apps: a page of apps, and then what each has. */
async function consentsOf(
  db: SqlDatabase['db'],
  ...[userId, { after, limit, nowMs }]: Parameters<Revocations['consentsOf']>
): Promise<AppConsent[]> {
  const beyond = after ?? ''
  const byToken = db.selectFrom('user_tokens').select('app_id').where('user_id', '=', userId).where('app_id', '>', beyond)
  const byGrant = db.selectFrom('oauth2_grants').select('app_id').where('user_id', '=', userId).where('app_id', '>', beyond)
  const apps = await byToken
    .union(byGrant.where('expires_at_ms', '>', nowMs))
    .orderBy('app_id')
    .limit(limit)
    .execute()
  if (apps.length === 0) return []
  const ids = apps.map(({ app_id }) => app_id)
  const tokens = db.selectFrom('user_tokens').select(['app_id', 'access', 'created_at_ms']).where('user_id', '=', userId)
  const grants = db
    .selectFrom('oauth2_grants')
    .select(['app_id', 'scopes', 'created_at_ms', 'expires_at_ms'])
    .where('user_id', '=', userId)
    .where('expires_at_ms', '>', nowMs)
  const [ofTokens, ofGrants] = await Promise.all([
    tokens.where('app_id', 'in', ids).orderBy('created_at_ms').execute(),
    grants.where('app_id', 'in', ids).orderBy('created_at_ms').execute(),
  ])
  return ids.map((appId) => ({
    appId,
    tokens: ofTokens.filter((row) => row.app_id === appId).map(({ access, created_at_ms }) => ({ access, createdAtMs: created_at_ms })),
    grants: ofGrants
      .filter((row) => row.app_id === appId)
      .map(({ scopes, created_at_ms, expires_at_ms }) => ({
        scopes: scopesFromRow(scopes),
        createdAtMs: created_at_ms,
        untilMs: expires_at_ms,
      })),
  }))
}

export const createRevocations = ({ db, write }: SqlDatabase): Revocations => ({
  consentsOf: (...asked) => consentsOf(db, ...asked),
  revoke: (token, named) =>
    write(async (trx) => {
      const sha256 = sha256Hex(token)
      const ofUser = trx.deleteFrom('user_tokens').where('token_sha256', '=', sha256).returning(['token_sha256', 'app_id', 'user_id'])
      const access = await ofUser.executeTakeFirst()
      if (access) return one(accessToken(access), { kind: 'user-token', appId: access.app_id, userId: access.user_id })
      const bearer = await trx.deleteFrom('bearer_tokens').where('token_sha256', '=', sha256).returning('app_id').executeTakeFirst()
      if (bearer)
        return one({ kind: 'bearer_token', id: idOf(sha256), appId: bearer.app_id }, { kind: 'bearer-token', appId: bearer.app_id })
      const grant = await endGrantOfToken(trx, { token, named }).returning(['id', 'app_id', 'user_id']).executeTakeFirst()
      if (grant) return one(grantToken(grant), { kind: 'user-token', appId: grant.app_id, userId: grant.user_id })
      return repeated<Revoked>({ count: 0, tokens: [] })
    }),
  // Request tokens and codes first, as an exchange does: so that neither waits for the other's.
  revokeOf: (holder) =>
    write(async (trx) => {
      const { appId, userId } = holder
      const remove = async (table: OfHolders) =>
        Number((await trx.deleteFrom(table).where(ofHolder(holder)).executeTakeFirst()).numDeletedRows)
      await remove('request_tokens')
      await remove('oauth2_codes')
      const tokens = await tokensOf(trx, holder)
      const count = (await remove('user_tokens')) + (await remove('oauth2_grants'))
      if (userId !== undefined) return announce<Revoked>({ count, tokens: tokens.slice(0, MOST_NAMED) }, changeOf(holder))
      const bearer = await trx.deleteFrom('bearer_tokens').where('app_id', '=', appId).returning('token_sha256').executeTakeFirst()
      if (bearer) tokens.unshift({ kind: 'bearer_token', id: idOf(bearer.token_sha256), appId })
      return announce<Revoked>({ count: count + (bearer ? 1 : 0), tokens: tokens.slice(0, MOST_NAMED) }, changeOf(holder))
    }),
})
