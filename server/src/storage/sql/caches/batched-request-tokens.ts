import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { RequestTokenStore } from '../../request-tokens.ts'
import { ANY_KEY, type PreparedQuery } from '../prepared-query.ts'
import type { Row } from '../schema.ts'
import { openRequestToken } from '../stores/request-token-row.ts'
import { createRowLookup } from './batched-lookup.ts'
import { wrapStore } from './wrap-store.ts'

/** Batches the lookups of request tokens. */
export function batchRequestTokens(store: RequestTokenStore, query: PreparedQuery, seal: Seal): RequestTokenStore {
  const bySha256 = createRowLookup(query, {
    name: 'request-tokens-by-token',
    text: `select token_sha256 as key, * from request_tokens where token_sha256 = ${ANY_KEY}`,
    read: (row: Row<'request_tokens'>) => row,
  })
  return wrapStore(store, {
    insert: 'writes',
    async find(token, nowMs) {
      const row = await bySha256(sha256Hex(token))
      return row && row.expires_at_ms > nowMs ? openRequestToken(seal, token, row) : undefined
    },
    grant: 'writes',
    deny: 'writes',
    exchange: 'writes',
  })
}
