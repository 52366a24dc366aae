import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { OAuth2Grants } from '../../oauth2-grants.ts'
import { ANY_KEY, type PreparedQuery } from '../prepared-query.ts'
import { HOLDER_COLUMNS, HOLDER_TABLES, type HolderRow, holderFromRow } from '../stores/oauth2-rows.ts'
import { createRowLookup } from './batched-lookup.ts'
import { wrapStore } from './wrap-store.ts'

/** Batches the lookups of access tokens with their apps and users. */
export function batchOAuth2Grants(store: OAuth2Grants, query: PreparedQuery, seal: Seal): OAuth2Grants {
  const bySha256 = createRowLookup(query, {
    name: 'holders-by-access-token',
    text: `select token_sha256 as key, apps.*, ${HOLDER_COLUMNS} from ${HOLDER_TABLES} where token_sha256 = ${ANY_KEY}`,
    read: (row: HolderRow) => holderFromRow(seal, row),
  })
  return wrapStore(store, {
    insertCode: 'writes',
    exchangeCode: 'writes',
    refresh: 'writes',
    findAccess: (token) => bySha256(sha256Hex(token)),
    granted: 'reads',
    revoke: 'writes',
  })
}
