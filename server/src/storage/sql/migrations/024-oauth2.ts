import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { type Columns, newTable } from './new-table.ts'

/** The OAuth 2.0 clients of apps, and what users have allowed them: authorization codes, grants and access tokens. */
export const addOAuth2 = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  const table = (name: string, columns: Columns) => newTable(db, flavour, name, columns)
  const index = (on: string, name: string, ...columns: string[]) => db.schema.createIndex(name).on(on).columns(columns).execute()

  for (const column of ['oauth2_client_id', 'oauth2_client_type', 'oauth2_client_secret_sealed'])
    await db.schema.alterTable('apps').addColumn(column, flavour.text).execute()
  await db.schema.createIndex('apps_oauth2_client').on('apps').column('oauth2_client_id').unique().execute()

  await table('oauth2_codes', {
    code_sha256: 'text',
    app_id: 'text',
    user_id: 'text',
    scopes: 'text',
    redirect_uri: 'text',
    challenge: 'text',
    challenge_method: 'text',
    expires_at_ms: 'bigint',
  })
    .addPrimaryKeyConstraint('oauth2_codes_pkey', ['code_sha256'])
    .addForeignKeyConstraint('oauth2_codes_app', ['app_id'], 'apps', ['id'])
    .addForeignKeyConstraint('oauth2_codes_user', ['user_id'], 'users', ['id'])
    .execute()
  await index('oauth2_codes', 'oauth2_codes_expiry', 'expires_at_ms')
  await index('oauth2_codes', 'oauth2_codes_of_app', 'app_id')
  await index('oauth2_codes', 'oauth2_codes_of_user', 'user_id')

  await table('oauth2_grants', {
    id: 'text',
    app_id: 'text',
    user_id: 'text',
    scopes: 'text',
    code_sha256: 'text',
    refresh_sha256: 'text?',
    rotated_at_ms: 'bigint?',
    created_at_ms: 'bigint',
    expires_at_ms: 'bigint',
  })
    .addPrimaryKeyConstraint('oauth2_grants_pkey', ['id'])
    .addUniqueConstraint('oauth2_grants_code', ['code_sha256'])
    .addForeignKeyConstraint('oauth2_grants_app', ['app_id'], 'apps', ['id'])
    .addForeignKeyConstraint('oauth2_grants_user', ['user_id'], 'users', ['id'])
    .execute()
  await index('oauth2_grants', 'oauth2_grants_of_app', 'app_id', 'user_id')
  await index('oauth2_grants', 'oauth2_grants_of_user', 'user_id')
  await index('oauth2_grants', 'oauth2_grants_refresh', 'refresh_sha256')
  await index('oauth2_grants', 'oauth2_grants_expiry', 'expires_at_ms')

  await table('oauth2_access_tokens', { token_sha256: 'text', grant_id: 'text', scopes: 'text', expires_at_ms: 'bigint' })
    .addPrimaryKeyConstraint('oauth2_access_tokens_pkey', ['token_sha256'])
    .addForeignKeyConstraint('oauth2_access_tokens_grant', ['grant_id'], 'oauth2_grants', ['id'], (it) => it.onDelete('cascade'))
    .execute()
  await index('oauth2_access_tokens', 'oauth2_access_tokens_of_grant', 'grant_id')
  await index('oauth2_access_tokens', 'oauth2_access_tokens_expiry', 'expires_at_ms')
}
