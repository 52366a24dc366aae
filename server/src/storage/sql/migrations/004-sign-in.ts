import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { type Columns, newTable } from './new-table.ts'

/** Request tokens, access tokens of users, sessions of the approval page, and the nonces that were seen. */
export const addSignIn = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  const table = (name: string, columns: Columns) => newTable(db, flavour, name, columns)
  const byExpiry = (name: string) => db.schema.createIndex(`${name}_expiry`).on(name).column('expires_at_ms').execute()

  await table('request_tokens', {
    token_sha256: 'text',
    secret_sealed: 'text',
    app_id: 'text',
    callback: 'text',
    access: 'text',
    expires_at_ms: 'bigint',
    user_id: 'text?',
    verifier_sealed: 'text?',
    wrong_verifiers: 'integer',
  })
    .addPrimaryKeyConstraint('request_tokens_pkey', ['token_sha256'])
    .addForeignKeyConstraint('request_tokens_app', ['app_id'], 'apps', ['id'])
    .addForeignKeyConstraint('request_tokens_user', ['user_id'], 'users', ['id'])
    .execute()
  await byExpiry('request_tokens')

  await table('user_tokens', {
    token_sha256: 'text',
    token_sealed: 'text',
    secret_sealed: 'text',
    app_id: 'text',
    user_id: 'text',
    access: 'text',
    created_at_ms: 'bigint',
  })
    .addPrimaryKeyConstraint('user_tokens_pkey', ['token_sha256'])
    .addUniqueConstraint('user_tokens_grant', ['app_id', 'user_id', 'access'])
    .addForeignKeyConstraint('user_tokens_app', ['app_id'], 'apps', ['id'])
    .addForeignKeyConstraint('user_tokens_user', ['user_id'], 'users', ['id'])
    .execute()

  await table('sessions', { id_sha256: 'text', user_id: 'text', expires_at_ms: 'bigint' })
    .addPrimaryKeyConstraint('sessions_pkey', ['id_sha256'])
    .addForeignKeyConstraint('sessions_user', ['user_id'], 'users', ['id'])
    .execute()
  await byExpiry('sessions')

  await table('nonces', { key: 'text', expires_at_ms: 'bigint' }).addPrimaryKeyConstraint('nonces_pkey', ['key']).execute()
  await byExpiry('nonces')
}
