/** A column of sealed values, the key column of its table, and the purpose for which the values are sealed. */
export interface SealedColumn {
  table: string
  key: string
  column: string
  purpose: string
}

/** Every column with sealed values. The metadata has one more: the value that verifies the secret. */
export const sealedColumns = {
  consumerSecret: { table: 'apps', key: 'id', column: 'consumer_secret_sealed', purpose: 'apps.consumer_secret' },
  previousConsumerSecret: { table: 'apps', key: 'id', column: 'previous_consumer_secret_sealed', purpose: 'apps.previous_consumer_secret' },
  oauth2ClientSecret: { table: 'apps', key: 'id', column: 'oauth2_client_secret_sealed', purpose: 'apps.oauth2_client_secret' },
  bearerToken: { table: 'bearer_tokens', key: 'app_id', column: 'token_sealed', purpose: 'bearer_tokens.token' },
  requestTokenSecret: { table: 'request_tokens', key: 'token_sha256', column: 'secret_sealed', purpose: 'request_tokens.secret' },
  verifier: { table: 'request_tokens', key: 'token_sha256', column: 'verifier_sealed', purpose: 'request_tokens.verifier' },
  userToken: { table: 'user_tokens', key: 'token_sha256', column: 'token_sealed', purpose: 'user_tokens.token' },
  userTokenSecret: { table: 'user_tokens', key: 'token_sha256', column: 'secret_sealed', purpose: 'user_tokens.secret' },
} as const satisfies Record<string, SealedColumn>
