/** A column of sealed values, by which its table's rows are found, and the purpose that its values are sealed for. */
export interface SealedColumn {
  table: string
  key: string
  column: string
  purpose: string
}

/** Every column that holds sealed values, but for the proof among the metadata. */
export const sealedColumns = {
  consumerSecret: { table: 'apps', key: 'id', column: 'consumer_secret_sealed', purpose: 'apps.consumer_secret' },
  previousConsumerSecret: { table: 'apps', key: 'id', column: 'previous_consumer_secret_sealed', purpose: 'apps.previous_consumer_secret' },
  bearerToken: { table: 'bearer_tokens', key: 'app_id', column: 'token_sealed', purpose: 'bearer_tokens.token' },
  requestTokenSecret: { table: 'request_tokens', key: 'token_sha256', column: 'secret_sealed', purpose: 'request_tokens.secret' },
  verifier: { table: 'request_tokens', key: 'token_sha256', column: 'verifier_sealed', purpose: 'request_tokens.verifier' },
  userToken: { table: 'user_tokens', key: 'token_sha256', column: 'token_sealed', purpose: 'user_tokens.token' },
  userTokenSecret: { table: 'user_tokens', key: 'token_sha256', column: 'secret_sealed', purpose: 'user_tokens.secret' },
} as const satisfies Record<string, SealedColumn>
