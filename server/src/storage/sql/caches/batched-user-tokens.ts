import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { UserTokenStore } from '../../user-tokens.ts'
import { ANY_KEY, type PreparedQuery } from '../prepared-query.ts'
import type { Row } from '../schema.ts'
import { userFromRow } from '../stores/user-store.ts'
import { openToken } from '../stores/user-token-store.ts'
import { createRowLookup } from './batched-lookup.ts'
import { wrapStore } from './wrap-store.ts'

type TokenWithUser = Row<'user_tokens'> & Omit<Row<'users'>, 'id' | 'created_at_ms'> & { user_created_at_ms: number }

/** Batches the lookups of user tokens with their users. */
export function batchUserTokens(store: UserTokenStore, query: PreparedQuery, seal: Seal): UserTokenStore {
  const bySha256 = createRowLookup(query, {
    name: 'user-tokens-by-token',
    text: `select token_sha256 as key, user_tokens.*, username, username_key, name, password_hash, disabled, users.created_at_ms as user_created_at_ms
      from user_tokens join users on users.id = user_tokens.user_id where token_sha256 = ${ANY_KEY}`,
    read: (row: TokenWithUser) => ({
      token: openToken(seal, row),
      user: userFromRow({ ...row, id: row.user_id, created_at_ms: row.user_created_at_ms }),
    }),
  })
  return wrapStore(store, { insert: 'writes', find: (token) => bySha256(sha256Hex(token)), granted: 'reads', revoke: 'writes' })
}
