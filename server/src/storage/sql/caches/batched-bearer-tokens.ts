import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { BearerTokenStore } from '../../bearer-tokens.ts'
import { ANY_KEY, type PreparedQuery } from '../prepared-query.ts'
import type { Row } from '../schema.ts'
import { openApp } from '../stores/app-row.ts'
import { createRowLookup } from './batched-lookup.ts'
import { wrapStore } from './wrap-store.ts'

/** Batches the lookups of bearer tokens. */
export function batchBearerTokens(store: BearerTokenStore, query: PreparedQuery, seal: Seal): BearerTokenStore {
  const bySha256 = createRowLookup(query, {
    name: 'apps-by-bearer-token',
    text: `select token_sha256 as key, apps.* from bearer_tokens join apps on apps.id = bearer_tokens.app_id
      where token_sha256 = ${ANY_KEY}`,
    read: (row: Row<'apps'>) => openApp(seal, row),
  })
  return wrapStore(store, { obtain: 'writes', appOf: (token) => bySha256(sha256Hex(token)), invalidate: 'writes' })
}
